"""Several robots on one floor: nobody touches anybody, and everybody arrives, or is told why not."""

import math
from pathlib import Path

import pytest

from fleet.geometry import Pose2D, Twist2D
from fleet.paths.shapes import square
from fleet.reason import Reason
from fleet.tasks.task import TaskState, follow_path, go_to, transport
from fleet.traffic.traffic_state import TrafficPhase
from harness.closed_loop import closed_loop
from harness.shared_floor import SharedFloor, Wall

_TUBE: list[Wall] = [(0.68, 0.2, 0.68, 1.4), (0.92, 0.2, 0.92, 1.4), (0.68, 0.2, 0.92, 0.2), (0.68, 1.4, 0.92, 1.4)]
APART_M = 0.162  # two bodies may touch at 0.16 m
LEFT, RIGHT = Pose2D(0.4, 0.8, 0.0), Pose2D(1.2, 0.8, math.pi)
CORRIDOR: list[Wall] = [
    (0.9, 0.0, 0.9, 1.08),
    (1.5, 0.0, 1.5, 1.08),
    (0.9, 1.08, 1.5, 1.08),
    (0.9, 1.32, 0.9, 2.4),
    (1.5, 1.32, 1.5, 2.4),
    (0.9, 1.32, 1.5, 1.32),
]


def on_circle(count: int, side_m: float) -> list[Pose2D]:
    """Return poses on a circle; each looks at the opposite one."""
    radius_m = 0.5 * side_m - 0.2
    angles = [math.tau * index / count for index in range(count)]
    return [
        Pose2D(0.5 * side_m + radius_m * math.cos(angle), 0.5 * side_m + radius_m * math.sin(angle), math.pi + angle)
        for angle in angles
    ]


def test_two_robots_swap_places(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [LEFT, RIGHT], 1.6)
    floor.send({1: RIGHT, 2: LEFT})
    assert all(outcome.state is TaskState.SUCCEEDED for outcome in floor.run_until_ended(2))
    assert floor.least_m >= APART_M


@pytest.mark.slow
def test_eight_robots_swap_places_across_a_circle(tmp_path: Path) -> None:
    starts = on_circle(8, 2.0)
    floor = SharedFloor(tmp_path, starts, 2.0)
    floor.send({number: starts[(number + 3) % 8] for number in range(1, 9)})
    assert all(outcome.state is TaskState.SUCCEEDED for outcome in floor.run_until_ended(8))
    assert floor.least_m >= APART_M


@pytest.mark.slow
def test_robots_pass_a_corridor_in_both_directions(tmp_path: Path) -> None:
    left = [Pose2D(0.4, 0.6, 0.0), Pose2D(0.4, 1.8, 0.0)]
    right = [Pose2D(2.0, 0.6, math.pi), Pose2D(2.0, 1.8, math.pi)]
    floor = SharedFloor(tmp_path, [*left, *right], 2.4, CORRIDOR)
    floor.send({1: right[1], 2: right[0], 3: left[1], 4: left[0]})
    assert all(outcome.state is TaskState.SUCCEEDED for outcome in floor.run_until_ended(4))
    assert floor.least_m >= APART_M


def test_robot_goes_around_a_wall(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [LEFT], 1.6, [(0.8, 0.4, 0.8, 1.6)])
    floor.send({1: RIGHT})
    assert floor.run_until_ended(1)[0].state is TaskState.SUCCEEDED


def test_goal_that_walls_close_off_is_unreachable(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [LEFT], 1.6, [(0.8, 0.0, 0.8, 1.6)])
    assert floor.lab.service.assign(1, go_to("a", RIGHT), floor.lab.now_ns) is Reason.UNREACHABLE


@pytest.mark.slow
def test_robots_on_overlapping_paths_wait_on_them(tmp_path: Path) -> None:
    starts = [Pose2D(0.3, 0.3, 0.0), Pose2D(0.6, 0.55, 0.0), Pose2D(0.4, 0.8, 0.0)]
    floor = SharedFloor(tmp_path, starts, 1.8)
    following = floor.lab.config.following
    for number, start in enumerate(starts, 1):
        request = follow_path(f"path {number}", square(0.8).moved(start), following, laps=2)
        assert floor.lab.service.assign(number, request, floor.lab.now_ns) is None
    outcomes = floor.run_until_ended(3)
    assert [outcome.state for outcome in outcomes] == [TaskState.SUCCEEDED] * 3
    assert max(outcome.cross_track.max_m for outcome in outcomes if outcome.cross_track is not None) < 0.003
    assert floor.least_m >= APART_M


