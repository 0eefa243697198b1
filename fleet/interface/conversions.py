"""Converts between poses and ROS messages: pure functions, `x_to_ros` and `x_from_ros`."""

import math
from collections.abc import Iterable
from typing import Final

from geometry_msgs.msg import PoseStamped, Quaternion

from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D, wrap_angle
from fleet.reason import Reason
from fleet.settings.motion_capture import Z_UP, FloorAxes, MotionCaptureConfig
from thymio_base.heading import heading_quaternion
from thymio_base.ros.stamped_poses import StampedPose, stamped_pose_from_ros
from thymio_base.ros.stamps import time_to_ros
from thymio_base.texts.bounds import FARTHEST_M, is_near

_NORM_TOLERANCE: Final = 0.1  # quaternions up to this far from unit length are normalized, others are refused
_FRAME_SHOWN: Final = 60  # characters of another frame
_MAX_TILT_RAD: Final = math.radians(10.0)


def quaternion_to_ros(heading_rad: float) -> Quaternion:
    """Return the rotation about z, with w >= 0."""
    z, w = heading_quaternion(heading_rad)
    return Quaternion(x=0.0, y=0.0, z=z, w=w)


def pose_to_ros(pose: Pose2D, stamp_ns: int, frame: str) -> PoseStamped:
    """Return the message of a pose in the plane z = 0."""
    message = PoseStamped()
    message.header.stamp = time_to_ros(stamp_ns)
    message.header.frame_id = frame
    message.pose.position.x = float(pose.x_m)  # an int, as of a user's program, would be sent as 0
    message.pose.position.y = float(pose.y_m)
    message.pose.orientation = quaternion_to_ros(pose.heading_rad)
    return message


def heading_from_ros(quaternion: Quaternion, axes: FloorAxes = Z_UP) -> float:
    """Return the heading of a rotation, in (-pi, pi].

    Raises
    ------
    GoalRejectedError
        A component is not finite, the length is not near 1, or the rotation tilts by more than 10 degrees.
    """
    return _heading((quaternion.x, quaternion.y, quaternion.z, quaternion.w), axes)


def _heading(parts: tuple[float, float, float, float], axes: FloorAxes) -> float:
    x, y, z, w = parts
    norm = math.sqrt(x * x + y * y + z * z + w * w)
    if not math.isfinite(norm) and not all(map(math.isfinite, parts)):
        raise GoalRejectedError(Reason.NON_FINITE_POSE, f"orientation {_text(parts)} is not finite; send numbers")
    if abs(norm - 1.0) > _NORM_TOLERANCE:
        raise GoalRejectedError(
            Reason.BAD_QUATERNION,
            f"orientation {_text(parts)} has length {norm:.3g}, not 1 (10 % are tolerated); (0, 0, 0, 1) is heading 0",
        )
    unit = (x / norm, y / norm, z / norm, w / norm)
    if axes.tilt_rad(unit) > _MAX_TILT_RAD:
        raise GoalRejectedError(
            Reason.BAD_QUATERNION,
            f"orientation {_text(parts)} tilts by {math.degrees(axes.tilt_rad(unit)):.0f} degrees from "
            f"{axes.up.value}, at most 10",
        )
    return wrap_angle(axes.heading_rad(unit))


def pose_from_ros(message: PoseStamped, frame: str) -> Pose2D:
    """Return the pose in the plane; an empty frame_id means `frame`, height is ignored.

    Raises
    ------
    GoalRejectedError
        The frame is a different one, a coordinate is not finite or far away, or the orientation is not a heading.
    """
    return pose_in_plane(stamped_pose_from_ros(message), frame)


def pose_in_plane(stamped: StampedPose, frame: str) -> Pose2D:
    """Return the pose in the plane; see `pose_from_ros`."""
    x_m, y_m, _ = _position(stamped, frame)
    if not is_near(x_m, y_m):
        text = f"position {_text(stamped.position)} is more than {FARTHEST_M:g} m away"
        raise GoalRejectedError(Reason.OUT_OF_ARENA, text)
    return Pose2D(x_m, y_m, _heading(stamped.orientation, Z_UP))


def measured_pose(stamped: StampedPose, capture: MotionCaptureConfig, marker: Pose2D) -> Pose2D:
    """Return the pose of a robot's axle in the fleet's frame, from its marker's pose by motion capture.

    Raises
    ------
    GoalRejectedError
        As `pose_from_ros`.
    """
    position = _position(stamped, capture.frame)
    return capture.robot_pose(position, _heading(stamped.orientation, capture.axes), marker)


def measured_pose_from_ros(message: PoseStamped, capture: MotionCaptureConfig, marker: Pose2D) -> Pose2D:
    """See `measured_pose`."""
    return measured_pose(stamped_pose_from_ros(message), capture, marker)


def _position(stamped: StampedPose, frame: str) -> tuple[float, float, float]:
    if stamped.frame not in ("", frame):
        raise GoalRejectedError(Reason.UNKNOWN_FRAME, _frame_problem(stamped.frame, frame))
    x, y, z = stamped.position
    if not math.isfinite(x + y + z) and not all(map(math.isfinite, stamped.position)):
        raise GoalRejectedError(
            Reason.NON_FINITE_POSE, f"position {_text(stamped.position)} is not finite; send numbers"
        )
    return stamped.position


def _frame_problem(found: str, frame: str) -> str:
    shown = found if len(found) <= _FRAME_SHOWN else f"{found[:_FRAME_SHOWN]}..."
    if found.lstrip("/") == frame:
        return f"frame {shown!r} is not {frame!r}; frames of tf2 have no leading slash"
    return f"frame {shown!r} is not {frame!r}; send poses in that"


def _text(parts: Iterable[float]) -> str:
    return "(" + ", ".join(f"{part:g}" for part in parts) + ")"
