"""Jobs: what a page shows of them, and how they are submitted and changed."""

import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from fleet.dashboard.access.roles import Role
from fleet.dashboard.orders.fleet_orders import ChangeJobsOrder, JobChange, SubmitOrder
from fleet.dispatch.records.job import JobState
from fleet.paths.shape_names import SHAPE_NAMES
from fleet.tasks.task_kind import TaskKind
from harness.dashboard.chromium import FleetPage
from harness.dashboard.hands import Finger, Mouse
from harness.dashboard.scripted_dashboard import STATIONS, ServedScript, served_script
from harness.dashboard.scripted_fleet import ScriptedFleet
from thymio_base.ros.private_domain import reserve_free_port

A, B = ((station.pose.x_m, station.pose.y_m) for station in STATIONS[:2])
OpenPage = Callable[..., FleetPage]


@pytest.fixture
def script() -> Iterator[ServedScript]:
    """A dashboard of a driver that accepts jobs."""
    with served_script(reserve_free_port(), ScriptedFleet(has_jobs=True)) as served:
        yield served


def submitted(page: FleetPage, script: ServedScript) -> SubmitOrder:
    """Wait for the first order; return it."""
    page.until(lambda: script.fleet.orders, "an order")
    order = script.fleet.orders[0]
    assert isinstance(order, SubmitOrder)
    return order


@pytest.mark.parametrize("hand", [Mouse, Finger])
def test_dragged_transport_is_submitted_as_a_job(
    open_page: OpenPage, script: ServedScript, hand: type[Mouse | Finger]
) -> None:
    page = open_page(has_touch=hand is Finger).ready()
    pointer = hand(page)
    pointer.drag(A, B)
    pointer.press(page.button("As a job"))
    job = submitted(page, script).job
    assert (str(job.work), job.robots) == ("transport A > B", ())


def test_keys_submit_a_transport_as_a_job(page: FleetPage, script: ServedScript) -> None:
    page.page.keyboard.press("t")
    page.find("select[name=robot]").focus()
    page.page.keyboard.type("any")
    page.page.keyboard.press("Tab")
    page.page.keyboard.type("B")
    page.page.keyboard.press("Tab")
    page.page.keyboard.type("dock")
    page.find("dialog button.send").focus()
    page.page.keyboard.press("Enter")
    assert str(submitted(page, script).job.work) == "transport B > dock"


@pytest.mark.parametrize(
    ("keys", "words", "robots"),
    [
        ({"kind": "go to", "place": "dock", "robot": "only robot 2"}, "go_to dock", (2,)),
        ({"kind": "go home"}, "go_home", ()),
        ({"kind": "transport", "to": "dock"}, "transport A > dock", ()),
    ],
)
def test_keys_submit_a_job_of_any_kind(
    page: FleetPage, script: ServedScript, keys: dict[str, str], words: str, robots: tuple[int, ...]
) -> None:
    page.page.keyboard.press("j")
    for name, text in keys.items():
        page.find(f"dialog select[name={name}]").focus()
        page.page.keyboard.type(text)
    page.find("dialog input[name=priority]").fill("8")
    page.find("dialog button.send").focus()
    page.page.keyboard.press("Enter")
    job = submitted(page, script).job
    assert (str(job.work), job.robots, job.priority) == (words, robots, 8)


def test_job_follows_a_path(page: FleetPage, script: ServedScript) -> None:
    page.find("#tab-jobs").click()
    page.button("New job …").click()
    page.find("dialog select[name=kind]").select_option("follow_path")
    page.find("dialog input[name=laps]").fill("3")
    page.button("Submit").click()
    job = submitted(page, script).job
    assert job.work.path is not None
    assert (job.work.kind, job.work.path.laps, json.loads(job.work.path.text)) == (
        TaskKind.FOLLOW_PATH,
        3,
        {"shape": SHAPE_NAMES[0], "size_m": 0.3},
    )


def test_job_follows_a_route(page: FleetPage, script: ServedScript) -> None:
    page.find("#tab-jobs").click()
    page.button("New job …").click()
    page.find("dialog select[name=kind]").select_option("follow_route")
    page.find("dialog .problem", has_text="follow route needs legs").wait_for()
    page.find("dialog input[name=route]").fill("0.5,0.6 turn:90deg wait:2")
    page.button("Submit").click()
    assert str(submitted(page, script).job.work) == "follow route of 3 legs"


