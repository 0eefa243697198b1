"""Robots without a task step aside for those that are blocked, if `traffic.idle` says so."""

import math
from pathlib import Path

import pytest

from fleet.geometry import Pose2D, Twist2D
from fleet.reason import Reason
from fleet.robots.activity import Activity
from fleet.tasks.task import TaskState, go_to
from fleet.tasks.task_kind import TaskKind
from fleet.traffic.traffic_state import TrafficPhase
from fleet.work.work import Place, Work
from harness.shared_floor import SharedFloor, Wall

APART_M = 0.162  # two bodies may touch at 0.16 m
LEFT, RIGHT = Pose2D(0.4, 1.2, 0.0), Pose2D(2.0, 1.2, 0.0)
INSIDE = Pose2D(1.2, 1.2, 1.0)
CORRIDOR: list[Wall] = [
    (0.9, 0.0, 0.9, 1.08),
    (1.5, 0.0, 1.5, 1.08),
    (0.9, 1.08, 1.5, 1.08),
    (0.9, 1.32, 0.9, 2.4),
    (1.5, 1.32, 1.5, 2.4),
    (0.9, 1.32, 1.5, 1.32),
]
GIVE_WAY = "traffic: {idle: give_way, blocked_s: 20}"


def corridor(folder: Path, settings: str = GIVE_WAY) -> SharedFloor:
    """Return a floor on which robot 2 stands idle in the corridor that robot 1 has to pass."""
    return SharedFloor(folder, [LEFT, INSIDE], 2.4, CORRIDOR, settings)


def wait_until_aside(floor: SharedFloor, robot_id: int = 2, timeout_s: float = 20.0) -> None:
    """Let time pass until a robot has left its place by 10 cm to give way."""
    start_ns, stood = floor.lab.now_ns, floor.lab.truth(robot_id)
    while floor.lab.truth(robot_id).distance_to(stood) < 0.1:
        assert (floor.lab.now_ns - start_ns) * 1e-9 < timeout_s, floor.words
        floor.run(0.05)


def run_until_back(floor: SharedFloor, robot_id: int = 2, timeout_s: float = 40.0) -> None:
    """Let time pass until a robot gives way no more."""
    start_ns = floor.lab.now_ns
    while floor.lab.status(robot_id).traffic.going is TrafficPhase.GIVING_WAY:
        assert (floor.lab.now_ns - start_ns) * 1e-9 < timeout_s, floor.words
        floor.run(0.05)


def test_idle_robot_stays_by_default(tmp_path: Path) -> None:
    floor = corridor(tmp_path, "traffic: {blocked_s: 10}")
    floor.send({1: RIGHT})
    outcome = floor.run_until_ended(1)[0]
    assert (outcome.state, outcome.reason) == (TaskState.ABORTED, Reason.BLOCKED)
    assert "robot 2, idle" in outcome.detail
    assert floor.lab.truth(2).distance_to(INSIDE) < 0.01


def test_idle_robot_gives_way_and_comes_back(tmp_path: Path) -> None:
    floor = corridor(tmp_path)
    floor.send({1: RIGHT})
    assert floor.run_until_ended(1)[0].state is TaskState.SUCCEEDED
    run_until_back(floor)
    back = floor.lab.truth(2)
    assert back.distance_to(INSIDE) < 0.02
    assert abs(back.heading_error_to(INSIDE)) < 0.09
    assert floor.least_m >= APART_M


def test_status_of_a_robot_that_gives_way_says_for_whom(tmp_path: Path) -> None:
    floor = corridor(tmp_path)
    floor.send({1: RIGHT})
    wait_until_aside(floor)
    values = dict(floor.lab.status(2).values)
    assert (values["traffic"], values["waiting_for"]) == ("giving_way", "1")
    assert (values["busy"], values["state"], values["assigned_task"]) == ("no", "idle", "")
    assert values["activity"] == "giving way"
    assert floor.lab.status(2).message == "giving way to robot 1"


