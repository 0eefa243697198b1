"""Index of motions by place."""

import math
from collections.abc import Iterable
from typing import Final

from fleet.timetable.motion import UniformMotion

_CELL_M: Final = 0.6
_STRIDE: Final = 100_000  # cells per row
_WIDE: Final = 25  # motions over more cells are not indexed, but checked in every look-up


class MotionsByPlace:
    """Motions in square cells.

    Parameters
    ----------
    motions : in any order
    """

    def __init__(self, motions: Iterable[UniformMotion]) -> None:
        self._wide: Final[list[UniformMotion]] = []
        self._cells: Final[dict[int, list[UniformMotion]]] = {}
        for motion in motions:
            first_column, last_column = _cell(motion.low_x_m), _cell(motion.high_x_m)
            first_row, last_row = _cell(motion.low_y_m), _cell(motion.high_y_m)
            if (last_column - first_column + 1) * (last_row - first_row + 1) > _WIDE:
                self._wide.append(motion)
                continue
            for row in range(first_row, last_row + 1):
                for column in range(first_column, last_column + 1):
                    self._cells.setdefault(row * _STRIDE + column, []).append(motion)

    def within(self, low_x_m: float, high_x_m: float, low_y_m: float, high_y_m: float) -> list[UniformMotion]:
        """Return the motions whose rectangles overlap this rectangle, without repetition."""
        found = [motion for motion in self._wide if motion.is_within(low_x_m, high_x_m, low_y_m, high_y_m)]
        first_column, first_row = _cell(low_x_m), _cell(low_y_m)
        last_column = _cell(high_x_m)
        for row in range(first_row, _cell(high_y_m) + 1):
            for column in range(first_column, last_column + 1):
                for motion in self._cells.get(row * _STRIDE + column, _NONE):
                    if (
                        motion.is_within(low_x_m, high_x_m, low_y_m, high_y_m)
                        and column == max(first_column, _cell(motion.low_x_m))
                        and row == max(first_row, _cell(motion.low_y_m))
                    ):
                        found.append(motion)
        return found


_NONE: Final[list[UniformMotion]] = []


def _cell(at_m: float) -> int:
    return math.floor(at_m / _CELL_M)
