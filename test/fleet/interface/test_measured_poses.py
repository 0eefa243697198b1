"""Motion-capture messages of any convention become poses of the axle in the fleet's frame."""

import math
from dataclasses import replace

import pytest
from geometry_msgs.msg import PoseStamped

from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D
from fleet.interface.conversions import measured_pose_from_ros, pose_from_ros, pose_to_ros
from fleet.reason import Reason
from fleet.settings.motion_capture import Z_UP, Axis, FloorAxes, MotionCaptureConfig

NOWHERE = Pose2D(0.0, 0.0, 0.0)
CAPTURE = MotionCaptureConfig("map", Z_UP, 1.0, NOWHERE)
OPTITRACK = MotionCaptureConfig("world", FloorAxes(Axis.Y, Axis.X, Axis.MINUS_Z), 0.001, NOWHERE)


def message(frame: str, position: tuple[float, ...], orientation: tuple[float, ...]) -> PoseStamped:
    made = PoseStamped()
    made.header.frame_id = frame
    made.pose.position.x, made.pose.position.y, made.pose.position.z = position
    turned = made.pose.orientation
    turned.x, turned.y, turned.z, turned.w = orientation
    return made


def about_y(angle_rad: float) -> tuple[float, float, float, float]:
    return 0.0, math.sin(0.5 * angle_rad), 0.0, math.cos(0.5 * angle_rad)


def rejection_of(made: PoseStamped, capture: MotionCaptureConfig) -> GoalRejectedError:
    with pytest.raises(GoalRejectedError) as caught:
        measured_pose_from_ros(made, capture, NOWHERE)
    return caught.value


def test_message_in_our_own_convention_is_read_unchanged() -> None:
    pose = Pose2D(1.0, 2.0, -2.5)
    read = measured_pose_from_ros(pose_to_ros(pose, 0, "map"), CAPTURE, NOWHERE)
    assert read.distance_to(pose) == pytest.approx(0.0)
    assert read.heading_error_to(pose) == pytest.approx(0.0)


def test_a_y_up_message_in_millimetres_is_read() -> None:
    pose = measured_pose_from_ros(message("world", (1000.0, 80.0, -500.0), about_y(0.7)), OPTITRACK, NOWHERE)
    assert (pose.x_m, pose.y_m, pose.heading_rad) == pytest.approx((1.0, 0.5, 0.7))


def test_marker_offset_is_removed() -> None:
    pose = measured_pose_from_ros(
        message("", (1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)), CAPTURE, Pose2D(0.03, 0.01, math.pi / 2)
    )
    # a marker that points left when the robot's heading is 0 points along 0 when the robot heads right
    assert (pose.x_m, pose.y_m, pose.heading_rad) == pytest.approx((0.99, 0.03, -math.pi / 2))


def test_unexpected_frame_is_refused() -> None:
    made = message("map", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    assert rejection_of(made, OPTITRACK).reason is Reason.UNKNOWN_FRAME
    assert measured_pose_from_ros(made, replace(OPTITRACK, frame="map"), NOWHERE) == NOWHERE


def test_rotation_about_another_axis_than_up_is_refused_with_the_axis() -> None:
    error = rejection_of(message("map", (0.0, 0.0, 0.0), about_y(0.7)), CAPTURE)
    assert error.reason is Reason.BAD_QUATERNION
    assert str(error).endswith("tilts by 40 degrees from z, at most 10")


@pytest.mark.parametrize("capture", [CAPTURE, replace(OPTITRACK, frame="map")])
def test_non_finite_poses_are_refused(capture: MotionCaptureConfig) -> None:
    made = message("map", (0.0, math.nan, 0.0), (0.0, 0.0, 0.0, 1.0))
    assert rejection_of(made, capture).reason is Reason.NON_FINITE_POSE


def test_goals_use_the_fleets_convention() -> None:
    made = message("map", (1.0, 2.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    assert pose_from_ros(made, "map") == Pose2D(1.0, 2.0, 0.0)
    with pytest.raises(GoalRejectedError):
        pose_from_ros(message("map", (1.0, 0.0, 2.0), about_y(0.7)), "map")
