"""The command, as a person uses it: the whole fleet, shown, stopped and resumed."""

from command_line import run
from thymio_fleet_interfaces.action import FollowPath

from harness.ros.running_fleet import RunningFleet

LITTLE_CIRCLE = "{shape: circle, size_m: 0.12}"


def test_the_fleet_is_shown_once(shared_fleet: RunningFleet) -> None:
    result = run("status", "--once")
    assert result.returncode == 0
    headline, titles, *rows = result.stdout.splitlines()
    assert headline.startswith("2 robots: all idle · not stopped · domain ")
    assert titles.split()[:2] == ["robot", "state"]
    assert [row.split()[:3] for row in rows] == [["1", "○", "idle"], ["2", "○", "idle"]]


def test_a_running_task_is_canceled(shared_fleet: RunningFleet) -> None:
    goal = shared_fleet.client.follow_path(1, FollowPath.Goal(path=LITTLE_CIRCLE, laps=700))
    shared_fleet.wait_for(lambda: goal.state.value == "executing", "the task to start")
    result = run("cancel", "1")
    shared_fleet.wait_for(lambda: goal.state.is_final, "the task to end")
    assert (result.stdout, goal.state.value) == ("robot 1: canceling its task\n", "CANCELED")
    assert run("cancel", "1").stdout == "robot 1: has no task\n"


def test_the_fleet_is_stopped_and_resumed(shared_fleet: RunningFleet) -> None:
    assert run("stop").returncode == 0
    refused = run("go-home", "1")
    assert run("resume").returncode == 0
    assert "REJECTED (STOPPED)" in refused.stdout
    assert run("go-home", "1").returncode == 0


def test_missing_server_is_reported_without_waiting(shared_fleet: RunningFleet) -> None:
    result = run("go-home", "77")
    assert result.returncode == 1
    assert "no server for /factory/robot_77/task_go_home" in result.stderr
