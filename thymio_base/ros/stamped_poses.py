"""geometry_msgs/PoseStamped as bytes: poses come and go by the thousand, and each message consists of six objects.

ROS middlewares transport CDR (OMG DDS-XTypes 7.4): four bytes for the encoding, then the fields in order, each aligned
to its size. In the plain encodings the first byte is 0 and the second gives the byte order.
"""

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from geometry_msgs.msg import PoseStamped
from rclpy.serialization import deserialize_message

_PREFIX: Final = 4  # bytes for the encoding
_LITTLE_ENDIAN: Final = b"\0\1\0\0"
_ALIGNED: Final = 8  # alignment of a float64, counted from the end of the prefix
_HEADS: Final = (struct.Struct(">iII"), struct.Struct("<iII"))  # seconds, nanoseconds, size of frame_id with its NUL
_HEAD_BYTES: Final = 12
_BODIES: Final = (struct.Struct(">7d"), struct.Struct("<7d"))  # position, orientation


@dataclass(init=False, unsafe_hash=True, slots=True)
class StampedPose:
    """The content of a PoseStamped.

    Parameters
    ----------
    stamp_ns : of the header
    frame : its frame_id
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
    stamp, position, orientation = message.header.stamp, message.pose.position, message.pose.orientation
    return StampedPose(
        int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec),
        message.header.frame_id,
        (position.x, position.y, position.z),
        (orientation.x, orientation.y, orientation.z, orientation.w),
    )


def read_pose(data: bytes) -> StampedPose:
    """Return the content of a serialised PoseStamped.

    Raises
    ------
    ValueError
        The bytes are not a PoseStamped.
    """
    try:
        order = data[1]
        if data[0] != 0 or order > 1:
            return stamped_pose_from_ros(deserialize_message(data, PoseStamped))
        seconds, nanoseconds, size = _HEADS[order].unpack_from(data, _PREFIX)
        begin = _PREFIX + _HEAD_BYTES
        frame = data[begin : begin + size - 1].decode()
        x, y, z, qx, qy, qz, qw = _BODIES[order].unpack_from(data, _PREFIX + _aligned(_HEAD_BYTES + size))
    except (IndexError, RuntimeError, struct.error) as error:
        raise ValueError(f"{len(data)} bytes are no pose: {error}") from error
    return StampedPose(seconds * 1_000_000_000 + nanoseconds, frame, (x, y, z), (qx, qy, qz, qw))


PoseWriter = Callable[[float, float, float, int], bytes]


def pose_writer(frame: str) -> PoseWriter:
    """Return a serialiser of poses in the plane z = 0 of a frame: x and y in m, heading in rad, stamp in ns."""
    name = frame.encode() + b"\0"
    head = _HEAD_BYTES + len(name)
    whole = struct.Struct(f"<4siII{len(name)}s{_aligned(head) - head}x7d")

    def write(x_m: float, y_m: float, heading_rad: float, stamp_ns: int) -> bytes:
        seconds, nanoseconds = divmod(stamp_ns, 1_000_000_000)
        half_rad = 0.5 * math.remainder(heading_rad, math.tau)
        return whole.pack(
            _LITTLE_ENDIAN, seconds, nanoseconds, len(name), name,
            x_m, y_m, 0.0, 0.0, 0.0, math.sin(half_rad), math.cos(half_rad),
        )  # fmt: skip

    return write


def _aligned(offset: int) -> int:
    """Return the position of a float64 that follows `offset` bytes."""
    return -(-offset // _ALIGNED) * _ALIGNED