@pytest.fixture
def blocked(tmp_path: Path) -> SharedFloor:
    floor = SharedFloor(tmp_path, [LEFT, RIGHT], 1.6, settings="traffic: {blocked_s: 8}")
    floor.send({1: RIGHT})
    return floor


def test_robot_whose_goal_is_occupied_names_the_robot_there(blocked: SharedFloor) -> None:
    blocked.run(7.0)
    status = blocked.lab.status(1)
    assert (status.traffic.going, status.traffic.blocked_by) == (TrafficPhase.BLOCKED, "robot 2, idle")
    assert "blocked for" in status.message
    assert status.traffic.gives_up_s == pytest.approx(8.0 - status.traffic.blocked_s)


def test_robot_waits_its_turn_behind_a_working_robot(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [LEFT, RIGHT], 1.6, settings="traffic: {blocked_s: 4}")
    loads = transport("loads", RIGHT, Pose2D(0.8, 1.3, 0.0), dwell_s=12.0)
    assert floor.lab.service.assign(2, loads, floor.lab.now_ns) is None
    floor.send({1: RIGHT})
    floor.run(9.0)
    traffic = floor.lab.status(1).traffic
    assert (traffic.going, traffic.blocked_by, traffic.gives_up_s) == (TrafficPhase.BLOCKED, "robot 2, driving", None)
    assert [outcome.state for outcome in floor.run_until_ended(2)] == [TaskState.SUCCEEDED] * 2


def test_robots_that_wait_for_each_other_are_aborted(tmp_path: Path) -> None:
    top, bottom = Pose2D(0.8, 1.2, 0.0), Pose2D(0.8, 0.4, 0.0)
    floor = SharedFloor(tmp_path, [top, bottom], 1.6, settings="traffic: {blocked_s: 4}", walls=_TUBE)
    floor.send({1: bottom, 2: top})
    outcomes = floor.run_until_ended(2, timeout_s=20.0)
    assert [outcome.reason for outcome in outcomes] == [Reason.BLOCKED] * 2


def test_of_two_robots_with_one_goal_in_a_dead_end_the_one_ahead_goes_first(tmp_path: Path) -> None:
    walls = [(0.24, 0.24, 0.24, 1.6), (0.24, 0.24, 1.6, 0.24)]
    floor = SharedFloor(tmp_path, [Pose2D(0.12, 1.2, 0.0), Pose2D(0.12, 0.6, 0.0)], 1.6, walls)
    goal = Pose2D(1.0, 0.12, 0.0)
    floor.send({1: goal, 2: goal})
    first, second = floor.run_until_ended(2)
    assert (first.robot_id, first.state) == (2, TaskState.SUCCEEDED)
    assert (second.robot_id, second.reason) == (1, Reason.BLOCKED)


def test_robot_whose_goal_stays_taken_is_aborted(blocked: SharedFloor) -> None:
    outcome = blocked.run_until_ended(1, timeout_s=20.0)[0]
    assert (outcome.state, outcome.reason) == (TaskState.ABORTED, Reason.BLOCKED)
    assert "robot 2, idle" in outcome.detail


def test_robot_drives_to_its_goal_once_it_is_left(blocked: SharedFloor) -> None:
    blocked.run(3.0)
    blocked.send({2: Pose2D(1.2, 0.3, 0.0)})
    assert {outcome.state for outcome in blocked.run_until_ended(2)} == {TaskState.SUCCEEDED}
    assert blocked.least_m >= APART_M


def test_robots_go_around_one_that_is_lost_in_their_way(tmp_path: Path) -> None:
    starts = [LEFT, Pose2D(0.8, 0.3, math.pi / 2), Pose2D(0.8, 1.4, 0.0)]
    floor = SharedFloor(tmp_path, starts, 1.6)
    floor.send({2: Pose2D(0.8, 1.1, math.pi / 2)})
    floor.run(4.0)
    floor.lab.cut_off(2)
    floor.send({1: RIGHT})
    outcomes = {outcome.robot_id: outcome for outcome in floor.run_until_ended(2)}
    assert outcomes[1].state is TaskState.SUCCEEDED
    assert outcomes[2].reason is Reason.ROBOT_LOST
    assert floor.least_m >= APART_M


