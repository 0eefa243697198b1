"""A way: a trajectory at a fixed time, as uniform motions of a disc."""

import math
from typing import Final

from fleet.geometry import Pose2D
from fleet.timetable.motion import Interval, UniformMotion
from fleet.timetable.occupancy import HORIZON_S
from fleet.trajectories.trajectory import TimedLeg, Trajectory

_DEVIATION_M: Final = 0.0015  # largest distance between the trajectory and the uniform motions
_SHARES: Final = [0.25, 0.5, 0.75]
_SHORTEST_S: Final = 0.01


class Way:
    """A trajectory that starts at a fixed time; afterwards the robot stands at its end.

    Parameters
    ----------
    trajectory : where to drive, with times from the start
    start_s : when it starts

    Attributes
    ----------
    known_s : until when its motions are known; a longer way is taken to end there
    is_known : whether all its motions are known
    motions : the way until then, then standing without an end
    """

    def __init__(self, trajectory: Trajectory, start_s: float) -> None:
        self.trajectory: Final = trajectory
        self.start_s: Final = start_s
        self.known_s = start_s
        self.is_known = False
        self.motions: list[UniformMotion] = []
        self.extend(start_s + HORIZON_S)

    def extend(self, until_s: float) -> None:
        """Add the motions until a time."""
        if self.motions:
            self.motions.pop()
        added = motions_of(self.trajectory, self.known_s - self.start_s, until_s - self.start_s)
        self.motions += [motion.later(self.start_s) for motion in added]
        self.known_s = max([self.start_s, *(motion.end_s for motion in self.motions[-1:])])
        self.is_known = until_s >= self.start_s + self.trajectory.duration_s
        end = self.trajectory.sample(self.known_s - self.start_s).pose
        self.motions.append(standing(end, self.known_s, math.inf))


def standing(pose: Pose2D, start_s: float, end_s: float) -> UniformMotion:
    """Return the motion of a robot that stands."""
    return UniformMotion(Interval(start_s, end_s), pose.x_m, pose.y_m, 0.0, 0.0)


def motions_of(trajectory: Trajectory, from_s: float = 0.0, until_s: float = HORIZON_S) -> list[UniformMotion]:
    """Return uniform motions within 1.5 mm of a trajectory, between two times after its start; its start is at 0 s.

    A turn is not cut, so they may end a bit later than `until_s`.
    """
    motions: list[UniformMotion] = []
    start_s = 0.0
    for timed in trajectory.legs:
        turned_s = start_s + timed.turn.duration_s
        if timed.turn.duration_s > 0.0 and turned_s > from_s:
            motions.append(standing(trajectory.sample(start_s).pose, max(start_s, from_s), turned_s))
        _add_drive(motions, trajectory, timed, turned_s, Interval(from_s, until_s))
        start_s = turned_s + timed.drive.duration_s
        if start_s >= until_s:
            break
    return motions


def drive_motions(trajectory: Trajectory, timed: TimedLeg, turned_s: float) -> list[UniformMotion]:
    """Return the uniform motions of one leg of a trajectory, which turns until `turned_s`, as if it drove from 0 s."""
    motions: list[UniformMotion] = []
    _add_drive(motions, trajectory, timed, turned_s, Interval(0.0, turned_s + HORIZON_S))
    return [motion.later(-turned_s) for motion in motions]


def _add_drive(
    motions: list[UniformMotion], trajectory: Trajectory, timed: TimedLeg, start_s: float, within: Interval
) -> None:
    for phase in timed.drive.phases:
        if start_s >= within.end_s:
            break
        end_s = start_s + phase.duration_s
        if end_s > within.start_s:
            _add(motions, trajectory, max(start_s, within.start_s), min(end_s, within.end_s))
        start_s = end_s


def _add(motions: list[UniformMotion], trajectory: Trajectory, start_s: float, end_s: float) -> None:
    """Add the motion of an interval, halved until it is nearly uniform."""
    first, last = trajectory.sample(start_s).pose, trajectory.sample(end_s).pose
    duration_s = end_s - start_s
    if duration_s > _SHORTEST_S and not _is_uniform(trajectory, first, last, start_s, duration_s):
        middle_s = 0.5 * (start_s + end_s)
        _add(motions, trajectory, start_s, middle_s)
        _add(motions, trajectory, middle_s, end_s)
        return
    if duration_s > 0.0:
        vx_mps, vy_mps = (last.x_m - first.x_m) / duration_s, (last.y_m - first.y_m) / duration_s
        motions.append(UniformMotion(Interval(start_s, end_s), first.x_m, first.y_m, vx_mps, vy_mps))


def _is_uniform(trajectory: Trajectory, first: Pose2D, last: Pose2D, start_s: float, duration_s: float) -> bool:
    for share in _SHARES:
        place = trajectory.sample(start_s + share * duration_s).pose
        off_x_m = place.x_m - first.x_m - share * (last.x_m - first.x_m)
        off_y_m = place.y_m - first.y_m - share * (last.y_m - first.y_m)
        if off_x_m * off_x_m + off_y_m * off_y_m > _DEVIATION_M * _DEVIATION_M:
            return False
    return True