def test_transport_needs_two_stations_to_be_a_job(page: FleetPage) -> None:
    page.page.keyboard.press("j")
    page.find("dialog select[name=to]").select_option("A")
    page.find("dialog .problem", has_text="from and to are the same station").wait_for()
    assert page.button("Submit").is_disabled()


def test_jobs_are_listed_held_released_and_canceled(page: FleetPage, script: ServedScript) -> None:
    words = "transport A > B"
    script.fleet.set_job("first", JobState.EXECUTING, words=words, robot_id=3, progress=0.4, eta_s=21.0)
    script.fleet.set_job("second", JobState.QUEUED, words=words)
    page.find("#tab-jobs").click()
    first = page.find("[data-job=first]")
    first.wait_for()
    assert first.locator(".number").inner_text() == "3"
    assert first.locator("[role=progressbar]").get_attribute("aria-valuenow") == "40"
    assert first.locator(".eta").inner_text() == "21 s"
    changes = (JobChange.HOLD, "held"), (JobChange.RELEASE, "queued"), (JobChange.CANCEL, "CANCELED")
    for change, state in changes:
        page.button(f"{change.value} job second").click()
        page.until_true(f"fleet.store.get('jobs', 'second').state === '{state}'")
        assert script.fleet.orders[-1] == ChangeJobsOrder(("second",), change)
    script.fleet.set_job("first", JobState.ABORTED, reason="ATTEMPTS", detail="robot 3: BLOCKED")
    first.locator(".why summary").click()
    assert "As many robots as may try have failed. Robot 3: BLOCKED." in first.inner_text()


def test_job_that_waits_for_a_person_is_an_alarm(page: FleetPage, script: ServedScript) -> None:
    script.fleet.set_job("lost", JobState.HELD, words="transport A > B", reason="HELD_AT_RESTART")
    page.find("#tab-jobs.attention").wait_for()
    page.find("#tab-alarms").click()
    page.find(".alarm", has_text="1 job waits for somebody to look, then to release or cancel: lost").wait_for()


def test_jobs_held_by_stop_are_not_an_alarm(page: FleetPage, script: ServedScript) -> None:
    """They go on at resume; another job that waits for somebody beside them is one, and names few of many."""
    page.button("STOP ALL").click()
    page.until(lambda: script.fleet.is_stopped, "the stop")
    with script.fleet_lock:
        for number in range(12):
            script.fleet.set_job(f"stopped-{number}", JobState.HELD, words="transport A > B", reason="STOPPED")
            script.fleet.set_job(f"lost-{number}", JobState.HELD, words="transport A > B", reason="HELD_AT_RESTART")
    page.find("#tab-alarms").click()
    alarm = page.find(".alarm")
    expect(alarm).to_have_count(1)
    expect(alarm).to_contain_text("12 jobs wait for somebody to look, then to release or cancel: ")
    expect(alarm).to_contain_text(" and 9 more")
    expect(alarm).not_to_contain_text("stopped-")
    assert page.evaluate("document.querySelector('.alarm').getBoundingClientRect().height") < 120


def test_jobs_are_lines_that_their_states_filter(open_page: OpenPage, script: ServedScript) -> None:
    """Twelve jobs and more are seen at once."""
    page = open_page(viewport={"width": 1440, "height": 900}).ready()
    with script.fleet_lock:
        for number in range(14):
            script.fleet.set_job(f"transport-{number}", JobState.QUEUED, words="transport A > B")
        script.fleet.set_job("bad", JobState.ABORTED, words="transport A > B", reason="ATTEMPTS")
    page.find("#tab-jobs").click()
    expect(page.find("[data-job]")).to_have_count(15)
    rows = "[...document.querySelectorAll('[data-job]')].map((one) => one.getBoundingClientRect())"
    assert page.evaluate(f"{rows}.filter((row) => row.bottom <= 800 && row.height <= 40).length") >= 12
    page.button("1 failed").click()
    expect(page.find("[data-job]")).to_have_count(1)
    expect(page.find("[data-job=bad] .result")).to_have_text("ABORTED, ATTEMPTS")
    page.button("1 failed").click()
    expect(page.find("[data-job]")).to_have_count(15)


def test_viewer_sees_jobs_and_changes_no_job(open_page: OpenPage, script: ServedScript) -> None:
    page = open_page(Role.VIEWER).ready()
    script.fleet.set_job("first", JobState.QUEUED, words="transport A > B")
    page.find("#tab-jobs").click()
    page.find("[data-job=first]").wait_for()
    assert page.find("[data-job] button").count() == 0
