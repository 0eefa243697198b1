"""The dashboard's page in Chromium, with a fleet on ROS: what is clicked is driven."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from fleet.dashboard.access.roles import Role
from fleet.geometry import Pose2D
from harness.dashboard.chromium import REFUSED, FleetPage, running_chromium
from harness.dashboard.hands import Mouse
from harness.dashboard.running_dashboard import running_dashboard
from harness.ros.running_fleet import RunningFleet

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(shared_fleet: RunningFleet, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FleetPage]:
    """A teacher's page that shows the shared fleet."""
    options = ("--config", str(shared_fleet.config))
    with running_dashboard(tmp_path_factory.mktemp("dashboard"), *options) as dashboard, running_chromium() as chromium:
        dashboard.wait_for(lambda: dashboard.has_idle_robots(2), "idle robots that can be sent")
        page = FleetPage(chromium, f"{dashboard.url}?key={dashboard.lasting_key(Role.TEACHER)}")
        page.until_true("fleet.isReachable && fleet.store.hello !== null && fleet.view.shown().rows.size === 2")
        page.until_true("fleet.store.get('map', 'arena') !== null && fleet.view.camera.width > 1")
        yield page
        assert page.complained() == []


def test_clicked_goal_is_driven_to(page: FleetPage, shared_fleet: RunningFleet) -> None:
    hand = Mouse(page)
    hand.tap((1.0, 1.0))
    hand.tap((1.3, 1.3))
    page.button("Send").click()
    shared_fleet.wait_for(lambda: shared_fleet.truths[1].distance_to(Pose2D(1.3, 1.3, 0.0)) < 0.05, "the goal")
    expect(page.find(".last")).to_contain_text("SUCCEEDED")


def test_rejection_of_a_goal_is_reported(page: FleetPage) -> None:
    page.tolerated = (REFUSED,)
    page.evaluate("fleet.send('go_to', { goals: [{ robot: 2, x_m: 2.0, y_m: 9.0 }] })")
    expect(page.find(".notice").first).to_contain_text("robot 2: go to rejected: y = 9")


def test_stop_holds_a_driving_robot_until_resumed(page: FleetPage, shared_fleet: RunningFleet) -> None:
    page.evaluate("fleet.send('go_to', { goals: [{ robot: 2, x_m: 2.7, y_m: 0.3 }] })")
    shared_fleet.wait_for(lambda: shared_fleet.truths[2].distance_to(Pose2D(2.0, 1.0, 0.0)) > 0.03, "it to drive")
    page.page.keyboard.press("Shift+Space")
    expect(page.find(".stop-report")).to_contain_text("2 of 2 stand after")
    page.page.keyboard.press("2")
    expect(page.find(".last")).to_contain_text("ABORTED STOPPED")
    page.find(".resume").hover()
    page.page.mouse.down()
    expect(page.find(".resume")).to_have_count(0)
    page.page.mouse.up()