def test_robot_at_a_goal_gives_way_and_comes_back_when_the_other_has_left(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [LEFT, RIGHT], 2.4, settings=GIVE_WAY)
    floor.send({1: RIGHT})
    assert floor.run_until_ended(1)[0].state is TaskState.SUCCEEDED
    floor.run(10.0)
    assert floor.lab.status(2).traffic.going is TrafficPhase.GIVING_WAY
    assert floor.lab.service.assign(1, go_to("away", LEFT), floor.lab.now_ns) is None
    floor.run_until_ended(2)
    run_until_back(floor)
    assert floor.lab.truth(2).distance_to(RIGHT) < 0.02
    assert floor.least_m >= APART_M


def test_robot_whose_own_way_aside_is_blocked_gives_way(tmp_path: Path) -> None:
    taken = Pose2D(2.0, 0.4, 0.0)
    floor = SharedFloor(tmp_path, [LEFT, INSIDE, taken], 2.4, CORRIDOR, GIVE_WAY)
    floor.lab.service.robot(3).stop()
    floor.send({1: RIGHT})
    while not floor.lab.outcomes:
        if floor.lab.service.robot(2).aside is None:
            floor.lab.service.send_aside(2, Work(TaskKind.GO_TO, (Place(taken),)), floor.lab.now_ns)
        floor.run(0.5)
    assert [outcome.state for outcome in floor.lab.outcomes] == [TaskState.SUCCEEDED]
    assert floor.least_m >= APART_M


@pytest.mark.parametrize(
    ("goal", "activity"), [(INSIDE, Activity.GOING_HOME), (Pose2D(2.0, 0.4, 0.0), Activity.PARKING)]
)
def test_robot_that_drives_by_itself_says_what_for(tmp_path: Path, goal: Pose2D, activity: Activity) -> None:
    floor = SharedFloor(tmp_path, [LEFT, INSIDE], 2.4, settings=GIVE_WAY)
    floor.lab.service.send_aside(2, Work(TaskKind.GO_TO, (Place(goal),)), floor.lab.now_ns)
    status = floor.lab.status(2)
    assert (status.activity, status.message, status.traffic.going) == (activity, activity.value, TrafficPhase.FREE)
    assert dict(status.values)["plan"].startswith(f"{goal.x_m:.2f},{goal.y_m:.2f}")


def test_goal_of_a_client_ends_giving_way_at_once(tmp_path: Path) -> None:
    floor = corridor(tmp_path)
    floor.send({1: RIGHT})
    wait_until_aside(floor)
    aside = Pose2D(2.0, 0.5, 0.0)
    floor.send({2: aside})
    status = floor.lab.status(2)
    assert (status.is_busy, status.traffic.going is TrafficPhase.GIVING_WAY) == (True, False)
    assert [outcome.state for outcome in floor.run_until_ended(2)] == [TaskState.SUCCEEDED] * 2
    floor.run(5.0)
    assert floor.lab.truth(2).distance_to(aside) < 0.02
    assert floor.least_m >= APART_M


def test_stopped_robot_stays_where_it_is_also_after_it_is_resumed(tmp_path: Path) -> None:
    floor = corridor(tmp_path)
    floor.send({1: RIGHT})
    wait_until_aside(floor)
    floor.lab.service.stop()
    floor.run(1.0)
    stopped = floor.lab.truth(2)
    assert (floor.lab.status(2).state, floor.lab.speed(2)) == ("stopped", 0.0)
    floor.lab.service.resume()
    floor.run(5.0)
    assert floor.lab.truth(2).distance_to(stopped) < 0.005


def test_teleoperation_ends_giving_way(tmp_path: Path) -> None:
    floor = corridor(tmp_path)
    floor.send({1: RIGHT})
    wait_until_aside(floor)
    assert floor.lab.service.drive(2, Twist2D(0.0, 1.0), floor.lab.now_ns) is None
    floor.run(0.3)
    status = floor.lab.status(2)
    assert (status.state, status.traffic.going is TrafficPhase.GIVING_WAY) == ("teleop", False)


