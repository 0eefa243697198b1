"""A robot's distance from its path, by its own estimate."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CrossTrack:
    """The largest and the root mean square distance from the path [m]."""

    max_m: float
    rms_m: float


class Deviation:
    """Collects cross-track errors."""

    def __init__(self) -> None:
        self._count = 0
        self._max_m = 0.0
        self._sum_m2 = 0.0

    @property
    def cross_track(self) -> CrossTrack | None:
        """The result so far; None before the first error was added."""
        return CrossTrack(self._max_m, math.sqrt(self._sum_m2 / self._count)) if self._count else None

    def add(self, cross_m: float) -> None:
        """Add one cross-track error, of either sign; errors are evenly spaced in time."""
        self._count += 1
        self._max_m = max(self._max_m, abs(cross_m))
        self._sum_m2 += cross_m * cross_m
