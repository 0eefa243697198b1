import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.config import MotionConfig
from fleet.geometry import STILL, Pose2D
from fleet.trajectory import Straight, Trapezoid, plan_to_pose

MOTION = MotionConfig(speed_mps=0.1, acceleration_mps2=0.2, turn_radps=2.0, turn_acceleration_radps2=4.0)
START = Pose2D(0.0, 0.0, 0.0)

profiles = st.builds(Trapezoid, st.floats(0.0, 5.0), st.floats(0.01, 3.0), st.floats(0.05, 10.0))
places = st.builds(Pose2D, st.floats(-2.0, 2.0), st.floats(-2.0, 2.0), st.floats(-3.1, 3.1))


def test_a_long_trapezoid_lasts_its_cruise_and_one_ramp() -> None:
    assert Trapezoid(1.0, 0.1, 0.2).duration_s == pytest.approx(1.0 / 0.1 + 0.1 / 0.2)


def test_a_short_trapezoid_is_a_triangle() -> None:
    profile = Trapezoid(0.02, 0.1, 0.2)
    assert profile.duration_s == pytest.approx(2.0 * math.sqrt(0.02 / 0.2))
    assert profile.peak_speed == pytest.approx(math.sqrt(0.02 * 0.2))


def test_no_distance_takes_no_time() -> None:
    assert Trapezoid(0.0, 0.1, 0.2).duration_s == 0.0
    assert Trapezoid(0.0, 0.1, 0.2).sample(0.0) == (0.0, 0.0)


@given(profiles)
def test_a_profile_rests_at_both_ends(profile: Trapezoid) -> None:
    assert profile.sample(-1.0) == (0.0, 0.0)
    assert profile.sample(profile.duration_s + 1.0) == (profile.distance, 0.0)


@given(profiles, st.floats(0.0, 1.0))
def test_the_speed_is_the_slope_of_the_distance(profile: Trapezoid, share: float) -> None:
    time_s, step_s = share * profile.duration_s, 1e-6
    before, after = profile.sample(time_s - step_s)[0], profile.sample(time_s + step_s)[0]
    assert profile.sample(time_s)[1] == pytest.approx((after - before) / (2 * step_s), abs=1e-4)


@given(places, places)
def test_a_plan_ends_at_rest_at_the_goal(start: Pose2D, goal: Pose2D) -> None:
    plan = plan_to_pose(start, goal, MOTION)
    last = plan.sample(plan.duration_s + 1.0)
    assert last.twist == STILL
    assert last.pose.distance_to(goal) < 0.005
    assert abs(last.pose.heading_error_to(goal)) < 1e-9


@given(places, places, st.floats(0.0, 1.0))
def test_the_reference_never_jumps(start: Pose2D, goal: Pose2D, share: float) -> None:
    plan = plan_to_pose(start, goal, MOTION)
    time_s = share * plan.duration_s
    now, next_ = plan.sample(time_s).pose, plan.sample(time_s + 0.001).pose
    assert now.distance_to(next_) <= 0.1 * 0.001 + 1e-9
    assert abs(now.heading_error_to(next_)) <= 2.0 * 0.001 + 1e-9


def test_turns_go_the_short_way_round() -> None:
    plan = plan_to_pose(Pose2D(0, 0, math.radians(170)), Pose2D(-1.0, 0.0, math.radians(-170)), MOTION)
    assert [
        round(math.degrees(segment.angle_rad)) for segment in plan.segments if not isinstance(segment, Straight)
    ] == [
        10,
        10,
    ]


def test_a_goal_a_hair_away_is_reached_by_turning_alone() -> None:
    plan = plan_to_pose(START, Pose2D(-0.004, 0.0, 1.0), MOTION)
    assert len(plan.segments) == 1
    assert plan.sample(99.0).pose == Pose2D(0.0, 0.0, 1.0)


def test_a_plan_from_the_goal_lasts_no_time() -> None:
    assert plan_to_pose(START, START, MOTION).duration_s == 0.0
