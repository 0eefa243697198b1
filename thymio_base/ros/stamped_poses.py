"""Reads geometry_msgs/PoseStamped from bytes: poses arrive by the thousand, and each message consists of six objects.

`thymio_base.cdr` describes the encoding and writes poses.
"""

import struct
from dataclasses import dataclass
from typing import Final

from geometry_msgs.msg import PoseStamped
from rclpy.serialization import deserialize_message

from thymio_base.cdr import FLOAT64_BYTES, PREFIX_BYTES, aligned
from thymio_base.ros.stamps import time_from_ros

_HEADS: Final = (struct.Struct(">iII"), struct.Struct("<iII"))  # seconds, nanoseconds, size of frame_id with its NUL
_HEAD_BYTES: Final = 12
_BODIES: Final = (struct.Struct(">7d"), struct.Struct("<7d"))  # position, orientation


@dataclass(init=False, unsafe_hash=True, slots=True)
class StampedPose:
    """The content of a PoseStamped.

    Parameters
    ----------
    stamp_ns : stamp of the header
    frame : frame_id of the header
    position : x, y, z
    orientation : x, y, z, w
    """

    stamp_ns: Final[int]
    frame: Final[str]
    position: Final[tuple[float, float, float]]
    orientation: Final[tuple[float, float, float, float]]

    def __init__(
        self,
        stamp_ns: int,
        frame: str,
        position: tuple[float, float, float],
        orientation: tuple[float, float, float, float],
    ) -> None:
        self.stamp_ns = stamp_ns
        self.frame = frame
        self.position = position
        self.orientation = orientation


def stamped_pose_from_ros(message: PoseStamped) -> StampedPose:
    """Return the content of a message."""
    position, orientation = message.pose.position, message.pose.orientation
    return StampedPose(
        time_from_ros(message.header.stamp),
        message.header.frame_id,
        (position.x, position.y, position.z),
        (orientation.x, orientation.y, orientation.z, orientation.w),
    )


def read_pose(data: bytes) -> StampedPose:
    """Return the content of a serialized PoseStamped.

    Raises
    ------
    ValueError
        The bytes are not a PoseStamped.
    """
    try:
        order = data[1]
        if data[0] != 0 or order > 1:
            return stamped_pose_from_ros(deserialize_message(data, PoseStamped))
        seconds, nanoseconds, size = _HEADS[order].unpack_from(data, PREFIX_BYTES)
        start = PREFIX_BYTES + _HEAD_BYTES
        frame = data[start : start + size - 1].decode()
        body = PREFIX_BYTES + aligned(_HEAD_BYTES + size, FLOAT64_BYTES)
        x, y, z, qx, qy, qz, qw = _BODIES[order].unpack_from(data, body)
    except (IndexError, RuntimeError, struct.error) as error:
        raise ValueError(f"{len(data)} bytes are not a pose: {error}") from error
    return StampedPose(seconds * 1_000_000_000 + nanoseconds, frame, (x, y, z), (qx, qy, qz, qw))
