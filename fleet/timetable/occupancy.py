"""When places, and straight lines, are taken by other robots."""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from fleet.geometry import Pose2D
from fleet.timetable.motion import Interval, UniformMotion, departures_into, visit

HORIZON_S: Final = 120.0  # ways are planned for so long
_CELL_M: Final = 0.3
_NEAR_M: Final = 0.1  # lookups cover what is this near to a place, besides the distance to keep
_ROUNDING_S: Final = 1e-9
_ROUNDING_M: Final = 1e-3
_STRIDE: Final = 100_000  # cells of a row


class Occupancy:
    """The motions of all robots but those that a way is planned for.

    Parameters
    ----------
    motions : of the other robots
    apart_m : the distance to keep between two robots' axles
    from_s : what ended before is of no interest, nor what starts two minutes later
    start : where the way starts; robots that are nearer than `apart_m` there may be left, but not approached
    """

    def __init__(
        self, motions: Iterable[UniformMotion], apart_m: float, from_s: float, start: Pose2D | None = None
    ) -> None:
        self.apart_m: Final = apart_m
        self._all: list[UniformMotion] = []
        self._cells: dict[int, list[UniformMotion]] = {}
        self._nothing: list[UniformMotion] = []
        self._close: list[tuple[UniformMotion, float]] = []  # motions that are too near at first, and how near
        for motion in motions:
            if from_s < motion.end_s and motion.start_s < from_s + HORIZON_S:
                near_m = apart_m if start is None else _distance_m(motion, from_s, start)
                if near_m < apart_m:
                    self._close.append((motion, near_m - _ROUNDING_M))
                else:
                    self._all.append(motion)
                    self._register(motion)

    def taken(self, x_m: float, y_m: float) -> list[Interval]:
        """Return when a place is taken: disjoint intervals in order."""
        found: list[Interval] = []
        for motion in self._cells.get(_cell(x_m, y_m), self._nothing):
            interval = visit(x_m, y_m, motion, self.apart_m)
            if interval is not None:
                found.append(interval)
        for motion, near_m in self._close:
            interval = visit(x_m, y_m, motion, near_m)
            if interval is not None:
                found.append(interval)
        return merged(found)

    def short_departures(self, own: UniformMotion, from_s: float) -> list[Interval]:
        """Return the delays, from a time on, with which a motion of at most 20 cm meets somebody."""
        middle_s = 0.5 * (own.end_s - own.start_s)
        x_m, y_m = own.x_m + own.vx_mps * middle_s, own.y_m + own.vy_mps * middle_s
        near = self._cells.get(_cell(x_m, y_m), self._nothing)
        return merged(self._meetings(own, [motion for motion in near if motion.end_s > from_s]))

    def departures(self, own: Sequence[UniformMotion]) -> list[Interval]:
        """Return the delays with which motions, one after the other, meet somebody."""
        found: list[Interval] = []
        for part in own:
            found += self._meetings(part, self._all)
        return merged(found)

    def _meetings(self, own: UniformMotion, others: list[UniformMotion]) -> list[Interval]:
        """Return the delays with which a motion meets any one of others, or of those that are too near at first."""
        found: list[Interval] = []
        for motion in others:
            interval = departures_into(own, motion, self.apart_m)
            if interval is not None:
                found.append(interval)
        for motion, near_m in self._close:
            interval = departures_into(own, motion, near_m)
            if interval is not None:
                found.append(interval)
        return found

    def _register(self, motion: UniformMotion) -> None:
        reach_m = self.apart_m + _NEAR_M
        first_row, last_row = _rank(motion.low_y_m - reach_m), _rank(motion.high_y_m + reach_m)
        first_column, last_column = _rank(motion.low_x_m - reach_m), _rank(motion.high_x_m + reach_m)
        for row in range(first_row, last_row + 1):
            for column in range(first_column, last_column + 1):
                self._cells.setdefault(row * _STRIDE + column, []).append(motion)


def within_reach(motions: Iterable[UniformMotion], own: Sequence[UniformMotion], reach_m: float) -> list[UniformMotion]:
    """Return the motions whose rectangles are nearer than `reach_m` to the rectangle around all own motions."""
    if not own:
        return list(motions)
    low_x_m, high_x_m = min(m.low_x_m for m in own) - reach_m, max(m.high_x_m for m in own) + reach_m
    low_y_m, high_y_m = min(m.low_y_m for m in own) - reach_m, max(m.high_y_m for m in own) + reach_m
    found: list[UniformMotion] = []
    for motion in motions:
        if (
            motion.low_x_m < high_x_m
            and motion.high_x_m > low_x_m
            and motion.low_y_m < high_y_m
            and motion.high_y_m > low_y_m
        ):
            found.append(motion)
    return found


def _distance_m(motion: UniformMotion, at_s: float, place: Pose2D) -> float:
    """Return the distance of a moving disc from a place at a time; infinite if the motion is not on."""
    if not motion.start_s <= at_s < motion.end_s:
        return math.inf
    since_s = at_s - motion.start_s
    x_m = motion.x_m if motion.vx_mps == 0.0 else motion.x_m + motion.vx_mps * since_s
    y_m = motion.y_m if motion.vy_mps == 0.0 else motion.y_m + motion.vy_mps * since_s
    return place.distance_to(Pose2D(x_m, y_m, 0.0))


def merged(intervals: list[Interval]) -> list[Interval]:
    """Return the union of intervals: disjoint, in order."""
    if len(intervals) < 2:
        return intervals
    ordered = sorted(intervals, key=_start_s)
    union: list[Interval] = []
    start_s, end_s = ordered[0].start_s, ordered[0].end_s
    for interval in ordered:
        if interval.start_s > end_s:
            union.append(Interval(start_s, end_s))
            start_s, end_s = interval.start_s, interval.end_s
        elif interval.end_s > end_s:
            end_s = interval.end_s
    union.append(Interval(start_s, end_s))
    return union


def free(taken: Sequence[Interval], from_s: float) -> list[Interval]:
    """Return the intervals from a time on that are not taken; the last one may have no end."""
    gaps: list[Interval] = []
    start_s = from_s
    for interval in taken:
        if interval.start_s > start_s:
            gaps.append(Interval(start_s, interval.start_s))
        start_s = max(start_s, interval.end_s)
    if start_s < math.inf:
        gaps.append(Interval(start_s, math.inf))
    return gaps


def free_until(taken: Sequence[Interval], time_s: float) -> float:
    """Return when a place that is free is taken next; infinite if never, or if it is taken at that time."""
    for interval in taken:
        if interval.start_s > time_s:
            return interval.start_s
        if interval.end_s > time_s:
            return math.inf
    return math.inf


def is_in(intervals: Sequence[Interval], time_s: float) -> bool:
    """Whether a time lies inside one of some intervals."""
    return any(interval.start_s < time_s < interval.end_s for interval in intervals)


def index_at(taken: Sequence[Interval], time_s: float) -> int:
    """Return the number of the gap between intervals that contains a time; -1 if the time lies in an interval."""
    index = 0
    for interval in taken:
        if time_s <= interval.start_s + _ROUNDING_S:
            return index
        if time_s < interval.end_s - _ROUNDING_S:
            return -1
        index += 1
    return index


def _start_s(interval: Interval) -> float:
    return interval.start_s


def _cell(x_m: float, y_m: float) -> int:
    return _rank(y_m) * _STRIDE + _rank(x_m)


def _rank(coordinate_m: float) -> int:
    return math.floor(coordinate_m / _CELL_M)