def test_robots_too_near_to_each_other_separate(tmp_path: Path) -> None:
    near = Pose2D(0.4, 0.97, 0.0)
    floor = SharedFloor(tmp_path, [LEFT, near], 1.6)
    floor.send({1: Pose2D(0.4, 1.3, 0.0), 2: Pose2D(0.4, 0.3, 0.0)})
    assert {outcome.state for outcome in floor.run_until_ended(2)} == {TaskState.SUCCEEDED}
    assert floor.least_m >= APART_M


def test_robot_that_another_host_serves_leaves_no_ghost(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [LEFT, RIGHT], 1.6)
    floor.lab.service.yield_robot(2)
    floor.run(0.2)
    floor.lab.simulation.world.poses.array[1, :2] = 1.2, 0.3
    floor.send({1: RIGHT})
    assert floor.run_until_ended(1)[0].state is TaskState.SUCCEEDED


def test_teleoperated_robot_stops_before_another_robot(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [LEFT, RIGHT], 1.6)
    for _ in range(100):
        floor.lab.service.drive(1, Twist2D(0.14, 0.0), floor.lab.now_ns)
        floor.run(0.1)
    assert floor.least_m >= APART_M
    assert floor.lab.truth(1).x_m > 1.0


@pytest.mark.parametrize("at_m", [0.3, 0.25, 0.23, 0.21, 0.19])
def test_teleoperated_robot_stops_before_a_robot_without_a_link(at_m: float, tmp_path: Path) -> None:
    """It drives on until its script stops it."""
    floor = SharedFloor(tmp_path, [LEFT, RIGHT], 1.6)
    for _ in range(200):
        floor.lab.service.drive(1, Twist2D(0.14, 0.0), floor.lab.now_ns)
        floor.run(0.05)
        if floor.least_m <= at_m:
            break
    floor.lab.cut_off(1)
    floor.run(3.0)
    assert APART_M <= floor.least_m <= at_m


def test_teleoperated_robot_stops_before_a_wall(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [LEFT], 1.6, [(0.8, 0.0, 0.8, 1.6)])
    for _ in range(60):
        floor.lab.service.drive(1, Twist2D(0.14, 0.0), floor.lab.now_ns)
        floor.run(0.1)
    assert 0.6 < floor.lab.truth(1).x_m < 0.72


@pytest.mark.parametrize("speed_mps", [0.14, -0.14])
def test_teleoperated_robot_stops_before_the_edge_of_the_arena(speed_mps: float, tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [Pose2D(0.8, 0.5, math.pi / 2)], 1.6)
    for _ in range(120):
        floor.lab.service.drive(1, Twist2D(speed_mps, 0.0), floor.lab.now_ns)
        floor.run(0.1)
    y_m = floor.lab.truth(1).y_m
    assert 0.08 < min(y_m, 1.6 - y_m) < 0.1


def test_robot_outside_the_arena_may_drive_inward_only(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [Pose2D(0.8, 0.8, 0.0)], 1.6, arena_m=1.0)
    floor.lab.simulation.world.poses.array[0, :2] = 1.2, 0.8
    floor.run(3.0)
    places = []
    for speed_mps in (0.14, -0.14):
        for _ in range(50):
            floor.lab.service.drive(1, Twist2D(speed_mps, 0.0), floor.lab.now_ns)
            floor.run(0.1)
        places.append(floor.lab.truth(1).x_m)
    assert places[0] == pytest.approx(1.2, abs=0.01)
    assert places[1] < 0.8


def test_robot_behind_a_late_one_waits_for_it(tmp_path: Path) -> None:
    starts = [Pose2D(0.8, 0.2, math.pi / 2), Pose2D(0.3, 0.9, 0.0)]
    floor = SharedFloor(tmp_path, starts, 1.6)
    floor.send({1: Pose2D(0.8, 1.4, math.pi / 2), 2: Pose2D(1.4, 0.9, 0.0)})
    floor.run(1.5)
    floor.lab.simulation.world.wheels.gains[0] *= 0.6  # the robot that goes first gets slow
    outcomes = floor.run_until_ended(2)
    assert [outcome.state for outcome in outcomes] == [TaskState.SUCCEEDED] * 2
    assert floor.least_m >= APART_M


