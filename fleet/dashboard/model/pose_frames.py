"""Poses as bytes for pages: docs/dashboard_protocol.md describes each field."""

import math
import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

from thymio_base.palette import Tone

UNKNOWN_LEVEL: Final = 255
HEADER: Final = struct.Struct("<BBHIdHHI")
ROW: Final = struct.Struct("<HBBiihH")
_KIND, _VERSION = 1, 1
_POSITION_M, _HEADING_RAD, _AGE_S = 1e-4, 1e-4, 1e-2  # of one unit
_LARGEST_ID, _LARGEST_POSITION, _OLDEST = 2**16 - 1, 2**31 - 1, 2**16 - 1
_TONES: Final = {tone: index for index, tone in enumerate(Tone)}


class PoseRow(NamedTuple):
    """One robot of a frame; thousands are made in a second.

    Parameters
    ----------
    level : of its status, 0 to 2; `UNKNOWN_LEVEL` before the first one
    x_m, y_m, heading_rad : its pose in the fleet's frame
    age_s : since the pose was received; not negative
    """

    robot_id: int
    level: int
    tone: Tone
    x_m: float
    y_m: float
    heading_rad: float
    age_s: float


def pose_frame(
    number: int, time_s: float, poses: Sequence[PoseRow], truths: Sequence[PoseRow] = (), *, is_stopped: bool = False
) -> bytes:
    """Return a frame: the fleet's estimates, then the truth of simulated robots; IDs above 65535 have no row."""
    poses, truths = _fitting(poses), _fitting(truths)
    header = HEADER.pack(_KIND, _VERSION, len(poses), number % 2**32, time_s, len(truths), int(is_stopped), 0)
    return b"".join([header, *map(_row, poses), *map(_row, truths)])


def renumbered(frame: bytes, number: int) -> bytes:
    """Return a frame with another number."""
    return b"".join([frame[:4], struct.pack("<I", number % 2**32), frame[8:]])


def _fitting(rows: Sequence[PoseRow]) -> list[PoseRow]:
    return [row for row in rows if row.robot_id <= _LARGEST_ID]


def _row(row: PoseRow) -> bytes:
    robot_id, level, tone, x_m, y_m, heading_rad, age_s = row
    if not -math.pi <= heading_rad <= math.pi:
        heading_rad = math.remainder(heading_rad, math.tau)
    x, y = round(x_m / _POSITION_M), round(y_m / _POSITION_M)
    heading, age = round(heading_rad / _HEADING_RAD), round(age_s / _AGE_S)
    try:
        return ROW.pack(robot_id, level, _TONES[tone], x, y, heading, age)
    except struct.error:  # a place far away, or an old pose
        x, y = _clamped(x, _LARGEST_POSITION), _clamped(y, _LARGEST_POSITION)
        return ROW.pack(robot_id, level, _TONES[tone], x, y, heading, _clamped(age, _OLDEST))


def _clamped(number: int, largest: int) -> int:
    return max(-largest, min(number, largest))
