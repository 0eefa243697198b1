"""Planners of legs: alone on the floor, or among other robots."""

from typing import Final, Generic, Protocol, TypeVar

from fleet.geometry import Pose2D
from fleet.settings.config import MotionConfig
from fleet.tasks.legs import MovingLeg
from fleet.tasks.pending_plan import PendingPlan
from fleet.timetable.step_budget import StepBudget
from fleet.trajectories.counted_work import CountedWork, Steps
from fleet.trajectories.grown_trajectory import GrownTrajectory
from fleet.trajectories.trajectory import Trajectory

T = TypeVar("T")


class PlannedLeg:
    """A trajectory, and when it starts."""

    def __init__(self, trajectory: Trajectory, start_ns: int) -> None:
        self.trajectory: Final = trajectory
        self.start_ns: Final = start_ns


class LegPlanner(Protocol):
    """Plans the legs of one robot's tasks, and reports the progress of their clocks."""

    @property
    def delay_s(self) -> float:
        """Delay of the plan's clock."""

    @property
    def rate(self) -> float:
        """Speed of that clock, from 0 to 1."""

    @property
    def is_planning(self) -> bool:
        """Whether a plan that takes several ticks is in progress."""

    @property
    def alone_s(self) -> float | None:
        """Duration, without other robots in its way, of the way that the robot waits for; None while unknown."""

    def plan(self, leg: MovingLeg, pose: Pose2D, remaining_m: float, now_ns: int) -> PlannedLeg | None:
        """Return how to drive a leg from a pose; None while the robot has to wait.

        `remaining_m` is the remaining length of the way; infinite at first.
        """

    def is_obsolete(self) -> bool:
        """Whether the plan must be given up because the robot is not where it should be."""

    def note_progress(self, plan_time_s: float, now_ns: int) -> None:
        """Note the robot's place on the plan, as time on the trajectory, if its law tracks the path alone."""

    def give_up(self) -> None:
        """Forget the plan: the robot is stationary, or stops."""

    def plan_growth(self, growing: Steps[GrownTrajectory | None]) -> None:
        """Plan in the next ticks how the robot continues along its path, which has grown."""

    def grow(self, law_time_s: float) -> GrownTrajectory | None:
        """Do this tick's share of that plan; return it once the robot has seamlessly switched to it.

        `law_time_s` is the robot's time on its current trajectory.
        """


class GrowthInProgress(Generic[T]):
    """A plan to continue along a path, made over several ticks and used as soon as possible."""

    def __init__(self, work: Steps[T | None]) -> None:
        self._work: Final = CountedWork(work)

    def advance(self, budget: StepBudget) -> T | None:
        """Do this tick's share; return the plan once it is made."""
        if not self._work.is_over:
            budget.spend(self._work.advance(budget.share()))
        return self._work.result


class LonePlanner:
    """Plans as if the robot were alone: it drives as soon as its way is planned, and its clock never waits.

    Parameters
    ----------
    motion : the limits
    budget : planning steps of each tick; shared by all robots, and refilled elsewhere
    """

    delay_s: Final = 0.0
    rate: Final = 1.0
    alone_s: Final = None

    def __init__(self, motion: MotionConfig, budget: StepBudget) -> None:
        self._motion: Final = motion
        self._budget: Final = budget
        self._pending: PendingPlan[Trajectory] | None = None
        self._growth: GrowthInProgress[GrownTrajectory] | None = None
        self._driven: Trajectory | None = None

    @property
    def is_planning(self) -> bool:
        """Whether a plan that takes several ticks is in progress."""
        return self._pending is not None

    def plan(self, leg: MovingLeg, pose: Pose2D, remaining_m: float, now_ns: int) -> PlannedLeg | None:
        """Return the fastest way from a pose, once it is planned."""
        pending = self._pending
        if pending is None or not pending.suits(leg, pose, remaining_m):
            pending = PendingPlan(leg, pose, remaining_m, leg.planning(pose, remaining_m, self._motion))
        pending.advance(self._budget)
        planned = pending.result
        self._pending = pending if planned is None else None
        self._driven, self._growth = planned, None
        return None if planned is None else PlannedLeg(planned, now_ns)

    def is_obsolete(self) -> bool:
        """Return False: no other robot relies on the plan."""
        return False

    def note_progress(self, plan_time_s: float, now_ns: int) -> None:
        """Do nothing: nobody waits for the robot."""

    def give_up(self) -> None:
        """Forget the plan in progress; no other robot knows the one that is driven."""
        self._pending = self._growth = self._driven = None

    def plan_growth(self, growing: Steps[GrownTrajectory | None]) -> None:
        """Plan in the next ticks how the robot continues."""
        self._growth = GrowthInProgress(growing)

    def grow(self, law_time_s: float) -> GrownTrajectory | None:
        """Return that plan once it is made, if it continues the robot's trajectory."""
        if self._growth is None or self._driven is None:
            return None
        found = self._growth.advance(self._budget)
        grown = None if found is None else found.aligned(self._driven, law_time_s)
        if grown is None or not grown.continues(self._driven, law_time_s):
            return None
        self._growth, self._driven = None, grown.trajectory
        return grown