@pytest.mark.slow
@pytest.mark.parametrize("law", ["kanayama", "path_following", "pure_pursuit", "pd_pursuit"])
def test_robots_keep_apart_with_every_law(law: str, tmp_path: Path) -> None:
    starts = on_circle(5, 1.6)
    floor = SharedFloor(tmp_path, starts, 1.6, settings=f"tracker: {{law: {law}}}")
    floor.send({number: starts[(number + 1) % 5] for number in range(1, 6)})
    assert all(outcome.state is TaskState.SUCCEEDED for outcome in floor.run_until_ended(5))
    assert floor.least_m >= APART_M


def test_robot_alone_drives_as_without_traffic(tmp_path: Path) -> None:
    runs = []
    for enabled in ("true", "false"):
        folder = tmp_path / enabled
        folder.mkdir()
        lab = closed_loop(folder, 2, settings=f"traffic: {{enabled: {enabled}}}")
        lab.start()
        for robot_id in (1, 2):
            lab.service.assign(robot_id, go_to(f"{robot_id}", Pose2D(robot_id, 1.3, 1.0)), lab.now_ns)
        poses = []
        for _ in range(200):
            lab.run(0.05)
            poses.append((lab.truth(1), lab.truth(2)))
        runs.append(poses)
    assert runs[0] == runs[1]


def test_waiting_is_not_lack_of_progress(tmp_path: Path) -> None:
    settings = "tasks: {no_progress_s: 5, deadline_min_s: 10, deadline_factor: 1.5}"
    floor = SharedFloor(tmp_path, [LEFT, RIGHT], 1.6, settings=settings)
    floor.send({1: RIGHT})
    floor.run(12.0)
    assert floor.lab.outcomes == []
    floor.send({2: Pose2D(1.2, 0.3, 0.0)})
    assert {outcome.state for outcome in floor.run_until_ended(2)} == {TaskState.SUCCEEDED}


def test_robot_on_a_long_way_drives_around_a_robot_that_waits_for_long(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [Pose2D(0.3, 1.0, 0.0), Pose2D(2.0, 0.5, 0.5 * math.pi)], 3.0)
    floor.send({1: Pose2D(2.7, 1.0, 0.0)})
    floor.run(1.0)
    floor.send({2: Pose2D(2.0, 1.0, 0.5 * math.pi)})
    short, long = floor.run_until_ended(2)
    assert [short.robot_id, long.robot_id] == [2, 1]
    assert [short.state, long.state] == [TaskState.SUCCEEDED] * 2
    assert floor.least_m >= APART_M


@pytest.mark.parametrize(("goal_x_m", "nearest_m"), [(1.915, 0.083), (1.92, 0.074)])
def test_robot_comes_no_nearer_to_the_edge_than_its_goal(tmp_path: Path, goal_x_m: float, nearest_m: float) -> None:
    floor = SharedFloor(tmp_path, [Pose2D(1.4, 1.0, 0.0)], 2.0)
    floor.send({1: Pose2D(goal_x_m, 1.0, 0.0)})
    while not floor.lab.outcomes:
        floor.run(0.05)
        assert floor.lab.truth(1).x_m < 2.0 - nearest_m
    assert floor.lab.outcomes[0].state is TaskState.SUCCEEDED


def test_robot_keeps_its_distance_from_an_unseen_slipping_robot(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [Pose2D(0.65, 0.8, math.pi), LEFT], 1.6)
    lab = floor.lab
    lab.simulation.world.wheels.gains[lab.index(1)] *= 0.5
    for step in range(26):
        if step == 10:
            lab.hidden.add(1)
        lab.service.drive(1, Twist2D(-0.14, 0.0), lab.now_ns)
        lab.service.drive(2, Twist2D(0.14, 0.0), lab.now_ns)
        floor.run(0.1)
    estimate = lab.service.robot(1).telemetry.estimate
    assert estimate is not None
    assert estimate.pose.distance_to(lab.truth(1)) > 0.08
    assert floor.least_m >= APART_M
