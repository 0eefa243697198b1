"""The command, as a person uses it."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fleet.geometry import Pose2D
from fleet.processes import shipped_file
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


def test_robots_follow_a_path_together(shared_fleet: RunningFleet) -> None:
    result = run("follow", "1", "2", "--path", "circle", "--size", "0.12")
    assert result.returncode == 0, result.stdout + result.stderr
    rows = [line.split() for line in result.stdout.splitlines()]
    assert rows[0] == ["robot", "result", "seconds", "max", "mm", "rms", "mm"]
    assert [row[:2] for row in rows[1:]] == [["1", "SUCCEEDED"], ["2", "SUCCEEDED"]]
    assert all(0.0 < float(row[4]) <= float(row[3]) < 30.0 for row in rows[1:])


def test_a_path_that_leaves_the_arena_is_told_with_its_reason(shared_fleet: RunningFleet) -> None:
    result = run("follow", "1", "--path", "square", "--size", "5")
    assert result.returncode == 1
    assert "REJECTED (OUT_OF_ARENA)" in result.stdout


def test_nobody_sets_out_where_another_is_not_there(shared_fleet: RunningFleet) -> None:
    result = run("follow", "1", "77", "--path", "circle", "--size", "0.12")
    assert result.returncode == 1
    assert "nobody serves /factory/robot_77/x/follow_path" in result.stderr
    shared_fleet.let_pass(2.0)  # status comes once a second
    assert shared_fleet.client.value(1, "busy") == "no"


def test_an_interrupt_cancels_all_and_says_so(shared_fleet: RunningFleet) -> None:
    command = [sys.executable, "-m", "fleet.cli", "follow", "1", "2", "--path", "circle", "--size", "0.5"]
    following = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    client = shared_fleet.client
    shared_fleet.wait_for(lambda: all(client.value(robot_id, "cross_track_mm") for robot_id in (1, 2)), "both to drive")
    following.send_signal(signal.SIGINT)
    output, errors = following.communicate(timeout=30.0)
    assert (following.returncode, errors) == (1, "")
    assert "canceling robots 1, 2" in output
    assert output.count("CANCELED") == 2


def test_a_law_is_shown_and_changed(shared_fleet: RunningFleet) -> None:
    before, changed = run("law", "1"), run("law", "1", "kanayama", "kx_per_s=3", "lqr.cross_m=0.002")
    back = run("law", "1", "lqr", "cross_m=0.001", "kanayama.kx_per_s=3.5")
    assert (before.returncode, changed.returncode, back.returncode) == (0, 0, 0)
    assert before.stdout == back.stdout
    assert changed.stdout.splitlines()[0] == "robot 1: kanayama"
    assert ["kx_per_s", "3"] in [line.split() for line in changed.stdout.splitlines()]


def test_a_gain_that_is_none_is_told_with_the_nearest(shared_fleet: RunningFleet) -> None:
    result = run("law", "1", "cros_m=0.002")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "robot 1: tracker: lqr.cros_m: unknown key, did you mean 'cross_m'?\n"


def test_a_good_file_is_checked(tmp_path: Path) -> None:
    result = run("check", str(shipped_file("fleet.yaml")))
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
