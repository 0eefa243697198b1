"""The course: the placement of walls and robots in both simulators, and each robot's part.

All robots are in one rectangle whose right border is the wall that they face; its left part is black. All robots
run the same script, and are too far apart to detect each other.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from aseba_link.thymio.robot_outline import NOSE_M, REAR_M

WIDTH_M = 1.2
BLACK_M = WIDTH_M / 3.0  # from the left border
SPEEDS_RAW = (100, 200, 300, 400, 500)
GAPS_M = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.13)
ANGLES_DEG = (0, 20, 40, 60, 180)

_RUN_UP_M = 0.2  # to reach full speed before the wall is detected
_ROW_M = 0.35  # between two robots


class Part(Enum):
    """A robot's part in the course; values are printed."""

    DRIVE = "drives straight at the wall"
    SPIN = "turns on the spot above the edge of the black floor"
    FACE_WALL = "stands in front of the wall"


@dataclass(frozen=True, slots=True)
class Stand:
    """A robot's place, its part, and the targets of its wheels (left, right) in motor units.

    The gap is between the wall and the robot's nose, or its rear if the robot faces away.
    """

    node_id: int
    part: Part
    x_m: float
    y_m: float
    angle_deg: int = 0
    targets_raw: tuple[int, int] = (0, 0)
    gap_m: float = math.inf

    @property
    def heading_rad(self) -> float:
        """The robot's heading; 0 faces the wall, counter-clockwise."""
        return math.radians(self.angle_deg)


def course() -> list[Stand]:
    """Return all robots; their ids count from 1."""
    return [*_wall_stands(), *_spins(1 + len(SPEEDS_RAW) + len(GAPS_M) * len(ANGLES_DEG))]


def height_m(stands: list[Stand]) -> float:
    """Return the height of the rectangle."""
    return max(stand.y_m for stand in stands) + 2.0 * _ROW_M


def _wall_stands() -> Iterator[Stand]:
    """Yield the driving robots, then those stationary in front of the wall, in one row along it."""
    y_m = (_ROW_M * (1 + place) for place in range(1000))
    ids = iter(range(1, 1000))
    for speed_raw in SPEEDS_RAW:
        x_m = WIDTH_M - NOSE_M - _RUN_UP_M
        yield Stand(next(ids), Part.DRIVE, x_m, next(y_m), targets_raw=(speed_raw, speed_raw))
    for angle_deg in ANGLES_DEG:
        for gap_m in GAPS_M:
            x_m = WIDTH_M - gap_m - (REAR_M if angle_deg == 180 else NOSE_M)
            yield Stand(next(ids), Part.FACE_WALL, x_m, next(y_m), angle_deg, gap_m=gap_m)


def _spins(first_id: int) -> Iterator[Stand]:
    for place, speed_raw in enumerate(SPEEDS_RAW):
        targets_raw = (-speed_raw, speed_raw)
        yield Stand(first_id + place, Part.SPIN, BLACK_M, _ROW_M * (2 + 2 * place), targets_raw=targets_raw)
