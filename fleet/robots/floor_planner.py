"""Plans the legs of one robot among the others on the floor."""

from typing import Final

from fleet.geometry import Pose2D
from fleet.routing.journey import Journey
from fleet.settings.config import MotionConfig
from fleet.tasks.leg_planner import PlannedLeg
from fleet.tasks.legs import FollowLeg, MovingLeg
from fleet.traffic.traffic import Traffic


class FloorPlanner:
    """Asks the traffic of the floor for ways.

    Parameters
    ----------
    traffic : of the floor
    robot_id : the robot
    motion : its limits
    """

    def __init__(self, traffic: Traffic, robot_id: int, motion: MotionConfig) -> None:
        self._traffic: Final = traffic
        self._robot_id: Final = robot_id
        self._motion: Final = motion

    @property
    def delay_s(self) -> float:
        """How late the clock of the way is."""
        clock = self._traffic.clock(self._robot_id)
        return 0.0 if clock is None else clock.delay_s

    @property
    def rate(self) -> float:
        """How fast that clock runs."""
        clock = self._traffic.clock(self._robot_id)
        return 1.0 if clock is None else clock.rate

    def plan(self, leg: MovingLeg, pose: Pose2D, remaining_m: float, now_ns: int) -> PlannedLeg | None:
        """Return the way that the robot has or gets, None while there is none."""
        clock = self._traffic.clock(self._robot_id)
        if clock is None and not self._traffic.is_planning(self._robot_id) and self._traffic.may_ask:
            direct = leg.plan(pose, remaining_m, self._motion)
            clock = self._traffic.ask(self._robot_id, self._journey(leg, pose, remaining_m), direct)
        return None if clock is None else PlannedLeg(clock.way.trajectory, round(clock.way.start_s * 1e9))

    def is_obsolete(self) -> bool:
        """Whether the robot needs another way."""
        return self._traffic.is_obsolete(self._robot_id)

    def note_progress(self, plan_time_s: float, now_ns: int) -> None:
        """Set the clock of the way by the robot's place on it."""
        clock = self._traffic.clock(self._robot_id)
        if clock is not None:
            clock.note_progress(plan_time_s, now_ns * 1e-9)

    def give_up(self) -> None:
        """Give the way back."""
        self._traffic.give_up(self._robot_id)

    def _journey(self, leg: MovingLeg, pose: Pose2D, remaining_m: float) -> Journey:
        if isinstance(leg, FollowLeg):
            return Journey(pose, leg.goal, leg.limits, False, leg.rest(remaining_m))
        return Journey(pose, leg.goal, self._motion.limits, self._motion.backward)
