import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.geometry import Pose2D, Twist2D
from fleet.wheels.differential_drive import DifferentialDrive, is_still

DRIVE = DifferentialDrive(axle_length_m=0.1, max_wheel_mps=0.16)


def test_wheels_have_equal_speeds_on_a_straight() -> None:
    speeds = DRIVE.wheel_speeds(Twist2D(0.1, 0.0))
    assert (speeds.left_mps, speeds.right_mps) == (0.1, 0.1)


def test_right_wheel_is_faster_in_a_left_turn() -> None:
    speeds = DRIVE.wheel_speeds(Twist2D(0.0, 1.0))
    assert (speeds.left_mps, speeds.right_mps) == (-0.05, 0.05)


@given(st.floats(-5.0, 5.0), st.floats(-50.0, 50.0))
def test_limited_wheels_keep_the_curvature(linear: float, angular: float) -> None:
    speeds = DRIVE.wheel_speeds(Twist2D(linear, angular))
    limited_linear = 0.5 * (speeds.left_mps + speeds.right_mps)
    limited_angular = (speeds.right_mps - speeds.left_mps) / 0.1
    assert max(abs(speeds.left_mps), abs(speeds.right_mps)) <= 0.16 + 1e-12
    assert limited_linear * angular == pytest.approx(limited_angular * linear, abs=1e-9)


def test_equal_travel_moves_the_robot_along_its_heading() -> None:
    pose = DRIVE.advance(Pose2D(1.0, 1.0, math.pi / 2), 0.3, 0.3)
    assert (pose.x_m, pose.y_m, pose.heading_rad) == pytest.approx((1.0, 1.3, math.pi / 2))


def test_quarter_circle_ends_at_the_geometric_end_point() -> None:
    radius = 0.5
    left, right = (radius - 0.05) * math.pi / 2, (radius + 0.05) * math.pi / 2
    pose = DRIVE.advance(Pose2D(0.0, 0.0, 0.0), left, right)
    assert (pose.x_m, pose.y_m, pose.heading_rad) == pytest.approx((radius, radius, math.pi / 2))


@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.integers(2, 20))
def test_arc_driven_in_many_steps_equals_one_step(left: float, right: float, pieces: int) -> None:
    whole = DRIVE.advance(Pose2D(0.0, 0.0, 0.0), left, right)
    pose = Pose2D(0.0, 0.0, 0.0)
    for _ in range(pieces):
        pose = DRIVE.advance(pose, left / pieces, right / pieces)
    assert pose.distance_to(whole) == pytest.approx(0.0, abs=1e-9)


def test_creeping_robot_counts_as_still_and_a_rolling_one_does_not() -> None:
    assert is_still(Twist2D(0.002, 0.01))
    assert not is_still(Twist2D(0.05, 0.0))
    assert not is_still(Twist2D(0.0, 0.5))
