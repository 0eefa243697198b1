"""The command, as a person uses it: paths and control laws."""

import re
import signal
import subprocess
import sys

from command_line import run

from fleet.goals.sent_goal import GoalState
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import PathWish, Work
from harness.ros.running_fleet import RunningFleet


def test_robots_follow_a_path_together(shared_fleet: RunningFleet) -> None:
    result = run("follow", "1", "2", "--path", "circle", "--size", "0.12")
    assert result.returncode == 0, result.stdout + result.stderr
    rows = [line.split() for line in result.stdout.splitlines()]
    assert rows[0] == ["robot", "result", "seconds", "max", "mm", "rms", "mm"]
    assert [row[:2] for row in rows[1:]] == [["1", "SUCCEEDED"], ["2", "SUCCEEDED"]]
    assert all(0.0 < float(row[4]) <= float(row[3]) < 30.0 for row in rows[1:])


def test_path_that_leaves_the_arena_is_reported_with_its_reason(shared_fleet: RunningFleet) -> None:
    result = run("follow", "1", "--path", "square", "--size", "5")
    assert result.returncode == 1
    assert "REJECTED (OUT_OF_ARENA)" in result.stdout
    line = r"^robot 1: OUT_OF_ARENA: y = (5\.99|6\.00)\d, at most 1\.920, as .*; try --size 0\.9[12]$"
    assert re.search(line, result.stdout, re.MULTILINE)


def test_no_robot_sets_out_if_another_is_missing(shared_fleet: RunningFleet) -> None:
    result = run("follow", "1", "77", "--path", "circle", "--size", "0.12")
    assert result.returncode == 1
    assert result.stderr == "robot 77 is not served; robots 1 and 2 are\n"
    shared_fleet.let_pass(2.0)  # status comes once a second
    assert shared_fleet.client.value(1, "busy") == "no"


def test_interrupt_cancels_all_tasks_and_reports_it(shared_fleet: RunningFleet) -> None:
    command = [sys.executable, "-m", "fleet.commands.main", "follow", "1", "2", "--path", "circle", "--size", "0.5"]
    following = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    client = shared_fleet.client
    shared_fleet.wait_for(lambda: all(client.value(robot_id, "cross_track_mm") for robot_id in (1, 2)), "both to drive")
    following.send_signal(signal.SIGINT)
    output, errors = following.communicate(timeout=180.0)
    assert (following.returncode, errors) == (130, "")
    assert "canceling robots 1, 2" in output
    assert output.count("CANCELED") == 2


def test_the_path_of_a_running_task_is_extended(shared_fleet: RunningFleet) -> None:
    client = shared_fleet.client
    shared_fleet.wait_for(lambda: client.value(1, "busy") == "no", "the end of the former task")
    options = ["follow", "1", "--path", "circle", "--size", "0.5", "--endless"]
    command = [sys.executable, "-m", "fleet.commands.main", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as following:
        try:
            shared_fleet.wait_for(lambda: client.value(1, "assigned_task").startswith("follow"), "the robot to drive")
            refused = run("extend", "1", "--laps", "2")
            assert (refused.returncode, refused.stdout) == (1, "robot 1: BAD_PATH: the path is already endless\n")
        finally:
            following.send_signal(signal.SIGINT)
        assert following.communicate(timeout=180.0)[1] == ""
        assert following.returncode == 130
    goal = client.assign(1, Work(TaskKind.FOLLOW_PATH, path=PathWish(waypoints_m=((1.0, 1.0), (1.3, 1.0)))))
    shared_fleet.wait_for(lambda: goal.feedback is not None, "the robot to drive")
    extended = run("extend", "1", "1.3,1.0", "1.3,1.2", "--after", "2")
    assert extended.stdout == f"robot 1: task {goal.task_id} continues (3 waypoints in all)\n"
    shared_fleet.wait_for(lambda: goal.state.is_final, "the end of the task", 60.0)
    assert goal.state is GoalState.SUCCEEDED


def test_a_law_is_shown_and_changed(shared_fleet: RunningFleet) -> None:
    before, changed = run("law", "1"), run("law", "1", "kanayama", "kx_per_s=3", "lqr.cross_m=0.002")
    back = run("law", "1", "lqr", "cross_m=0.001", "kanayama.kx_per_s=3.5")
    assert (before.returncode, changed.returncode, back.returncode) == (0, 0, 0)
    assert before.stdout == back.stdout
    assert changed.stdout.splitlines()[0] == "robot 1: kanayama"
    assert ["kx_per_s", "3"] in [line.split() for line in changed.stdout.splitlines()]


def test_unknown_gain_is_reported_with_the_nearest_name(shared_fleet: RunningFleet) -> None:
    result = run("law", "1", "cros_m=0.002")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "robot 1: tracker: lqr.cros_m: unknown key, did you mean 'cross_m'?\n"
