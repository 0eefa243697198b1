"""Learns how much longer jobs take than a robot alone on the floor would need for them."""

from typing import Final

from fleet.assignment.assignment_problem import TravelTime
from fleet.geometry import Pose2D

_LEAST, _MOST = 0.8, 3.0  # ratios beyond tell of something else than traffic
_GAIN: Final = 0.1  # with which each further job counts


class TravelFactor:
    """The times of travel among others.

    Parameters
    ----------
    travel_s : returns how long robots drive from pose to pose, alone

    Attributes
    ----------
    factor : how many times as long it takes among others
    """

    def __init__(self, travel_s: TravelTime) -> None:
        self.factor = 1.0
        self._alone_s: Final = travel_s
        self._count = 0

    def travel_s(self, start: Pose2D, goal: Pose2D) -> float:
        """Return how long robots drive from one pose to another, among others."""
        return self.factor * self._alone_s(start, goal)

    def note(self, planned_s: float, took_s: float) -> None:
        """Note how long the drives of a job took for which `travel_s` gave a time when it began."""
        if planned_s <= 0.0:
            return
        self._count += 1
        ratio = min(max(took_s / planned_s * self.factor, _LEAST), _MOST)
        self.factor += max(_GAIN, 1.0 / (self._count + 1)) * (ratio - self.factor)
