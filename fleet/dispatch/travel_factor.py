"""How much longer jobs take than a robot alone on the floor would need for them: expected, then learned.

Robots that drive at random meet others in proportion to how many of these work on how much floor, and lose some seconds
each time. So with N others on A square metres everything is expected to take 1 + 0.25 N / A times as long: 20 robots
on 16 m2 took 1.3 times as long, 12 robots 1.2 and 8 robots 1.1 times. What jobs really take corrects that.
"""

import math
from typing import Final

from fleet.assignment.assignment_problem import TravelTime
from fleet.geometry import Pose2D

_LEAST, _MOST = 0.8, 3.0  # ratios beyond tell of something else than traffic
_MEETING_M2: Final = 0.25
_GAIN: Final = 0.1  # with which each further job counts


class TravelFactor:
    """The times of travel among others.

    Parameters
    ----------
    travel_s : returns how long robots drive from pose to pose, alone
    floor_m2 : the area of the floor; infinite if it is not known

    Attributes
    ----------
    others : how many other robots work
    """

    def __init__(self, travel_s: TravelTime, floor_m2: float = math.inf) -> None:
        self.others = 0
        self._alone_s: Final = travel_s
        self._floor_m2: Final = floor_m2
        self._learned = 1.0
        self._count = 0

    @property
    def factor(self) -> float:
        """How many times as long it takes among others."""
        return self._learned * (1.0 + _MEETING_M2 * self.others / self._floor_m2)

    def delay_s(self, start: Pose2D, goal: Pose2D) -> float:
        """Return how much longer it takes than alone."""
        return (self.factor - 1.0) * self._alone_s(start, goal)

    def travel_s(self, start: Pose2D, goal: Pose2D) -> float:
        """Return how long robots drive from one pose to another, among others."""
        return self.factor * self._alone_s(start, goal)

    def note(self, planned_s: float, took_s: float) -> None:
        """Note how long the drives of a job took for which `travel_s` gave a time when it began."""
        if planned_s <= 0.0:
            return
        self._count += 1
        ratio = min(max(took_s / planned_s * self._learned, _LEAST), _MOST)
        self._learned += max(_GAIN, 1.0 / (self._count + 1)) * (ratio - self._learned)
