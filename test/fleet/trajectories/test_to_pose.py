import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.geometry import STILL, Pose2D
from fleet.paths.path import Path
from fleet.paths.pieces import Line
from fleet.trajectories.limits import Limits
from fleet.trajectories.time_bound import least_time_s
from fleet.trajectories.to_pose import path_from, plan_to_pose
from harness.path_strategies import poses

LIMITS = Limits(speed_mps=0.1, acceleration_mps2=0.2, turn_radps=2.0, turn_acceleration_radps2=4.0, wheel_mps=0.15)
START = Pose2D(0.0, 0.0, 0.0)


@given(poses, poses)
def test_a_plan_ends_at_rest_at_the_goal(start: Pose2D, goal: Pose2D) -> None:
    plan = plan_to_pose(start, goal, LIMITS)
    last = plan.sample(plan.duration_s + 1.0)
    assert last.twist == STILL
    assert last.pose.distance_to(goal) < 0.005
    assert abs(last.pose.heading_error_to(goal)) < 1e-9


@given(poses, poses, st.floats(0.0, 1.0))
def test_the_reference_never_jumps(start: Pose2D, goal: Pose2D, share: float) -> None:
    plan = plan_to_pose(start, goal, LIMITS)
    time_s = share * plan.duration_s
    now, next_ = plan.sample(time_s).pose, plan.sample(time_s + 0.001).pose
    assert now.distance_to(next_) <= 0.1 * 0.001 + 1e-9
    assert abs(now.heading_error_to(next_)) <= 2.0 * 0.001 + 1e-9


def test_turns_take_the_short_way_round() -> None:
    plan = plan_to_pose(Pose2D(0, 0, math.radians(170)), Pose2D(-1.0, 0.0, math.radians(-170)), LIMITS)
    assert [round(math.degrees(piece.turn_rad)) for piece in plan.path.pieces] == [10, 0, 10]


@given(poses, poses)
def test_no_turn_exceeds_half_a_revolution(start: Pose2D, goal: Pose2D) -> None:
    assert all(abs(piece.turn_rad) <= math.pi for piece in plan_to_pose(start, goal, LIMITS).path.pieces)


def test_a_goal_behind_is_reached_backward() -> None:
    plan = plan_to_pose(START, Pose2D(-0.5, 0.0, 0.1), LIMITS)
    assert plan.sample(3.0).twist.linear_mps == pytest.approx(-0.1)


def test_a_goal_behind_is_reached_forward_where_backward_is_forbidden() -> None:
    plan = plan_to_pose(START, Pose2D(-0.5, 0.0, 0.1), LIMITS, backward=False)
    assert all(not piece.is_backward for piece in plan.path.pieces)


def test_forward_is_preferred_when_both_directions_take_the_same_time() -> None:
    plan = plan_to_pose(START, Pose2D(0.0, 0.5, 0.0), LIMITS)
    assert all(not piece.is_backward for piece in plan.path.pieces)


@given(poses, poses)
def test_robot_drives_backward_only_where_it_is_faster(start: Pose2D, goal: Pose2D) -> None:
    free, forward = plan_to_pose(start, goal, LIMITS), plan_to_pose(start, goal, LIMITS, backward=False)
    assert free.duration_s <= forward.duration_s


def test_goal_within_a_hair_is_reached_by_turning_alone() -> None:
    plan = plan_to_pose(START, Pose2D(-0.004, 0.0, 1.0), LIMITS)
    assert len(plan.legs) == 1
    assert plan.sample(99.0).pose == Pose2D(0.0, 0.0, 1.0)


def test_plan_from_the_goal_takes_no_time() -> None:
    assert plan_to_pose(START, START, LIMITS).duration_s == 0.0


@given(poses, poses)
def test_no_plan_is_faster_than_the_bound(start: Pose2D, goal: Pose2D) -> None:
    plan = plan_to_pose(start, goal, LIMITS)
    assert least_time_s(start, plan.path.end, LIMITS) <= plan.duration_s + 1e-9


def test_path_that_starts_elsewhere_is_preceded_by_a_drive_to_it() -> None:
    path = path_from(START, Path([Line(Pose2D(0.3, 0.4, 0.0), 1.0)]))
    assert path.start == START
    assert path.length_m == pytest.approx(1.5)


def test_path_that_starts_here_is_preceded_by_a_turn() -> None:
    path = path_from(Pose2D(0.0, 0.0, 1.0), Path([Line(START, 1.0)]))
    assert [leg.turn_rad for leg in path.legs] == [-1.0]
