"""Who plans how a leg is driven: alone on the floor, or among other robots."""

from typing import Final, Protocol

from fleet.geometry import Pose2D
from fleet.settings.config import MotionConfig
from fleet.tasks.legs import MovingLeg
from fleet.trajectories.trajectory import Trajectory


class PlannedLeg:
    """A trajectory, and when it starts."""

    def __init__(self, trajectory: Trajectory, start_ns: int) -> None:
        self.trajectory: Final = trajectory
        self.start_ns: Final = start_ns


class LegPlanner(Protocol):
    """Plans the legs of one robot's tasks, and says how far their clocks have come."""

    @property
    def delay_s(self) -> float:
        """How late the clock of the plan is."""

    @property
    def rate(self) -> float:
        """How fast that clock runs, from 0 to 1."""

    def plan(self, leg: MovingLeg, pose: Pose2D, remaining_m: float, now_ns: int) -> PlannedLeg | None:
        """Return how to drive a leg from a pose; None while the robot has to wait for it.

        `remaining_m` is how much of the way is left; infinite at first.
        """

    def is_obsolete(self) -> bool:
        """Whether the plan must be given up, because the robot is elsewhere than it should be."""

    def note_progress(self, plan_time_s: float, now_ns: int) -> None:
        """Note the robot's place on the plan, as the trajectory's time, if its law tracks the path alone."""

    def give_up(self) -> None:
        """Forget the plan: the robot stands, or stops."""


class LonePlanner:
    """Plans as if the robot were alone: it drives at once, on the fastest way, and the clock never waits."""

    delay_s: Final = 0.0
    rate: Final = 1.0

    def __init__(self, motion: MotionConfig) -> None:
        self._motion: Final = motion

    def plan(self, leg: MovingLeg, pose: Pose2D, remaining_m: float, now_ns: int) -> PlannedLeg | None:
        """Return the fastest way from a pose."""
        return PlannedLeg(leg.plan(pose, remaining_m, self._motion), now_ns)

    def is_obsolete(self) -> bool:
        """Return False: nobody else relies on the plan."""
        return False

    def note_progress(self, plan_time_s: float, now_ns: int) -> None:
        """Do nothing: nobody waits for the robot."""

    def give_up(self) -> None:
        """Do nothing: nobody else knows the plan."""
