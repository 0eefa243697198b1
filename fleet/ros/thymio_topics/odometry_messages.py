"""Converts wheel odometry to messages: odometry, joints and transforms; pure functions."""

from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry as OdometryMessage
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from aseba_link.thymio.events import SPEED_UNIT_MPS
from fleet.geometry import Pose2D
from fleet.interface.conversions import quaternion_to_ros
from fleet.localization.odometer import Odometry
from fleet.localization.state_covariance import StateCovariance

WHEEL_RADIUS_M = 0.022
WHEEL_JOINTS = ("left_wheel_joint", "right_wheel_joint")  # as in ros-thymio's URDF

_WHEEL_SPEED_VARIANCE_M2PS2 = (10 * SPEED_UNIT_MPS) ** 2 / 3.0  # measured speeds are off by up to 10 motor units
_PLANAR_VARIANCE = 1e-6  # of motion that floor and wheels prevent: height, roll, pitch, sideways; 1 mm, 1 mrad
_X, _Y, _YAW = 0, 1, 5  # rows of the 6 by 6 matrices


def frame_name(robot_name: str, frame: str) -> str:
    """Return the name of one robot's frame, such as robot_1/base_link."""
    return f"{robot_name}/{frame}"


def odometry_to_ros(odometry: Odometry, header: Header, child_frame: str, axle_length_m: float) -> OdometryMessage:
    """Return the odometry message; the twist is in the child frame, as the message defines it."""
    message = OdometryMessage(header=header, child_frame_id=child_frame)
    message.pose.pose.position.x = odometry.pose.x_m
    message.pose.pose.position.y = odometry.pose.y_m
    message.pose.pose.orientation = quaternion_to_ros(odometry.pose.heading_rad)
    message.pose.covariance = _pose_covariance_to_ros(odometry.covariance)
    message.twist.twist.linear.x = odometry.twist.linear_mps
    message.twist.twist.angular.z = odometry.twist.angular_radps
    message.twist.covariance = _twist_covariance_to_ros(axle_length_m)
    return message


def joint_states_to_ros(odometry: Odometry, robot_name: str, header: Header) -> JointState:
    """Return angle [rad] and speed [rad/s] of both wheels, left and right; forward is positive."""
    rolled_m = (odometry.left_m, odometry.right_m)
    speeds_mps = (odometry.speeds.left_mps, odometry.speeds.right_mps)
    return JointState(
        header=header,
        name=[frame_name(robot_name, joint) for joint in WHEEL_JOINTS],
        position=[distance_m / WHEEL_RADIUS_M for distance_m in rolled_m],
        velocity=[speed_mps / WHEEL_RADIUS_M for speed_mps in speeds_mps],
    )


def transform_to_ros(pose: Pose2D, header: Header, child_frame: str) -> TransformStamped:
    """Return the transform from the header's frame to a frame that lies at `pose` in it."""
    message = TransformStamped(header=header, child_frame_id=child_frame)
    message.transform.translation.x = pose.x_m
    message.transform.translation.y = pose.y_m
    message.transform.rotation = quaternion_to_ros(pose.heading_rad)
    return message


def _pose_covariance_to_ros(covariance: StateCovariance) -> list[float]:
    """Return the row-major matrix over x, y, z, roll, pitch, yaw; certain entries are set to 1 mm and 1 mrad."""
    matrix = _diagonal(_PLANAR_VARIANCE)
    for row, shares in ((_X, covariance.x_row), (_Y, covariance.y_row), (_YAW, covariance.heading_row)):
        for column, value in zip((_X, _Y, _YAW), shares, strict=False):  # without those of the gains
            matrix[6 * row + column] += value
    return matrix


def _twist_covariance_to_ros(axle_length_m: float) -> list[float]:
    """Return the twist covariance: v is half the sum of the wheel speeds, omega their difference over the axle."""
    matrix = _diagonal(_PLANAR_VARIANCE)
    matrix[6 * _X + _X] = 0.5 * _WHEEL_SPEED_VARIANCE_M2PS2
    matrix[6 * _YAW + _YAW] = 2.0 * _WHEEL_SPEED_VARIANCE_M2PS2 / axle_length_m**2
    return matrix


def _diagonal(value: float) -> list[float]:
    return [value if index % 7 == 0 else 0.0 for index in range(36)]
