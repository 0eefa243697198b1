"""Conversion of places to and from ROS messages."""

import math

from geometry_msgs.msg import Pose

from simulator.simulation.refusal import Refusal, RefusedError
from simulator.simulation.simulation_control import Place
from thymio_base.heading import heading_quaternion
from thymio_base.texts.bounds import FARTHEST_M
from thymio_base.texts.shortened import shortened

FRAME = "map"

_SLACK = 0.01  # deviation from a unit quaternion


def pose_to_ros(x_m: float, y_m: float, heading_rad: float) -> Pose:
    """Return a pose in the plane as a message."""
    pose = Pose()
    pose.position.x, pose.position.y = x_m, y_m
    pose.orientation.z, pose.orientation.w = heading_quaternion(heading_rad)
    return pose


def place_from_ros(frame: str, pose: Pose) -> Place:
    """Return the place in the plane; height is ignored.

    Raises
    ------
    RefusedError
        The frame is not `FRAME`, the position is too far away or not a number, or the robot would not be upright.
    """
    if frame not in ("", FRAME):
        raise RefusedError(Refusal.BAD_PLACE, f"frame {shortened(frame)!r} is not {FRAME!r}")
    x_m, y_m, turn = pose.position.x, pose.position.y, pose.orientation
    if not (abs(x_m) <= FARTHEST_M and abs(y_m) <= FARTHEST_M):
        raise RefusedError(Refusal.BAD_PLACE, f"position ({x_m:g}, {y_m:g}) is not within {FARTHEST_M:g} m")
    length = math.hypot(turn.x, turn.y, turn.z, turn.w)
    if not abs(length - 1.0) < _SLACK or math.hypot(turn.x, turn.y) > _SLACK:
        raise RefusedError(
            Refusal.BAD_PLACE,
            f"orientation ({turn.x:g}, {turn.y:g}, {turn.z:g}, {turn.w:g}) is not that of an upright robot",
        )
    return x_m, y_m, 2.0 * math.atan2(turn.z, turn.w)
