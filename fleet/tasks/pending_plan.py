"""A plan of a leg in progress, made in one tick or in several."""

from typing import Final, Generic, TypeVar

from fleet.geometry import Pose2D
from fleet.tasks.legs import MovingLeg
from fleet.timetable.step_budget import StepBudget
from fleet.trajectories.counted_work import CountedWork, Steps

T = TypeVar("T")

_SHORT: Final = 20  # steps that are free: shorter plans never wait
_MOVED_M: Final = 0.005  # a plan from a place that is farther away is given up, ...
_TURNED_RAD: Final = 0.035  # ... as is one from another heading: smaller differences are mostly noise


class PendingPlan(Generic[T]):
    """A plan in progress; useless once the robot is elsewhere.

    Parameters
    ----------
    leg : the leg to plan
    pose : the robot's start
    remaining_m : remaining length of the way at the start
    work : makes the plan
    """

    def __init__(self, leg: MovingLeg, pose: Pose2D, remaining_m: float, work: Steps[T]) -> None:
        self._leg: Final = leg
        self._pose: Final = pose
        self._remaining_m: Final = remaining_m
        self._work: Final = CountedWork(work)
        self._is_new = True

    @property
    def result(self) -> T | None:
        """The plan; None while it is being made."""
        return self._work.result

    def advance(self, budget: StepBudget) -> None:
        """Do this tick's share of the work."""
        if self._work.is_over:
            return
        free = _SHORT if self._is_new else 0
        self._is_new = False
        done = self._work.advance(free + budget.share())
        budget.spend(max(0, done - free))

    def suits(self, leg: MovingLeg, pose: Pose2D, remaining_m: float) -> bool:
        """Whether it is a plan of this leg from this pose."""
        is_same = leg is self._leg and remaining_m == self._remaining_m
        is_here = pose.distance_to(self._pose) <= _MOVED_M
        return is_same and is_here and abs(pose.heading_error_to(self._pose)) <= _TURNED_RAD
