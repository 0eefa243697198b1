"""geometry_msgs/PoseStamped as bytes: poses go in and out by the thousand, and messages are made of six objects each.

What ROS middlewares pass on is CDR (OMG DDS-XTypes 7.4): four bytes that tell the encoding, then the fields in order,
each aligned to its size. Of the plain encodings the first byte is 0 and the second tells the order of bytes.
"""

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass

from geometry_msgs.msg import PoseStamped
from rclpy.serialization import deserialize_message

from fleet.geometry import Pose2D

_PREFIX = 4  # bytes that tell the encoding
_LITTLE_ENDIAN = b"\0\1\0\0"
_ALIGNED = 8  # of a float64, as counted from behind the prefix
_HEADS = {0: struct.Struct(">iII"), 1: struct.Struct("<iII")}  # seconds, nanoseconds, size of frame_id with its NUL
_BODIES = {0: struct.Struct(">7d"), 1: struct.Struct("<7d")}  # position, orientation


@dataclass(frozen=True, slots=True)
class StampedPose:
    """What a PoseStamped says.

    Parameters
    ----------
    stamp_ns : of the header
    frame : its frame_id
    position : x, y, z
    orientation : x, y, z, w
    """

    stamp_ns: int
    frame: str
    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float]


def stamped_pose_from_ros(message: PoseStamped) -> StampedPose:
    """Return what a message says."""
    stamp, position, orientation = message.header.stamp, message.pose.position, message.pose.orientation
    return StampedPose(
        int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec),
        message.header.frame_id,
        (position.x, position.y, position.z),
        (orientation.x, orientation.y, orientation.z, orientation.w),
    )


def read_pose(data: bytes) -> StampedPose:
    """Return what a serialised PoseStamped says.

    Raises
    ------
    ValueError
        The bytes are none.
    """
    try:
        if data[0] != 0 or data[1] not in _HEADS:
            return stamped_pose_from_ros(deserialize_message(data, PoseStamped))
        order = data[1]
        seconds, nanoseconds, size = _HEADS[order].unpack_from(data, _PREFIX)
        begin = _PREFIX + _HEADS[order].size
        frame = data[begin : begin + size - 1].decode()
        x, y, z, *orientation = _BODIES[order].unpack_from(data, _PREFIX + _aligned(begin + size - _PREFIX))
    except (IndexError, RuntimeError, struct.error) as error:
        raise ValueError(f"{len(data)} bytes are no pose: {error}") from error
    qx, qy, qz, qw = orientation
    return StampedPose(seconds * 1_000_000_000 + nanoseconds, frame, (x, y, z), (qx, qy, qz, qw))


def pose_writer(frame: str) -> Callable[[Pose2D, int], bytes]:
    """Return what serialises a pose in the plane z = 0 of a frame, with its stamp in nanoseconds."""
    name = frame.encode() + b"\0"
    head = struct.calcsize("<iII") + len(name)
    whole = struct.Struct(f"<4siII{len(name)}s{_aligned(head) - head}x7d")

    def write(pose: Pose2D, stamp_ns: int) -> bytes:
        seconds, nanoseconds = divmod(stamp_ns, 1_000_000_000)
        half_rad = 0.5 * math.remainder(pose.heading_rad, math.tau)
        return whole.pack(
            _LITTLE_ENDIAN, seconds, nanoseconds, len(name), name,
            pose.x_m, pose.y_m, 0.0, 0.0, 0.0, math.sin(half_rad), math.cos(half_rad),
        )  # fmt: skip

    return write


def _aligned(offset: int) -> int:
    """Return where a float64 begins that comes after `offset` bytes."""
    return -(-offset // _ALIGNED) * _ALIGNED
