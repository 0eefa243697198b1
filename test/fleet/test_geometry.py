import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.geometry import Pose2D, wrap_angle

angles = st.floats(-100.0, 100.0)
lengths = st.floats(-10.0, 10.0)
poses = st.builds(Pose2D, lengths, lengths, angles)


def assert_same_place(first: Pose2D, second: Pose2D) -> None:
    assert (first.x_m, first.y_m) == pytest.approx((second.x_m, second.y_m), abs=1e-9)
    assert math.cos(first.heading_rad - second.heading_rad) == pytest.approx(1.0)


@given(angles)
def test_a_wrapped_angle_is_the_same_direction_within_half_a_turn(angle: float) -> None:
    wrapped = wrap_angle(angle)
    assert -math.pi < wrapped <= math.pi
    assert (math.cos(wrapped), math.sin(wrapped)) == pytest.approx((math.cos(angle), math.sin(angle)), abs=1e-9)


def test_half_a_turn_wraps_to_plus_pi_from_both_sides() -> None:
    assert wrap_angle(math.pi) == wrap_angle(-math.pi) == math.pi


@pytest.mark.parametrize("angle", [math.inf, -math.inf, math.nan])
def test_non_finite_angle_is_refused(angle: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        wrap_angle(angle)


@given(poses)
def test_pose_composed_with_its_inverse_is_the_origin(pose: Pose2D) -> None:
    assert_same_place(pose.compose(pose.inverse()), Pose2D(0.0, 0.0, 0.0))


@given(poses, poses)
def test_relative_pose_composed_with_its_origin_is_the_pose(origin: Pose2D, pose: Pose2D) -> None:
    assert_same_place(origin.compose(pose.relative_to(origin)), pose)


def test_metre_ahead_of_a_robot_heading_along_y_is_a_metre_along_y() -> None:
    assert_same_place(Pose2D(1.0, 2.0, math.pi / 2).compose(Pose2D(1.0, 0.0, 0.0)), Pose2D(1.0, 3.0, math.pi / 2))


def test_heading_error_takes_the_short_way_round() -> None:
    assert Pose2D(0, 0, math.radians(170)).heading_error_to(Pose2D(0, 0, math.radians(-170))) == pytest.approx(
        math.radians(20)
    )
