"""Cuts trajectories into uniform motions."""

import math
from typing import Final

from fleet.timetable.motion import Interval, UniformMotion, standing
from fleet.timetable.occupancy import HORIZON_S
from fleet.trajectories.counted_work import Effort, Steps
from fleet.trajectories.trajectory import Reference, TimedLeg, Trajectory
from thymio_base.parts import finished

_DEVIATION_M: Final = 0.0015  # largest distance between the trajectory and the uniform motions
_SHARES: Final = [0.25, 0.5, 0.75]
_SHORTEST_S: Final = 0.01
_SURE: Final = 4.0  # times the acceleration at the ends is above any in between
_SAMPLE: Final = 35  # units of work


def motions_of(trajectory: Trajectory, from_s: float = 0.0, until_s: float = HORIZON_S) -> list[UniformMotion]:
    """Return uniform motions within 1.5 mm of a trajectory that starts at 0 s, between two times after its start.

    Turns are not cut, so they may end a little after `until_s`.
    """
    return finished(cutting(trajectory, from_s, until_s))


def cutting(trajectory: Trajectory, from_s: float = 0.0, until_s: float = HORIZON_S) -> Steps[list[UniformMotion]]:
    """Return the same motions, found in steps."""
    cut = _Cut(trajectory)
    first = trajectory.leg_index(from_s)
    start_s = trajectory.leg_start_s(first)
    for index in range(first, len(trajectory.legs)):
        timed = trajectory.legs[index]
        turned_s = start_s + timed.turn.duration_s
        if timed.turn.duration_s > 0.0 and turned_s > from_s:
            cut.motions.append(standing(trajectory.sample(start_s).pose, max(start_s, from_s), turned_s))
        yield from _cut_drive(cut, timed, turned_s, Interval(from_s, until_s))
        start_s = turned_s + timed.drive.duration_s
        if start_s >= until_s:
            break
    return cut.motions


def drive_motions(trajectory: Trajectory, timed: TimedLeg, turned_s: float) -> list[UniformMotion]:
    """Return the uniform motions of a leg that turns until `turned_s`, as if its drive started at 0 s."""
    return finished(cutting_drive(trajectory, timed, turned_s))


def cutting_drive(trajectory: Trajectory, timed: TimedLeg, turned_s: float) -> Steps[list[UniformMotion]]:
    """Return the same motions, found in steps."""
    cut = _Cut(trajectory)
    yield from _cut_drive(cut, timed, turned_s, Interval(0.0, turned_s + HORIZON_S))
    return [motion.later(-turned_s) for motion in cut.motions]


def _cut_drive(cut: "_Cut", timed: TimedLeg, start_s: float, within: Interval) -> Steps[None]:
    first = timed.drive.phase_index(within.start_s - start_s)
    if first > 0:
        start_s += timed.drive.phase_start_s(first)
    phases = timed.drive.phases
    for index in range(first, len(phases)):
        if start_s >= within.end_s:
            break
        end_s = start_s + phases[index].duration_s
        if end_s > within.start_s:
            cut.add(max(start_s, within.start_s), min(end_s, within.end_s))
        start_s = end_s
        if cut.effort.is_much:
            yield cut.effort.take()
    yield cut.effort.take()


class _Cut:
    """The uniform motions cut from a trajectory so far, and the work since the last pause."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.motions: Final[list[UniformMotion]] = []
        self.effort: Final = Effort()
        self._trajectory: Final = trajectory
        self._end_s = -1.0  # end of the last motion ...
        self._end = trajectory.sample(-1.0)  # ... and the reference there

    def add(self, start_s: float, end_s: float) -> None:
        """Add the motion of an interval, halved until it is nearly uniform."""
        first = self._end if start_s == self._end_s else self._sample(start_s)
        last = self._sample(end_s)
        self._add(start_s, first, end_s, last)
        self._end_s, self._end = end_s, last

    def _add(self, start_s: float, first: Reference, end_s: float, last: Reference) -> None:
        duration_s = end_s - start_s
        if duration_s > _SHORTEST_S and not self._is_uniform(first, last, start_s, duration_s):
            middle_s = 0.5 * (start_s + end_s)
            middle = self._sample(middle_s)
            self._add(start_s, first, middle_s, middle)
            self._add(middle_s, middle, end_s, last)
            return
        if duration_s > 0.0:
            here, there = first.pose, last.pose
            vx_mps, vy_mps = (there.x_m - here.x_m) / duration_s, (there.y_m - here.y_m) / duration_s
            self.motions.append(UniformMotion(Interval(start_s, end_s), here.x_m, here.y_m, vx_mps, vy_mps))

    def _is_uniform(self, first: Reference, last: Reference, start_s: float, duration_s: float) -> bool:
        if _is_clearly_uniform(first, last, duration_s):
            return True
        here, there = first.pose, last.pose
        for share in _SHARES:
            place = self._sample(start_s + share * duration_s).pose
            off_x_m = place.x_m - here.x_m - share * (there.x_m - here.x_m)
            off_y_m = place.y_m - here.y_m - share * (there.y_m - here.y_m)
            if off_x_m * off_x_m + off_y_m * off_y_m > _DEVIATION_M * _DEVIATION_M:
                return False
        return True

    def _sample(self, time_s: float) -> Reference:
        self.effort.units += _SAMPLE
        return self._trajectory.sample(time_s)


def _is_clearly_uniform(first: Reference, last: Reference, duration_s: float) -> bool:
    """Whether the accelerations at both ends keep the deviation, at most a T^2 / 8, within bounds."""
    before_mps, after_mps = first.twist.linear_mps, last.twist.linear_mps
    fastest_mps = max(abs(before_mps), abs(after_mps))
    before_radps, after_radps = first.twist.angular_radps, last.twist.angular_radps
    growing_radps = before_radps + first.acceleration.angular_radps2 * duration_s
    turning_radps = max(abs(before_radps), abs(after_radps), abs(growing_radps))
    along_mps2 = max(
        abs(first.acceleration.linear_mps2),
        abs(last.acceleration.linear_mps2),
        abs(after_mps - before_mps) / duration_s,
    )
    most_mps2 = _SURE * math.hypot(along_mps2, fastest_mps * turning_radps)
    return most_mps2 * duration_s * duration_s < 8.0 * _DEVIATION_M
