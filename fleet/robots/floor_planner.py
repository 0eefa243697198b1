"""Plans the legs of one robot among other robots on the floor."""

import math
from typing import Final

from fleet.geometry import Pose2D
from fleet.routing.journey import Journey
from fleet.settings.config import MotionConfig
from fleet.tasks.leg_planner import GrowthInProgress, PlannedLeg
from fleet.tasks.legs import FollowLeg, MovingLeg
from fleet.tasks.pending_plan import PendingPlan
from fleet.timetable.motion import UniformMotion
from fleet.timetable.uniform_cut import cutting
from fleet.traffic.traffic import Traffic
from fleet.trajectories.counted_work import Steps
from fleet.trajectories.grown_trajectory import GrownTrajectory
from fleet.trajectories.trajectory import Trajectory

_MOTIONS_A_STEP: Final = 5  # of a way, when the traffic is asked for it ...
_FEW_STEPS: Final = 100  # ... in at most this many steps at any time, in more only if a tick has time left for that
_ASKED_EVERY_S: Final = 0.2  # whether a robot may drive on


class FloorPlanner:
    """Asks the traffic of the floor for ways.

    Parameters
    ----------
    traffic : the floor's traffic
    robot_id : the robot
    motion : the robot's limits
    """

    def __init__(self, traffic: Traffic, robot_id: int, motion: MotionConfig) -> None:
        self._traffic: Final = traffic
        self._robot_id: Final = robot_id
        self._motion: Final = motion
        self._pending: PendingPlan[_Direct] | None = None
        self._growth: GrowthInProgress[tuple[GrownTrajectory, list[UniformMotion]]] | None = None
        self._asked_s = -math.inf  # when the traffic was asked whether the robot may drive on, by its trajectory

    @property
    def delay_s(self) -> float:
        """Delay of the way's clock."""
        clock = self._traffic.clock(self._robot_id)
        return 0.0 if clock is None else clock.delay_s

    @property
    def rate(self) -> float:
        """Speed of that clock, from 0 to 1."""
        clock = self._traffic.clock(self._robot_id)
        return 1.0 if clock is None else clock.rate

    @property
    def is_planning(self) -> bool:
        """Whether the way without other robots is being planned, which takes several ticks."""
        return self._pending is not None and not self._traffic.is_planning(self._robot_id)

    @property
    def alone_s(self) -> float | None:
        """Duration, without other robots in its way, of the way that the robot waits for; None while unknown."""
        direct = None if self._pending is None else self._pending.result
        return None if direct is None else direct.trajectory.duration_s

    def plan(self, leg: MovingLeg, pose: Pose2D, remaining_m: float, now_ns: int) -> PlannedLeg | None:
        """Return the robot's current or new way; None while there is none."""
        clock = self._traffic.clock(self._robot_id)
        if clock is None and not self._traffic.is_planning(self._robot_id) and self._traffic.may_ask:
            direct = self._direct(leg, pose, remaining_m)
            if direct is not None and self._may_ask(direct.cut):
                journey = self._journey(leg, pose, remaining_m)
                clock = self._traffic.ask(self._robot_id, journey, direct.trajectory, direct.cut)
        if clock is None:
            return None
        self._pending = self._growth = None
        return PlannedLeg(clock.way.trajectory, round(clock.way.start_s * 1e9))

    def _may_ask(self, cut: list[UniformMotion]) -> bool:
        """Whether this tick has time for the request: a long way takes much of it."""
        steps = len(cut) // _MOTIONS_A_STEP
        return steps <= _FEW_STEPS or self._traffic.budget.reserve(steps, self)

    def _direct(self, leg: MovingLeg, pose: Pose2D, remaining_m: float) -> "_Direct | None":
        """Return the way without other robots; None while it is being planned."""
        pending = self._pending
        if pending is None or not pending.suits(leg, pose, remaining_m):
            pending = PendingPlan(leg, pose, remaining_m, _planning(leg, pose, remaining_m, self._motion))
        pending.advance(self._traffic.budget)
        self._pending = pending
        return pending.result

    def is_obsolete(self) -> bool:
        """Whether the robot needs another way."""
        return self._traffic.is_obsolete(self._robot_id)

    def note_progress(self, plan_time_s: float, now_ns: int) -> None:
        """Set the clock of the way by the robot's place on it."""
        clock = self._traffic.clock(self._robot_id)
        if clock is not None:
            clock.note_progress(plan_time_s, now_ns * 1e-9)

    def plan_growth(self, growing: Steps[GrownTrajectory | None]) -> None:
        """Plan in the next ticks how the robot continues."""
        self._growth, self._asked_s = GrowthInProgress(_cut(growing)), -math.inf

    def grow(self, law_time_s: float) -> GrownTrajectory | None:
        """Return that plan once it is made, if no robot is in its way and it continues the robot's way."""
        clock = self._traffic.clock(self._robot_id)
        if self._growth is None or clock is None:
            return None
        found = self._growth.advance(self._traffic.budget)
        if found is None or law_time_s - self._asked_s < _ASKED_EVERY_S:
            return None
        grown, cut = found[0].aligned(clock.way.trajectory, law_time_s), found[1]
        if not grown.continues(clock.way.trajectory, law_time_s) or not self._may_ask(cut):
            return None
        self._asked_s = law_time_s
        if not self._traffic.may_grow(self._robot_id, grown, cut, law_time_s):
            return None
        self._growth = None
        return grown

    def give_up(self) -> None:
        """Give the way back, and forget the plan in progress."""
        self._pending = self._growth = None
        self._traffic.give_up(self._robot_id)

    def _journey(self, leg: MovingLeg, pose: Pose2D, remaining_m: float) -> Journey:
        if isinstance(leg, FollowLeg):
            return Journey(pose, leg.goal, leg.limits, False, leg.rest(remaining_m))
        return Journey(pose, leg.goal, self._motion.limits, self._motion.backward)


class _Direct:
    """A way without other robots, and its motions up to the horizon, as if it started at 0 s."""

    def __init__(self, trajectory: Trajectory, cut: list[UniformMotion]) -> None:
        self.trajectory: Final = trajectory
        self.cut: Final = cut


def _planning(leg: MovingLeg, pose: Pose2D, remaining_m: float, motion: MotionConfig) -> Steps[_Direct]:
    trajectory = yield from leg.planning(pose, remaining_m, motion)
    cut = yield from cutting(trajectory)
    return _Direct(trajectory, cut)


def _cut(growing: Steps[GrownTrajectory | None]) -> Steps[tuple[GrownTrajectory, list[UniformMotion]] | None]:
    """Find a trajectory and its motions up to the horizon."""
    grown = yield from growing
    return None if grown is None else (grown, (yield from cutting(grown.trajectory)))
