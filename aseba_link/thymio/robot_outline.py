"""The shape of the real Thymio, shared by fleet and simulator: its outline from above.

Enki's model, enki/robots/thymio2/Thymio2.cpp at bb486bf: a frontal arc about the centre of the axle, parallel flanks,
and a straight rear. Coordinates are those of `events`.
"""

import math
from typing import Final

NOSE_M: Final = 0.08  # radius of the frontal arc
HALF_WIDTH_M: Final = 0.055
REAR_M: Final = 0.03  # behind the axle
ARC_RAD: Final = 0.758  # from the middle of the arc to its ends, at x = 5.81 cm, y = 5.5 cm
_ARC_EDGES: Final = 10  # straight edges that approximate the arc within 0.23 mm


def _arc_corner_m(number: int) -> tuple[float, float]:
    angle_rad = -ARC_RAD + number * (2.0 * ARC_RAD / _ARC_EDGES)
    return NOSE_M * math.cos(angle_rad), NOSE_M * math.sin(angle_rad)


# counter-clockwise from the right end of the rear
OUTLINE_M: Final[tuple[tuple[float, float], ...]] = (
    (-REAR_M, -HALF_WIDTH_M),
    *(_arc_corner_m(number) for number in range(_ARC_EDGES + 1)),
    (-REAR_M, HALF_WIDTH_M),
)
