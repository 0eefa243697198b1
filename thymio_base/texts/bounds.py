"""How large numbers from outside may be; the schemas of files have the same bounds."""

import sys
from typing import Any, Final

FARTHEST_M: Final = 1000.0  # of a coordinate, on either side of 0
MOST_RAD: Final = 1000.0  # of an angle, which is seldom more than a turn
LEAST_M: Final = 0.001  # of a size
LEAST_MPS: Final = 0.001  # of a speed; a Thymio cannot drive as slowly
MOST_MPS: Final = 10.0
LONGEST_S: Final = 1e6  # of a duration: twelve days
LEAST_FACTOR, MOST_FACTOR = 0.001, 1000.0  # simulated seconds per second


def is_near(*coordinates_m: float) -> bool:
    """Whether all coordinates are finite, and none is beyond `FARTHEST_M`."""
    return all(-FARTHEST_M <= coordinate_m <= FARTHEST_M for coordinate_m in coordinates_m)  # NaN compares false


def is_pose(x_m: float, y_m: float, heading_rad: float) -> bool:
    """Whether a pose is finite and within the bounds."""
    return is_near(x_m, y_m) and abs(heading_rad) <= MOST_RAD


def is_number(value: Any) -> bool:
    """Whether a value of any type is a finite number; true and false are none, nor are integers beyond all floats."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
