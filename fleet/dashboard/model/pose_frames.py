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
    return ROW.pack(
        row.robot_id,
        row.level,
        _TONES[row.tone],
        _rounded(row.x_m / _POSITION_M, _LARGEST_POSITION),
        _rounded(row.y_m / _POSITION_M, _LARGEST_POSITION),
        _rounded(math.remainder(row.heading_rad, math.tau) / _HEADING_RAD, 2**15 - 1),
        _rounded(row.age_s / _AGE_S, _OLDEST),
    )


def _rounded(value: float, largest: int) -> int:
    number = round(value)
    return number if -largest <= number <= largest else max(-largest, min(number, largest))
