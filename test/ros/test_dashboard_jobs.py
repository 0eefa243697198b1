"""Jobs in the dashboard, with a driver on ROS that accepts them."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from harness.dashboard.running_dashboard import RunningDashboard, running_dashboard
from harness.ros.running_fleet import RunningFleet, ready

PUBLISHED_ENDS = 20  # jobs that have ended
SETTINGS = """
dispatch: {enabled: true}
stations:
- {name: press, pose: {x_m: 0.5, y_m: 1.6}, role: load}
- {name: packing, pose: {x_m: 2.5, y_m: 1.6}, role: unload}
"""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFleet]:
    yield from ready(RunningFleet(tmp_path_factory.mktemp("jobs"), SETTINGS))


@pytest.fixture(scope="module")
def dashboard(fleet: RunningFleet, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDashboard]:
    with running_dashboard(tmp_path_factory.mktemp("dashboard"), "--config", str(fleet.config)) as running:
        running.wait_for(lambda: running.section("fleet").get("jobs") is not None, "a driver that accepts jobs")
        running.wait_for(lambda: running.has_idle_robots(2), "idle robots")
        yield running


def submit(dashboard: RunningDashboard, job_id: str, *stations: str, **terms: Any) -> dict[str, Any]:
    places = [{"station": station} for station in stations]
    return dashboard.command("submit", {"kind": "transport", "places": places, "id": job_id, **terms})


def state_of(dashboard: RunningDashboard, job_id: str) -> str:
    return str(dashboard.section("jobs").get(job_id, {}).get("state", ""))


def test_transport_is_submitted_as_a_job_and_followed_to_its_end(dashboard: RunningDashboard) -> None:
    assert submit(dashboard, "carry", "press", "packing")["state"] == "done"
    dashboard.wait_for(lambda: state_of(dashboard, "carry") == "executing", "its start")
    robot_id = dashboard.section("jobs")["carry"]["robot"]
    dashboard.wait_for(lambda: f"{robot_id}/carry" in dashboard.section("tasks"), "the task of its robot")
    dashboard.wait_for(lambda: state_of(dashboard, "carry") == "SUCCEEDED", "its end")
    job = dashboard.section("jobs")["carry"]
    assert (job["words"], job["progress"]) == ("transport press > packing", 1.0)
    assert job["submitted_s"] < job["ended_s"]


def test_job_is_held_released_and_canceled(dashboard: RunningDashboard) -> None:
    submit(dashboard, "first", "packing", "press", robots=[1])
    submit(dashboard, "second", "press", "packing", robots=[1])
    for change, state in (("hold", "held"), ("release", "assigned"), ("cancel", "CANCELED")):
        assert dashboard.command("change_jobs", {"jobs": ["second"], "change": change})["state"] == "done"
        dashboard.wait_for(lambda wanted=state: state_of(dashboard, "second") == wanted, state)
    dashboard.command("change_jobs", {"jobs": ["first"], "change": "cancel"})
    dashboard.wait_for(lambda: state_of(dashboard, "first") == "CANCELED", "the end of the other one")


def test_refusal_of_the_driver_is_shown_in_its_words(dashboard: RunningDashboard) -> None:
    outside = {"kind": "go_to", "places": [{"x_m": 9.0, "y_m": 9.0}]}
    refused = dashboard.command("submit", outside)
    assert (refused["state"], refused["text"].split(":")[0]) == ("rejected", "OUT_OF_ARENA")
    unknown = dashboard.command("change_jobs", {"jobs": ["nowhere"], "change": "cancel"})
    assert (unknown["state"], "there is no job 'nowhere'" in unknown["text"]) == ("rejected", True)


def test_program_reads_its_job_at_once_and_after_many_others_have_ended(dashboard: RunningDashboard) -> None:
    token = dashboard.token()
    body = {"kind": "go_to", "places": [{"station": "press"}]}
    job_ids = []
    for _ in range(PUBLISHED_ENDS + 1):
        status, answer = dashboard.ask(token, "/commands/submit", body)
        assert (status, answer["commands"][0]["state"]) == (200, "done")
        job_ids.append(answer["commands"][0]["job_id"])
        status, job = dashboard.ask(token, f"/jobs/{job_ids[-1]}")
        assert (status, job["words"], job["ended_unix_s"]) == (200, "go_to press", None)
        status, answer = dashboard.ask(token, "/commands/change_jobs", {"jobs": [job_ids[-1]], "change": "cancel"})
        assert (status, answer["commands"][0]["state"]) == (200, "done")
    dashboard.wait_for(lambda: state_of(dashboard, job_ids[-1]) == "CANCELED", "the end of the last one")
    assert job_ids[0] not in dashboard.section("jobs")
    status, job = dashboard.ask(token, f"/jobs/{job_ids[0]}")
    assert (status, job["state"], job["progress"]) == (200, "CANCELED", 0.0)
    assert job["submitted_unix_s"] < job["ended_unix_s"] <= time.time()
    assert dashboard.ask(token, "/jobs/nowhere")[0] == 404
