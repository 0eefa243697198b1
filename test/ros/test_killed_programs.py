"""Programs of `thymio-fleet up` and of the units of systemd are killed: jobs and the past outlive them."""

import json
import os
import re
import shutil
import signal
import time
import urllib.request
from pathlib import Path

import pytest
from command_line import run

from fleet.dashboard.kept_history import KeptHistory
from fleet.dashboard.model.story import Story
from harness.dashboard.running_dashboard import running_dashboard
from harness.ros.running_fleet import RunningFleet
from harness.service_units import NAME
from thymio_base.ros.ros_domain import ros_domain_id

SETTINGS = "dispatch: {enabled: true}"
ADDRESS = re.compile(r"^dashboard: (http://127\.0\.0\.1:\d+/)\?key=", re.MULTILINE)
LONG_AGO_S, FAR_S = -1e6, 1e9


def test_jobs_and_the_past_outlive_programs_of_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    fleet = RunningFleet(tmp_path, SETTINGS)
    try:
        fleet.start_both()
        fleet.wait_until_ready()
        submit_jobs()
        fleet.wait_for(lambda: is_kept(tmp_path, "order-1"), "the event on disk")
        for program in ("fleet.ros", "dashboard"):
            os.kill(process_of(fleet, program), signal.SIGKILL)
        fleet.wait_for(lambda: len(ADDRESS.findall(fleet.logs())) == 2, "the next dashboard")
        assert "order-1" in events_of(ADDRESS.findall(fleet.logs())[1])
        fleet.wait_for(lambda: is_waiting("order-2"), "the job under the next driver")
    finally:
        fleet.close()


def test_jobs_and_the_past_outlive_programs_of_the_units(tmp_path: Path) -> None:
    folder = tmp_path / "thymio_fleet" / NAME
    folder.mkdir(parents=True)
    fleet = RunningFleet(folder, SETTINGS)
    driver = "thymio-fleet-driver@.service"
    try:
        fleet.start_simulator()
        fleet.start_driver_of(driver, tmp_path)
        fleet.wait_until_ready()
        with running_dashboard(folder, "--config", str(fleet.config)) as dashboard:
            submit_jobs()
            fleet.wait_for(lambda: is_kept(folder, "order-1"), "the event on disk")
            fleet.send_signal("driver", signal.SIGKILL).wait()
            dashboard.kill()
            fleet.start_driver_of(driver, tmp_path)
            dashboard.start()
            assert "order-1" in events_of(dashboard.url)
            fleet.wait_for(lambda: is_waiting("order-2"), "the job under the next driver")
        assert "[INFO] " in fleet.logs()
        assert list((folder / "log").rglob("*.log")) == []  # the journal has them
    finally:
        fleet.close()


def submit_jobs() -> None:
    """Submit a job that ends, and one that waits for a robot."""
    assert run("duty", "1", "2", "out").returncode == 0
    for job_id in ("order-1", "order-2"):
        assert run("submit", "go-to", "1.5,0.4", "--id", job_id).returncode == 0
    assert run("jobs", "cancel", "order-1").returncode == 0


def is_waiting(job_id: str) -> bool:
    done = run("jobs", "export", job_id)
    return done.returncode == 0 and json.loads(done.stdout)["state"] == "queued"


def is_kept(state: Path, job_id: str) -> bool:
    """Whether an event about a job is in a dashboard's files, by a copy of these."""
    copy = state / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(state / "thymio_fleet", copy)
    kept, story = KeptHistory(copy, ros_domain_id(), time.time()), Story(ros_domain_id())
    kept.restore(story)
    kept.close(story)
    return any(job_id in event["text"] for event in story.log.between(LONG_AGO_S, FAR_S, 1000))


def events_of(url: str) -> str:
    """Return the texts of all events that a dashboard shows."""
    with urllib.request.urlopen(f"{url}api/events?from_s={LONG_AGO_S}&to_s={FAR_S}", timeout=60.0) as answer:
        return "\n".join(event["text"] for event in json.load(answer)["events"])


def process_of(fleet: RunningFleet, program: str) -> int:
    """Return the process of a program that was started with the fleet's file."""
    (found,) = [
        int(folder.name)
        for folder in Path("/proc").glob("[0-9]*")
        if {str(fleet.config), program} <= set(arguments_of(folder))
    ]
    return found


def arguments_of(folder: Path) -> list[str]:
    try:
        return (folder / "cmdline").read_text().split("\0")
    except OSError:
        return []
