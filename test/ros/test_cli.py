"""The command, as a person uses it."""

import subprocess
import sys
from pathlib import Path

import pytest

from fleet.geometry import Pose2D
from running_fleet import RunningFleet


def run(*arguments: str, timeout_s: float = 40.0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fleet.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)


def test_a_robot_is_sent_somewhere_and_home_again(shared_fleet: RunningFleet) -> None:
    there, home = run("go-to", "1", "1.2", "1.1", "90deg"), run("go-home", "1")
    assert (there.returncode, home.returncode) == (0, 0)
    assert "robot 1 task_go_to" in there.stdout
    assert "SUCCEEDED" in home.stdout


def test_something_is_transported(shared_fleet: RunningFleet) -> None:
    result = run("transport", "2", "2.1,1.0", "2.0,1.0,0.5")
    assert result.returncode == 0
    assert "task_transport" in result.stdout


def test_without_a_heading_a_robot_arrives_as_it_drives(shared_fleet: RunningFleet) -> None:
    result = run("go-to", "1", "1.0", "1.2")
    assert result.returncode == 0, result.stderr
    shared_fleet.let_pass(0.5)
    assert shared_fleet.truths[1].heading_rad == pytest.approx(1.57, abs=0.15)
    assert run("go-home", "1").returncode == 0


def test_a_rejected_goal_is_told_with_its_reason(shared_fleet: RunningFleet) -> None:
    result = run("go-to", "1", "99", "1", "0")
    assert result.returncode == 1
    assert "REJECTED (OUT_OF_ARENA)" in result.stdout


def test_the_fleet_is_shown_once(shared_fleet: RunningFleet) -> None:
    result = run("status", "--once")
    assert result.returncode == 0
    assert [line.split()[:2] for line in result.stdout.splitlines()[1:3]] == [["1", "OK"], ["2", "OK"]]


def test_a_running_task_is_canceled(shared_fleet: RunningFleet) -> None:
    goal = shared_fleet.client.go_to(1, Pose2D(1.0, 1.7, 0.0))
    shared_fleet.wait_for(lambda: goal.state.value == "executing", "the task to begin")
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


def test_nobody_there_is_told_and_not_waited_for(shared_fleet: RunningFleet) -> None:
    result = run("go-home", "77")
    assert result.returncode == 1
    assert "nobody serves /factory/robot_77/task_go_home" in result.stderr


def test_a_good_file_is_checked(tmp_path: Path) -> None:
    result = run("check", str(Path(__file__).parents[2] / "config" / "fleet.yaml"))
    assert result.returncode == 0
    assert "8 robots" in result.stdout


def test_a_file_with_five_mistakes_is_checked_at_once(tmp_path: Path) -> None:
    path = tmp_path / "fleet.yaml"
    path.write_text("""rates: {control_hz: 1}
motion: {sped_mps: 0.1}
link: {targets: ['carrier-pigeon']}
robots:
- {id: 1, node_id: 1, home: {x_m: 0, y_m: 0}}
- {id: 1, node_id: 2, home: {x_m: 1, y_m: .nan}}
- {id: 1, node_id: 3, home: {x_m: 2, y_m: 0}}
""")
    result = run("check", str(path))
    assert result.returncode == 2
    assert [line.removeprefix(f"{path}:").split(":")[:2] for line in result.stderr.splitlines()] == [
        ["1", " rates.control_hz"],
        ["2", " motion.sped_mps"],
        ["3", " link.targets[0]"],
        ["6", " robots[1].home.y_m"],
        ["7", " robots[2].id"],
    ]