def test_robot_left_to_another_driver_no_longer_gives_way(tmp_path: Path) -> None:
    floor = corridor(tmp_path)
    floor.send({1: RIGHT})
    wait_until_aside(floor)
    floor.lab.service.yield_robot(2)
    floor.run(1.0)
    assert floor.lab.service.robot(2).aside is None


def test_lost_robot_no_longer_gives_way(tmp_path: Path) -> None:
    floor = corridor(tmp_path)
    floor.send({1: RIGHT})
    wait_until_aside(floor)
    floor.lab.cut_off(2)
    floor.run(8.0)
    assert floor.lab.service.robot(2).aside is None
    assert floor.lab.status(1).traffic.blocked_by == "robot 2, lost"
    assert floor.least_m >= APART_M


def test_stopped_robot_does_not_give_way(tmp_path: Path) -> None:
    floor = corridor(tmp_path)
    floor.lab.service.robot(2).stop()
    floor.send({1: RIGHT})
    assert floor.run_until_ended(1)[0].reason is Reason.BLOCKED
    assert floor.lab.truth(2).distance_to(INSIDE) < 0.01


def test_two_robots_in_the_way_both_step_aside(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [LEFT, Pose2D(1.1, 1.2, 0.0), Pose2D(1.32, 1.2, 0.0)], 2.4, CORRIDOR, GIVE_WAY)
    floor.send({1: RIGHT})
    assert floor.run_until_ended(1)[0].state is TaskState.SUCCEEDED
    run_until_back(floor, 2)
    run_until_back(floor, 3)
    assert floor.lab.truth(2).distance_to(Pose2D(1.1, 1.2, 0.0)) < 0.02
    assert floor.lab.truth(3).distance_to(Pose2D(1.32, 1.2, 0.0)) < 0.02
    assert floor.least_m >= APART_M


def test_robot_leaving_a_dead_end_passes_the_robot_that_enters_it(tmp_path: Path) -> None:
    dead_end: list[Wall] = [(1.2, 1.08, 2.4, 1.08), (1.2, 1.32, 2.4, 1.32)]
    floor = SharedFloor(tmp_path, [Pose2D(1.4, 1.2, 0.0), Pose2D(2.2, 1.2, 0.0)], 2.4, dead_end, GIVE_WAY)
    floor.send({1: Pose2D(2.2, 1.2, 0.0)})
    assert floor.run_until_ended(1)[0].state is TaskState.SUCCEEDED
    assert floor.least_m >= APART_M


@pytest.mark.slow
def test_robot_steps_aside_once_for_each_passing_robot(tmp_path: Path) -> None:
    floor = corridor(tmp_path)
    departures, was_aside = 0, False
    for number, goal in enumerate([RIGHT, LEFT, RIGHT], 1):
        assert floor.lab.service.assign(1, go_to(f"trip {number}", goal), floor.lab.now_ns) is None
        while len(floor.lab.outcomes) < number or floor.lab.status(2).traffic.going is TrafficPhase.GIVING_WAY:
            floor.run(0.05)
            is_aside = floor.lab.status(2).traffic.going is TrafficPhase.GIVING_WAY
            departures, was_aside = departures + (is_aside and not was_aside), is_aside
            assert floor.lab.now_ns < 200e9, floor.words
    assert [outcome.state for outcome in floor.lab.outcomes] == [TaskState.SUCCEEDED] * 3
    assert departures == 3


@pytest.mark.slow
def test_idle_robots_that_fill_half_of_a_floor_let_another_robot_through(tmp_path: Path) -> None:
    idle = [Pose2D(0.8 + 0.26 * column, 0.12 + 0.26 * row, 0.0) for column in range(2) for row in range(7)]
    floor = SharedFloor(tmp_path, [Pose2D(0.3, 0.9, 0.0), *idle], 1.8, settings=GIVE_WAY)
    floor.send({1: Pose2D(1.6, 0.9, math.pi)})
    assert floor.run_until_ended(1)[0].state is TaskState.SUCCEEDED
    for number, stood in enumerate(idle, 2):
        run_until_back(floor, number)
        assert floor.lab.truth(number).distance_to(stood) < 0.02
    assert floor.least_m >= APART_M
