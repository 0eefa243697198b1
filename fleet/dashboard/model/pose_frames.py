"""Encodes poses as binary frames for pages (docs/dashboard_protocol.md describes each field)."""

import math
import struct
from collections.abc import Sequence
from typing import Final

from fleet.geometry import Pose2D
from thymio_base.palette import Tone

UNKNOWN_LEVEL: Final = 255
HEADER: Final = struct.Struct("<BBHIdHHI")
ROW: Final = struct.Struct("<HBBiihH")
_KIND, _VERSION = 1, 1
_PER_M, _PER_RAD, _PER_S = 1e4, 1e4, 1e2  # units
_LARGEST_ID, _LARGEST_POSITION, _OLDEST = 2**16 - 1, 2**31 - 1, 2**16 - 1


def pose_row(robot_id: int, level: int, tone: Tone, pose: Pose2D, age_s: float) -> bytes:
    """Return the row of one robot, b"" for an ID above 65535.

    Parameters
    ----------
    robot_id
        ID of the robot
    level
        level of its status, 0 to 2; `UNKNOWN_LEVEL` before the first status
    tone
        its state
    pose
        pose in the fleet's frame
    age_s
        time since the pose was received; not negative
    """
    if robot_id > _LARGEST_ID:
        return b""
    heading_rad = pose.heading_rad
    if not -math.pi <= heading_rad <= math.pi:
        heading_rad = math.remainder(heading_rad, math.tau)
    x, y = round(pose.x_m * _PER_M), round(pose.y_m * _PER_M)
    heading, age = round(heading_rad * _PER_RAD), round(age_s * _PER_S)
    try:
        return ROW.pack(robot_id, level, tone.urgency, x, y, heading, age)
    except struct.error:  # too far away, or too old for the fields
        x, y = _clamped(x, _LARGEST_POSITION), _clamped(y, _LARGEST_POSITION)
        return ROW.pack(robot_id, level, tone.urgency, x, y, heading, _clamped(age, _OLDEST))


def pose_frame(
    number: int, time_s: float, poses: Sequence[bytes], truths: Sequence[bytes] = (), *, is_stopped: bool = False
) -> bytes:
    """Return a frame of rows: the fleet's estimates, then the truth of simulated robots."""
    body = b"".join((*poses, *truths))
    count = sum(map(bool, poses))
    header = HEADER.pack(
        _KIND, _VERSION, count, number % 2**32, time_s, len(body) // ROW.size - count, int(is_stopped), 0
    )
    return header + body


def renumbered(frame: bytes, number: int) -> bytes:
    """Return a frame with another number."""
    return b"".join([frame[:4], struct.pack("<I", number % 2**32), frame[8:]])


def _clamped(number: int, largest: int) -> int:
    return max(-largest, min(number, largest))
