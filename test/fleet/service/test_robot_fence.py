"""An exception in one robot's step stops that robot and ends its task; the others drive on."""

import json
import subprocess
import sys
from typing import Any

import pytest

from harness.broken import environment

STEPS = [
    "fleet.robots.telemetry:Telemetry.forecast",
    "fleet.robots.telemetry:Telemetry.link_state",
    "fleet.robots.telemetry:Telemetry.on_odometry",
    "fleet.robots.robot:Robot.want",
    "fleet.robots.robot:Robot.obey",
    "fleet.tasks.task:Task.step",
    "fleet.actuation.chassis:Chassis.command",
    "fleet.actuation.chassis:Chassis.next_targets_raw",
    "fleet.service.floor_control:FloorControl._note",
    "fleet.service.floor_control:FloorControl._granted",
    "fleet.service.command_sender:CommandSender._send",
]

ONLY_AT_WORK = ["fleet.tasks.task:Task.step"]  # without a task there is nothing that could raise again

pytestmark = pytest.mark.fenced


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """Return what each fault did, once and again and again."""
    faults = [f"{step} {times}" for step in STEPS for times in (1, 100_000)]
    command = [sys.executable, "-m", "harness.broken", "", "harness.broken_lab", *faults]
    run = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(STEPS)), ids=STEPS)
def test_one_exception_ends_the_task_of_that_robot_alone(rows: list[dict[str, Any]], index: int) -> None:
    row = rows[2 * index]
    assert row["outcomes"] == {"task 1": "ABORTED:INTERNAL", "task 2": "SUCCEEDED"}
    assert row["speeds"][0] == 0.0
    assert row["speeds"][1] > 0.1
    assert row["again"] == ""


@pytest.mark.parametrize("index", [index for index, step in enumerate(STEPS) if step not in ONLY_AT_WORK])
def test_repeated_exceptions_take_the_robot_out_of_service_until_it_is_resumed(
    rows: list[dict[str, Any]], index: int
) -> None:
    row = rows[2 * index + 1]
    assert row["outcomes"] == {"task 1": "ABORTED:INTERNAL", "task 2": "SUCCEEDED"}
    assert row["speeds"][0] == 0.0
    assert row["level"] == "ERROR"
    assert "out of service" in row["message"]
    assert row["again"] == "INTERNAL"
    assert row["taken_back"] == ""
