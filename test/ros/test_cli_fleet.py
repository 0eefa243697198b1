"""The command, as a person uses it: the whole fleet, shown, stopped and resumed."""

import subprocess
import sys
from pathlib import Path

import pytest
from command_line import run
from thymio_fleet_interfaces.action import FollowPath

from fleet.tasks.task_kind import TaskKind
from harness.ros.running_fleet import RunningFleet

ROOT = Path(__file__).parents[2]
LITTLE_CIRCLE = "{shape: circle, size_m: 0.12}"


def test_the_fleet_is_shown_once(shared_fleet: RunningFleet) -> None:
    result = run("status", "--once")
    assert result.returncode == 0
    headline, titles, *rows = result.stdout.splitlines()
    assert headline.startswith("2 robots: all idle · not stopped · domain ")
    assert titles.split()[:2] == ["robot", "state"]
    assert [row.split()[:3] for row in rows] == [["1", "○", "idle"], ["2", "○", "idle"]]


def test_a_running_task_is_canceled(shared_fleet: RunningFleet) -> None:
    goal = shared_fleet.client.send(1, TaskKind.FOLLOW_PATH, FollowPath.Goal(path=LITTLE_CIRCLE, laps=700))
    shared_fleet.wait_for(lambda: goal.state.value == "executing", "the task to start")
    result = run("cancel", "1")
    shared_fleet.wait_for(lambda: goal.state.is_final, "the task to end")
    assert (result.stdout, goal.state.value) == ("robot 1: canceling its task\n", "CANCELED")
    assert run("cancel", "1").stdout == "robot 1: has no task\n"


def test_the_fleet_is_stopped_and_resumed(shared_fleet: RunningFleet) -> None:
    stopped, refused, resumed = run("stop"), run("go-home", "1"), run("resume")
    assert (stopped.returncode, resumed.returncode) == (0, 0)
    assert stopped.stdout.startswith("stopped robots 1 and 2: confirmed by host ")
    assert resumed.stdout.startswith("resumed robots 1 and 2: confirmed by host ")
    assert "REJECTED (STOPPED) after " in refused.stdout
    assert refused.stdout.endswith(" s: the fleet is stopped until it is resumed; try: thymio-fleet resume\n")
    assert run("go-home", "1").returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["go-home", "77"],
        ["go-to", "77", "1", "1"],
        ["follow", "77", "--path", "square"],
        ["cancel", "77"],
        ["law", "77"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_command_for_an_unknown_robot_names_the_served_robots(shared_fleet: RunningFleet, arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.returncode == 1
    assert result.stderr == "robot 77 is not served; robots 1 and 2 are\n"


def test_robot_that_only_a_client_waits_for_is_not_listed(shared_fleet: RunningFleet) -> None:
    shared_fleet.client.watch(5)
    result = run("list")
    assert result.returncode == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["robot", "1", "2"]


def test_paused_simulation_is_named_where_poses_are_missing(shared_fleet: RunningFleet) -> None:
    assert run("world", "pause").returncode == 0
    try:
        shared_fleet.wait_for(lambda: not shared_fleet.client.is_ready(1), "the pose to be lost")
        shared_fleet.wait_for(lambda: shared_fleet.client.value(1, "localization") == "lost", "the pose to be lost")
        result = run("go-to", "1", "1.1", "1", "0")
    finally:
        assert run("world", "play").returncode == 0
    shared_fleet.wait_until_ready()
    assert "REJECTED (" in result.stdout
    assert result.stdout.endswith("; the simulation is paused: thymio-fleet world play\n")


def test_the_first_example_sends_a_robot_to_a_pose(shared_fleet: RunningFleet) -> None:
    shared_fleet.wait_for(lambda: shared_fleet.client.is_ready(1), "robot 1 to be ready")
    command = [sys.executable, str(ROOT / "examples/hello.py")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert result.stdout.startswith("FinishedTask(robot_id=1, task_id='go_to-")
