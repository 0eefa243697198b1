"""Reads geometry_msgs/PoseArray from bytes, because each pose would be three objects.

`thymio_base.cdr` describes the encoding.
"""

import struct
from typing import Final

from geometry_msgs.msg import PoseArray
from rclpy.serialization import deserialize_message

from thymio_base.cdr import FLOAT64_BYTES, PREFIX_BYTES, aligned
from thymio_base.ros.stamped_poses import StampedPose
from thymio_base.ros.stamps import time_from_ros

_HEADS: Final = (struct.Struct(">iII"), struct.Struct("<iII"))  # seconds, nanoseconds, size of frame_id with its NUL
_HEAD_BYTES: Final = 12
_COUNTS: Final = (struct.Struct(">I"), struct.Struct("<I"))
_COUNT_BYTES: Final = 4
_BODIES: Final = (struct.Struct(">7d"), struct.Struct("<7d"))  # position, orientation


def read_pose_array(data: bytes) -> list[StampedPose]:
    """Return the poses of a serialized PoseArray, each with the stamp and frame of the array.

    Raises
    ------
    ValueError
        The bytes are not a PoseArray.
    """
    try:
        order = data[1]
        if data[0] != 0 or order > 1:
            return _from_ros(deserialize_message(data, PoseArray))
        seconds, nanoseconds, size = _HEADS[order].unpack_from(data, PREFIX_BYTES)
        start = PREFIX_BYTES + _HEAD_BYTES
        frame = data[start : start + size - 1].decode()
        at_count = aligned(_HEAD_BYTES + size, _COUNT_BYTES)
        (count,) = _COUNTS[order].unpack_from(data, PREFIX_BYTES + at_count)
        body = PREFIX_BYTES + aligned(at_count + _COUNT_BYTES, FLOAT64_BYTES)
        rows = _BODIES[order].iter_unpack(data[body : body + count * _BODIES[order].size])
        stamp_ns = seconds * 1_000_000_000 + nanoseconds
        poses = [StampedPose(stamp_ns, frame, row[:3], row[3:]) for row in rows]
    except (IndexError, RuntimeError, UnicodeDecodeError, struct.error) as error:
        raise ValueError(f"{len(data)} bytes are not an array of poses: {error}") from error
    if len(poses) != count:
        raise ValueError(f"{len(data)} bytes are not an array of {count} poses")
    return poses


def _from_ros(message: PoseArray) -> list[StampedPose]:
    stamp_ns, frame = time_from_ros(message.header.stamp), message.header.frame_id
    return [
        StampedPose(
            stamp_ns,
            frame,
            (pose.position.x, pose.position.y, pose.position.z),
            (pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w),
        )
        for pose in message.poses
    ]
