"""Limits of numbers from outside; the schemas of files have the same limits."""

import sys
from typing import Any, Final

FARTHEST_M: Final = 1000.0  # coordinates, on either side of 0
MOST_RAD: Final = 1000.0  # angles, which are seldom more than a turn
LEAST_M: Final = 0.001  # sizes
LEAST_MPS: Final = 0.001  # speeds; a Thymio cannot drive this slowly
MOST_MPS: Final = 10.0
LONGEST_S: Final = 1e6  # durations: twelve days
LEAST_FACTOR, MOST_FACTOR = 0.001, 1000.0  # simulated seconds per second


def is_near(x_m: float, y_m: float) -> bool:
    """Whether both coordinates are finite, and none is beyond `FARTHEST_M`."""
    return -FARTHEST_M <= x_m <= FARTHEST_M and -FARTHEST_M <= y_m <= FARTHEST_M  # NaN compares false


def is_pose(x_m: float, y_m: float, heading_rad: float) -> bool:
    """Whether a pose is finite and within the bounds."""
    return is_near(x_m, y_m) and abs(heading_rad) <= MOST_RAD


def is_number(value: Any) -> bool:
    """Whether a value of any type is a finite number; booleans and integers beyond the range of floats are not."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
