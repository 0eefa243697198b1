"""While the past is shown, nothing is sent but STOP: robots have moved since."""

import pytest
from playwright.sync_api import expect

from harness.dashboard.chromium import FleetPage
from harness.dashboard.hands import Mouse
from harness.dashboard.scripted_dashboard import STATIONS, ServedScript

A, B = ((station.pose.x_m, station.pose.y_m) for station in STATIONS[:2])


@pytest.fixture
def past(page: FleetPage) -> FleetPage:
    """A page that shows the past, with robot 2 selected."""
    page.until_true("fleet.timeline._now_s() > 3")
    page.evaluate("fleet.selection.set(2); fleet.timeline.show(1.0)")
    page.until_true("fleet.view.replayed !== null")
    return page


@pytest.mark.parametrize("key", ["g", "h", "c"])
def test_keys_send_nothing(past: FleetPage, key: str) -> None:
    past.page.keyboard.press(key)
    past.page.keyboard.press("ArrowUp")
    past.page.keyboard.press("Enter")
    check_refused(past)


def test_mouse_sends_nothing(past: FleetPage) -> None:
    Mouse(past).tap((2.0, 1.9))
    check_refused(past)
    Mouse(past).drag(A, B)
    assert past.evaluate("fleet.draft.isEmpty")


def test_draft_of_before_is_not_sent(page: FleetPage) -> None:
    page.until_true("fleet.timeline._now_s() > 3")
    page.evaluate("fleet.selection.set(2); fleet.draft.aim(2.0, 1.9); fleet.timeline.show(1.0)")
    page.until_true("fleet.view.replayed !== null")
    page.button("Send").click()
    check_refused(page)


def test_nobody_drives_by_hand(past: FleetPage) -> None:
    past.evaluate("fleet.set({ drives: 2 })")
    check_refused(past)
    assert past.evaluate("fleet.settings.drives") is None


def test_driving_by_hand_ends(page: FleetPage) -> None:
    page.until_true("fleet.timeline._now_s() > 3")
    page.evaluate("fleet.selection.set(2); fleet.set({ drives: 2 }); fleet.timeline.show(1.0)")
    page.until_true("fleet.view.replayed !== null && fleet.settings.drives === null")


def test_stop_is_sent(past: FleetPage, script: ServedScript) -> None:
    past.page.keyboard.press("Shift+Space")
    past.until(lambda: script.fleet.is_stopped, "the stop")


def check_refused(page: FleetPage) -> None:
    expect(page.find(".notice")).to_have_text("This is the past. Choose Live to send commands.")
    assert page.evaluate("fleet.store.all('commands').length") == 0
