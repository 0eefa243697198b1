"""The pose at which a robot came to rest after a task, and its displacement since."""

import math
from dataclasses import dataclass
from typing import Final

from fleet.geometry import Pose2D, Twist2D
from fleet.wheels.differential_drive import is_still

_SETTLE_NS: Final = 1_000_000_000  # until measured poses have corrected where it stopped
_POSITION_TOLERANCE_M: Final = 0.01  # well above the noise of motion capture
_HEADING_TOLERANCE_RAD: Final = 0.1


@dataclass(frozen=True, slots=True)
class Displacement:
    """Distance of a robot from where it came to rest, and the absolute angle by which it was turned."""

    distance_m: float
    turned_rad: float

    def __str__(self) -> str:
        return f"{100.0 * self.distance_m:.1f} cm, {math.degrees(self.turned_rad):.0f} degrees"


class Standstill:
    """Remembers the pose at which a robot stopped by itself.

    A robot that has not driven yet may be carried to its place, so nothing is remembered before `start`.
    """

    def __init__(self) -> None:
        self._is_expected = False
        self._still_ns: int | None = None  # since when the wheels have been standing
        self._stood: Pose2D | None = None

    def start(self) -> None:
        """Remember the pose at which the robot next comes to rest."""
        self.clear()
        self._is_expected = True

    def clear(self) -> None:
        """Forget the pose: the robot is about to drive, or cannot be reached."""
        self._is_expected = False
        self._still_ns = None
        self._stood = None

    @property
    def is_expected(self) -> bool:
        """Whether the robot has yet to come to rest."""
        return self._is_expected

    def update(self, measured: Pose2D | None, twist: Twist2D, now_ns: int) -> None:
        """Process the robot's pose, None while it is not measured, and its reported velocity."""
        if not self._is_expected:
            return
        if measured is None or not is_still(twist):
            self._still_ns = None
        elif self._still_ns is None:
            self._still_ns = now_ns
        elif now_ns - self._still_ns >= _SETTLE_NS:
            self._stood = measured
            self._is_expected = False

    def displacement(self, measured: Pose2D) -> Displacement | None:
        """Return how far the robot was pushed away; None within the tolerance, or without a remembered pose."""
        if self._stood is None:
            return None
        distance_m = self._stood.distance_to(measured)
        turned_rad = abs(self._stood.heading_error_to(measured))
        if distance_m <= _POSITION_TOLERANCE_M and turned_rad <= _HEADING_TOLERANCE_RAD:
            return None
        return Displacement(distance_m, turned_rad)
