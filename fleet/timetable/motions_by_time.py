"""Index of motions by time."""

import math
from collections.abc import Iterable
from typing import Final

from fleet.timetable.motion import UniformMotion

_SPAN_S: Final = 0.5
_LONG_S: Final = 10.0  # longer motions are not indexed, but checked in every look-up
_ROUNDING_S: Final = 1e-6


class MotionsByTime:
    """Motions in spans of time.

    Parameters
    ----------
    motions : in any order; some may have no end
    """

    def __init__(self, motions: Iterable[UniformMotion]) -> None:
        self._long: Final[list[UniformMotion]] = []
        self._spans: Final[dict[int, list[UniformMotion]]] = {}
        self._all: Final = list(motions)
        for motion in self._all:
            if motion.duration_s > _LONG_S:
                self._long.append(motion)
                continue
            for span in range(_span(motion.start_s), _span(motion.end_s) + 1):
                self._spans.setdefault(span, []).append(motion)

    def during(self, from_s: float, until_s: float) -> list[UniformMotion]:
        """Return the motions active between two times, possibly with repetitions."""
        first_s, last_s = from_s - _ROUNDING_S, until_s + _ROUNDING_S
        near = list(self._long)
        if last_s - first_s > _LONG_S:
            near = self._all
        else:
            for span in range(_span(first_s), _span(last_s) + 1):
                near += self._spans.get(span, [])
        return [motion for motion in near if motion.start_s <= last_s and motion.end_s >= first_s]


def _span(time_s: float) -> int:
    return math.floor(time_s / _SPAN_S)
