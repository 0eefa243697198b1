"""The factor by which jobs take longer among other robots than alone: an expectation, corrected by experience.

Robots that drive at random meet others in proportion to the density of working robots, and lose some seconds each time.
So with N others on A square metres everything is expected to take 1 + 0.18 N / A times as long. The real duration of
jobs corrects that slowly, as a few drives with long waits say little about the next ones. For the same reason most
drives lose less than the mean: of 20 robots on 16 m2 half lost less than 0.6 times as much.
"""

import math
from collections.abc import Callable, Iterable
from typing import Final

from fleet.assignment.assignment_problem import TravelTime
from fleet.geometry import Pose2D
from thymio_base.parts import Parts

_MEETING_M2: Final = 0.18
_TYPICAL: Final = 0.7  # of the mean delay is expected of a drive: between the median, 0.6, and the mean
_PRIOR_JOBS: Final = 10  # number of ended jobs that weigh as much as the expectation
_LEAST_GAIN: Final = 0.02  # smallest weight of a further job
_SEARCHED: Final = 100  # steps of a search that count as one part of the work
_MOST: Final = 2.0  # jobs that took longer by more than this factor had other problems than traffic


class TravelFactor:
    """Travel times among other robots.

    Parameters
    ----------
    travel_s : returns the driving time of a lone robot from pose to pose
    floor_m2 : the area of the floor [m2]; infinite if it is not known
    search : prepares `travel_s` for a goal, in at most a number of steps; returns whether that is complete
    steps : returns the number of search steps of both so far

    Attributes
    ----------
    others : number of other working robots
    steps : returns the number of search steps so far
    """

    def __init__(
        self,
        travel_s: TravelTime,
        floor_m2: float = math.inf,
        search: Callable[[Pose2D, int], bool] = lambda _, __: True,
        steps: Callable[[], int] = lambda: 0,
    ) -> None:
        self.others = 0
        self.steps: Final = steps
        self._alone_s: Final = travel_s
        self._floor_m2: Final = floor_m2
        self._search: Final = search
        self._learned = 1.0
        self._count = 0

    @property
    def factor(self) -> float:
        """Ratio of travel times among others to those alone."""
        return self._factor(self.others)

    def delay_s(self, start: Pose2D, goal: Pose2D) -> float:
        """Return the probable delay of a drive among others [s]."""
        return _TYPICAL * (self.factor - 1.0) * self._alone_s(start, goal)

    def among(self, others: int) -> TravelTime:
        """Return the travel times among a number of other working robots, as currently learned."""
        factor = self._factor(others)
        return lambda start, goal: factor * self._alone_s(start, goal)

    def travel_s(self, start: Pose2D, goal: Pose2D) -> float:
        """Return how long robots drive from one pose to another, among others."""
        return self.factor * self._alone_s(start, goal)

    def _factor(self, others: int) -> float:
        return self._learned * (1.0 + _MEETING_M2 * others / self._floor_m2)

    def prepared(self, goals: Iterable[Pose2D]) -> Parts[None]:
        """Prepare the times to goals, in parts of at most a hundred steps."""
        for goal in goals:
            while not self._search(goal, _SEARCHED):
                yield
            yield

    def note(self, planned_s: float, took_s: float) -> None:
        """Note the real duration of a job's drives, for which `travel_s` predicted `planned_s`."""
        if planned_s <= 0.0:
            return
        self._count += 1
        ratio = min(took_s / planned_s, _MOST) * self._learned
        self._learned += max(_LEAST_GAIN, 1.0 / (self._count + _PRIOR_JOBS)) * (ratio - self._learned)
