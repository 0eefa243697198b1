"""Odometry as messages."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.geometry import Pose2D, Twist2D
from fleet.localization.odometer import Odometry
from fleet.localization.pose_covariance import after_travel
from fleet.localization.state_covariance import diagonal
from fleet.ros.thymio_topics.odometry_messages import frame_name, joint_states_to_ros, odometry_to_ros, transform_to_ros
from fleet.ros.thymio_topics.sensor_messages import header_to_ros
from fleet.wheels.differential_drive import WheelSpeeds

AXLE_M = 0.094
CERTAIN = diagonal(0.0, 0.0, 0.0, 0.0, 0.0)
HEADER = header_to_ros(2_000_000_000, "robot_1/odom")
ODOMETRY = Odometry(
    stamp_ns=0,
    pose=Pose2D(0.3, -0.2, 0.5),
    covariance=after_travel(CERTAIN, 0.2, 0.3, 0.0, AXLE_M),
    twist=Twist2D(0.1, -0.4),
    left_m=0.22,
    right_m=-0.11,
    speeds=WheelSpeeds(0.044, -0.022),
)


def message(odometry: Odometry = ODOMETRY):
    return odometry_to_ros(odometry, HEADER, "robot_1/base_link", AXLE_M)


def test_frames_carry_the_robots_name() -> None:
    assert frame_name("robot_7", "base_link") == "robot_7/base_link"


def test_odometry_names_its_frames() -> None:
    assert (message().header.frame_id, message().child_frame_id) == ("robot_1/odom", "robot_1/base_link")
    assert message().header.stamp.sec == 2


def test_pose_and_twist_are_planar() -> None:
    pose, twist = message().pose.pose, message().twist.twist
    assert (pose.position.x, pose.position.y, pose.position.z) == (0.3, -0.2, 0.0)
    assert (pose.orientation.z, pose.orientation.w) == pytest.approx((math.sin(0.25), math.cos(0.25)))
    assert (twist.linear.x, twist.linear.y, twist.angular.z) == (0.1, 0.0, -0.4)


@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_covariances_are_symmetric_and_positive(left_m: float, right_m: float, heading_rad: float) -> None:
    covariance = after_travel(CERTAIN, left_m, right_m, heading_rad, AXLE_M)
    odometry_message = message(Odometry(0, ODOMETRY.pose, covariance, ODOMETRY.twist, 0.0, 0.0, ODOMETRY.speeds))
    for values in (odometry_message.pose.covariance, odometry_message.twist.covariance):
        matrix = np.array(values).reshape(6, 6)
        assert np.array_equal(matrix, matrix.T)
        assert np.linalg.eigvalsh(matrix).min() > 0.0


def test_pose_covariance_is_that_of_the_odometer() -> None:
    matrix = np.array(message().pose.covariance).reshape(6, 6)
    entries = [matrix[0, 0], matrix[0, 1], matrix[0, 5], matrix[1, 1], matrix[1, 5], matrix[5, 5]]
    xx, xy, xh, _, _, yy, yh, _, _, hh, *_ = ODOMETRY.covariance.upper
    assert entries == pytest.approx([xx + 1e-6, xy, xh, yy + 1e-6, yh, hh + 1e-6])


def test_twist_covariance_follows_from_both_wheels() -> None:
    matrix = np.array(message().twist.covariance).reshape(6, 6)
    wheel = (10 * 0.000332) ** 2 / 3
    assert (matrix[0, 0], matrix[5, 5]) == pytest.approx((wheel / 2, 2 * wheel / AXLE_M**2))


def test_joint_angles_and_rates_follow_the_wheels() -> None:
    joints = joint_states_to_ros(ODOMETRY, "robot_1", HEADER)
    assert joints.name == ["robot_1/left_wheel_joint", "robot_1/right_wheel_joint"]
    assert list(joints.position) == pytest.approx([10.0, -5.0])
    assert list(joints.velocity) == pytest.approx([2.0, -1.0])


def test_a_transform_is_the_pose_of_the_child() -> None:
    transform_message = transform_to_ros(Pose2D(1.0, 2.0, math.pi / 2), HEADER, "robot_1/base_link")
    translation, rotation = transform_message.transform.translation, transform_message.transform.rotation
    assert (transform_message.header.frame_id, transform_message.child_frame_id) == (
        "robot_1/odom",
        "robot_1/base_link",
    )
    assert (translation.x, translation.y, translation.z) == (1.0, 2.0, 0.0)
    assert (rotation.z, rotation.w) == pytest.approx((math.sqrt(0.5), math.sqrt(0.5)))
