"""Ways as knots, the form in which drivers publish them: poses with times, and uniform motion in between."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fleet.floor.obstacles import Segment
from fleet.geometry import Pose2D
from fleet.timetable.motion import Interval, UniformMotion, standing
from fleet.timetable.way import Way

_LONGEST_M: Final = 2.0  # of one motion, as look-ups use the rectangle around it
_PUNCTUAL_MPS: Final = 0.02  # each second off time counts like a distance of this speed times a second
_EARLY_S: Final = 0.3  # robots are at most this far ahead of their ways


@dataclass(init=False, unsafe_hash=True, slots=True)
class Knot:
    """A pose in the fleet's frame, and its time after the start of the way."""

    time_s: Final[float]
    pose: Final[Pose2D]

    def __init__(self, time_s: float, pose: Pose2D) -> None:
        self.time_s = time_s
        self.pose = pose


def knots_of(way: Way) -> tuple[Knot, ...]:
    """Return the knots of a way, up to the end of its known motions."""
    times_s = [motion.start_s - way.start_s for motion in way.motions]
    return tuple(Knot(time_s, way.trajectory.sample(time_s).pose) for time_s in times_s)


class KnottedWay:
    """A way known only by its knots.

    Parameters
    ----------
    knots : at least one; times ascend
    start_s : when the way starts

    Attributes
    ----------
    motions : the way, then stationary without end
    """

    def __init__(self, knots: Sequence[Knot], start_s: float) -> None:
        self.start_s: Final = start_s
        self.motions: Final = _motions(knots, start_s)

    def place(self, time_s: float) -> Pose2D:
        """Return where the robot is at a time after the start, without its heading."""
        motion = self._motion_at(self.start_s + time_s)
        since_s = max(0.0, self.start_s + time_s - motion.start_s)
        return Pose2D(motion.x_m + motion.vx_mps * since_s, motion.y_m + motion.vy_mps * since_s, 0.0)

    def time_at(self, pose: Pose2D, time_s: float, after_s: float) -> float:
        """Return the time after the start at which the way is nearest to a pose; at most shortly after `time_s`.

        If the robot stays at a place, or comes there again, this is the time there nearest to `time_s`, but not before
        `after_s`.
        """
        latest_s = max(time_s, after_s) + _EARLY_S
        best_s, least_m2 = after_s, math.inf
        for motion in self.motions:
            first_s = max(motion.start_s - self.start_s, after_s)
            last_s = min(motion.end_s - self.start_s, latest_s)
            if first_s > last_s:
                continue
            found_s = min(max(_nearest_s(motion, pose, self.start_s, time_s), first_s), last_s)
            since_s = self.start_s + found_s - motion.start_s
            x_m = motion.x_m + motion.vx_mps * since_s - pose.x_m
            y_m = motion.y_m + motion.vy_mps * since_s - pose.y_m
            off_s = _PUNCTUAL_MPS * (found_s - time_s)
            off2_m2 = x_m * x_m + y_m * y_m + off_s * off_s
            if off2_m2 < least_m2:
                best_s, least_m2 = found_s, off2_m2
        return best_s

    def lines(self, from_s: float, until_s: float) -> list[Segment]:
        """Return the lines that the robot covers between two times after the start; at least one point."""
        here = self.place(from_s)
        found = [Segment(here.x_m, here.y_m, here.x_m, here.y_m)]
        for motion in self.motions:
            first_s = max(motion.start_s, self.start_s + from_s) - motion.start_s
            last_s = min(motion.end_s, self.start_s + until_s) - motion.start_s
            if first_s < last_s and (motion.vx_mps != 0.0 or motion.vy_mps != 0.0):
                x1_m, y1_m = motion.x_m + motion.vx_mps * first_s, motion.y_m + motion.vy_mps * first_s
                x2_m, y2_m = motion.x_m + motion.vx_mps * last_s, motion.y_m + motion.vy_mps * last_s
                found.append(Segment(x1_m, y1_m, x2_m, y2_m))
        return found

    def later(self, delay_s: float) -> list[UniformMotion]:
        """Return the motions of a late robot."""
        return self.motions if delay_s == 0.0 else [motion.later(delay_s) for motion in self.motions]

    def _motion_at(self, time_s: float) -> UniformMotion:
        for motion in self.motions:
            if time_s < motion.end_s:
                return motion
        return self.motions[-1]


def _motions(knots: Sequence[Knot], start_s: float) -> list[UniformMotion]:
    """Return the uniform motions between knots, cut into parts of limited length."""
    motions: list[UniformMotion] = []
    for index in range(len(knots) - 1):
        first, last = knots[index], knots[index + 1]
        duration_s = last.time_s - first.time_s
        if duration_s <= 0.0:
            continue
        dx_m, dy_m = last.pose.x_m - first.pose.x_m, last.pose.y_m - first.pose.y_m
        count = max(1, math.ceil(first.pose.distance_to(last.pose) / _LONGEST_M))
        for part in range(count):
            during = Interval(
                start_s + first.time_s + duration_s * part / count,
                start_s + first.time_s + duration_s * (part + 1) / count,
            )
            x_m, y_m = first.pose.x_m + dx_m * part / count, first.pose.y_m + dy_m * part / count
            motions.append(UniformMotion(during, x_m, y_m, dx_m / duration_s, dy_m / duration_s))
    motions.append(standing(knots[-1].pose, start_s + knots[-1].time_s, math.inf))
    return motions


def _nearest_s(motion: UniformMotion, pose: Pose2D, start_s: float, time_s: float) -> float:
    """Return the time after the start at which a motion is nearest to a pose, as near to `time_s` as possible."""
    vx, vy, weight = motion.vx_mps, motion.vy_mps, _PUNCTUAL_MPS * _PUNCTUAL_MPS
    since_s = motion.start_s - start_s
    along = vx * (pose.x_m - motion.x_m) + vy * (pose.y_m - motion.y_m) + weight * (time_s - since_s)
    return since_s + along / (vx * vx + vy * vy + weight)
