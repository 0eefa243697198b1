"""Earliest conflict-free timing of a trajectory that waits only where it stops."""

import math
from typing import Final

from fleet.routing.arrivals import Drive, PlannedArrival, arrivals_after, turned
from fleet.timetable.motion import Interval, UniformMotion
from fleet.timetable.occupancy import HORIZON_S, Occupancy, free, free_until, merged
from fleet.timetable.uniform_cut import cutting_drive
from fleet.trajectories.counted_work import CountedWork
from fleet.trajectories.profile import Phase, Profile
from fleet.trajectories.trajectory import TimedLeg, Trajectory

_EXAMINED: Final = 1_000  # least number of motions examined in one step of work
_AT_ONCE: Final = 20  # steps of cutting a leg into motions between pauses; shorter legs count as usual
_LEGS_A_STEP: Final = 50  # that get waits


class StopTiming:
    """Finds the earliest arrivals leg by leg.

    Parameters
    ----------
    plan : the trajectory to drive, as fast as alone on the floor
    occupancy : where other robots are, and when
    start_s : the earliest departure

    Attributes
    ----------
    plan : the same
    trajectory : the plan with waits, once found; the robot can stay at its end for ever
    is_over : whether the timing has ended
    """

    def __init__(self, plan: Trajectory, occupancy: Occupancy, start_s: float) -> None:
        self.trajectory: Trajectory | None = None
        self.is_over = False
        self.plan: Final = plan
        self._occupancy: Final = occupancy
        self._arrivals = [starting(plan, occupancy, start_s)]
        self._index = 0  # of the leg
        self._leg_s = 0.0  # its start by the plan
        self._cutting: CountedWork[list[UniformMotion]] | None = None  # of a leg
        self._drive: list[UniformMotion] = []  # the rest of its motions ...
        self._meetings: list[Interval] = []  # ... and the departures that meet others on it

    def advance(self) -> int:
        """Do a small part of the work; return the steps it took beyond the usual."""
        if self._cutting is not None:
            return self._cut(self._cutting)
        if self._drive:
            self._examine()
            return 0
        if self._index == len(self.plan.legs) or self._leg_s > HORIZON_S or not self._arrivals:
            self._end()
            return len(self.plan.legs) // _LEGS_A_STEP
        timed = self.plan.legs[self._index]
        if timed.drive.duration_s == 0.0:
            self._go_on(turned(self._arrivals, timed.turn.duration_s))
            return 0
        return self._cut(CountedWork(cutting_drive(self.plan, timed, self._leg_s + timed.turn.duration_s)))

    def _cut(self, cutting: CountedWork[list[UniformMotion]]) -> int:
        """Cut the drive of the leg into motions, or a part of it."""
        done = cutting.advance(_AT_ONCE)
        self._cutting = None if cutting.is_over else cutting
        if cutting.result is not None:
            self._drive = cutting.result
            self._drive.reverse()
        return 0 if done < _AT_ONCE else done

    def _examine(self) -> None:
        """Find the departures for which some motions of the leg meet others; after the last, end the leg."""
        end = self._occupancy.examined + _EXAMINED
        while self._drive and self._occupancy.examined < end:
            self._meetings += self._occupancy.meetings(self._drive.pop())
        if not self._drive:
            timed = self.plan.legs[self._index]
            place = self.plan.path.sample(timed.leg.to_s_m, arriving=True).pose
            places = free(self._occupancy.taken(place.x_m, place.y_m), -math.inf)
            gaps = free(merged(self._meetings), -math.inf)
            self._meetings = []
            drive = Drive(timed.turn.duration_s, timed.drive.duration_s)
            self._go_on(arrivals_after(self._arrivals, drive, gaps, places))

    def _go_on(self, arrivals: list[PlannedArrival]) -> None:
        """Continue with the next leg."""
        self._arrivals = arrivals
        self._leg_s += self.plan.legs[self._index].duration_s
        self._index += 1

    def _end(self) -> None:
        self.is_over = True
        for arrival in self._arrivals:
            if math.isinf(arrival.until_s):
                self.trajectory = _with_waits(self.plan, arrival.waits_s)
                return


def starting(plan: Trajectory, occupancy: Occupancy, start_s: float) -> PlannedArrival:
    """Return the arrival at the start of a trajectory, where the robot already is."""
    start = plan.path.start
    return PlannedArrival(start_s, free_until(occupancy.taken(start.x_m, start.y_m), start_s), None, 0.0)


def _with_waits(plan: Trajectory, waits_s: list[float]) -> Trajectory:
    """Return a trajectory with a wait before each leg, except before legs beyond the planning horizon."""
    waits_s = waits_s + [0.0] * (len(plan.legs) - len(waits_s))
    legs = [_delayed(timed, wait_s) for timed, wait_s in zip(plan.legs, waits_s, strict=True)]
    return Trajectory(plan.path, legs)


def _delayed(timed: TimedLeg, wait_s: float) -> TimedLeg:
    """Return a leg that starts with a wait."""
    if wait_s <= 0.0:
        return timed
    turn = Profile([Phase(wait_s, 0.0, 0.0), *timed.turn.phases], timed.turn.distance)
    return TimedLeg(timed.leg, turn, timed.drive)
