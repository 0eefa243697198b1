"""When places and straight motions are taken by other robots."""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from fleet.geometry import Pose2D
from fleet.timetable.motion import Interval, UniformMotion, departures_into, visit
from fleet.timetable.motions_by_place import MotionsByPlace
from fleet.timetable.motions_by_time import MotionsByTime

HORIZON_S: Final = 120.0  # ways are planned this far ahead
_CELL_M: Final = 0.3
_NEAR_M: Final = 0.1  # look-ups cover this margin around a place beside the distance to keep
_ROUNDING_S: Final = 1e-9
_ROUNDING_M: Final = 1e-3
_STRIDE: Final = 100_000  # cells per row
_QUICK: Final = 8  # rectangle checks that take as long as examining one motion
_FEW_PAIRS: Final = 20_000  # of motions; so few are examined without regard to time
_FEW: Final = 200  # motions; so few are examined one by one, more are looked up by place
_SORTED: Final = 4  # motions sorted by place in the time of examining one


class Occupancy:
    """The motions of all robots except those being planned.

    Parameters
    ----------
    motions : motions of the other robots
    apart_m : the distance to keep between two robots' axles
    from_s : motions that end before, or start two minutes later, are ignored
    start : where the way starts; robots nearer than `apart_m` to it may be left, but not approached, until they are
        that far away; the motions of each robot must follow one another

    Attributes
    ----------
    examined : number of examinations of motions, which take almost all the time
    """

    def __init__(
        self, motions: Iterable[UniformMotion], apart_m: float, from_s: float, start: Pose2D | None = None
    ) -> None:
        self.apart_m: Final = apart_m
        self._all: list[UniformMotion] = []
        self._cells: dict[int, list[UniformMotion]] = {}
        self._places: MotionsByPlace | None = None
        self._close: list[tuple[UniformMotion, float]] = []  # of robots too near at first, with their distances
        known = [motion for motion in motions if from_s < motion.end_s and motion.start_s < from_s + HORIZON_S]
        if start is None:
            self._all += known
        else:
            self._sort(known, from_s, start)
        self.examined = len(self._all) // _QUICK

    def _sort(self, motions: list[UniformMotion], from_s: float, start: Pose2D) -> None:
        """Separate motions of robots that are too near to the start of a way, and have not left it, from all others."""
        before: UniformMotion | None = None  # at whose end the robot is still too near to the start
        near_m = self.apart_m
        for motion in motions:
            is_near = before is not None and _goes_on(before, motion)
            before = None
            if not is_near:
                near_m = _distance_m(motion, from_s, start)
                is_near = near_m < self.apart_m
            leaves_s = _leaves_s(motion, start, self.apart_m + _ROUNDING_M) if is_near else motion.start_s
            if leaves_s > motion.start_s:
                self._close.append((motion.until(leaves_s), near_m - _ROUNDING_M))
            if leaves_s < motion.end_s:
                self._all.append(motion.since(leaves_s))
            else:
                before = motion

    def taken(self, x_m: float, y_m: float) -> list[Interval]:
        """Return when a place is taken: disjoint intervals in order."""
        found: list[Interval] = []
        near = self._near(x_m, y_m)
        self.examined += len(near)
        for motion in near:
            interval = visit(x_m, y_m, motion, self.apart_m)
            if interval is not None:
                found.append(interval)
        for motion, near_m in self._close:
            interval = visit(x_m, y_m, motion, near_m)
            if interval is not None:
                found.append(interval)
        return merged(found)

    def short_departures(self, own: UniformMotion, from_s: float) -> list[Interval]:
        """Return the delays from `from_s` on for which a motion of at most 20 cm meets other robots."""
        middle_s = 0.5 * (own.end_s - own.start_s)
        near = self._near(own.x_m + own.vx_mps * middle_s, own.y_m + own.vy_mps * middle_s)
        return merged(self._meetings(own, near, from_s))

    def meetings(self, own: UniformMotion) -> list[Interval]:
        """Return the delays for which a motion meets others: intervals in any order, possibly overlapping."""
        apart_m = self.apart_m
        near = self._within(
            own.low_x_m - apart_m, own.high_x_m + apart_m, own.low_y_m - apart_m, own.high_y_m + apart_m
        )
        return self._meetings(own, near, -math.inf)

    def departures(self, own: Sequence[UniformMotion]) -> list[Interval]:
        """Return the delays for which consecutive motions meet other robots."""
        found: list[Interval] = []
        for part in own:
            found += self.meetings(part)
        return merged(found)

    def meets(self, own: Sequence[UniformMotion], delay_s: float) -> bool:
        """Whether consecutive motions meet other robots if they start later by a delay."""
        return is_in(self.departures_near(own, delay_s, 0.0), delay_s)

    def departures_near(self, own: Sequence[UniformMotion], delay_s: float, near_s: float) -> list[Interval]:
        """Return the delays for which motions meet others; farther than `near_s` from `delay_s`, perhaps only some."""
        if len(own) * len(self._all) <= _FEW_PAIRS:
            return self.departures(own)
        others = MotionsByTime(self._all)
        self.examined += len(self._all) // _QUICK
        first_s, last_s = delay_s - near_s, delay_s + near_s
        found: list[Interval] = []
        for part in own:
            found += self._meetings(part, others.during(part.start_s + first_s, part.end_s + last_s), -math.inf)
        return merged(found)

    def _meetings(self, own: UniformMotion, others: list[UniformMotion], from_s: float) -> list[Interval]:
        """Return the delays from `from_s` on for which a motion meets `others`, or robots too near at first."""
        found: list[Interval] = []
        self.examined += len(others)
        for motion in others:
            if motion.end_s > from_s:
                interval = departures_into(own, motion, self.apart_m)
                if interval is not None:
                    found.append(interval)
        self.examined += len(found)  # these take twice as long
        for motion, near_m in self._close:
            interval = departures_into(own, motion, near_m)
            if interval is not None:
                found.append(interval)
        return found

    def _near(self, x_m: float, y_m: float) -> list[UniformMotion]:
        """Return the motions that come near to the cell of a place; each cell is computed at first use."""
        column, row = math.floor(x_m / _CELL_M), math.floor(y_m / _CELL_M)
        near = self._cells.get(row * _STRIDE + column)
        if near is None:
            reach_m = self.apart_m + _NEAR_M
            low_x_m, high_x_m = column * _CELL_M - reach_m, (column + 1) * _CELL_M + reach_m
            low_y_m, high_y_m = row * _CELL_M - reach_m, (row + 1) * _CELL_M + reach_m
            if len(self._all) > _FEW:
                near = self._within(low_x_m, high_x_m, low_y_m, high_y_m)
                self.examined += len(near)
            else:
                near = [motion for motion in self._all if motion.is_within(low_x_m, high_x_m, low_y_m, high_y_m)]
                self.examined += len(self._all) // _QUICK
            self._cells[row * _STRIDE + column] = near
        return near

    def _within(self, low_x_m: float, high_x_m: float, low_y_m: float, high_y_m: float) -> list[UniformMotion]:
        """Return a superset of the motions that enter a rectangle."""
        if len(self._all) <= _FEW:
            return self._all
        if self._places is None:
            self._places = MotionsByPlace(self._all)
            self.examined += len(self._all) // _SORTED
        return self._places.within(low_x_m, high_x_m, low_y_m, high_y_m)


def within_reach(motions: Iterable[UniformMotion], own: Sequence[UniformMotion], reach_m: float) -> list[UniformMotion]:
    """Return the motions whose rectangles are nearer than `reach_m` to the rectangle around all own motions."""
    if not own:
        return list(motions)
    low_x_m, high_x_m, low_y_m, high_y_m = math.inf, -math.inf, math.inf, -math.inf
    for motion in own:
        low_x_m, high_x_m = min(low_x_m, motion.low_x_m), max(high_x_m, motion.high_x_m)
        low_y_m, high_y_m = min(low_y_m, motion.low_y_m), max(high_y_m, motion.high_y_m)
    low_x_m, high_x_m, low_y_m, high_y_m = low_x_m - reach_m, high_x_m + reach_m, low_y_m - reach_m, high_y_m + reach_m
    return [motion for motion in motions if motion.is_within(low_x_m, high_x_m, low_y_m, high_y_m)]


def _distance_m(motion: UniformMotion, at_s: float, place: Pose2D) -> float:
    """Return the distance of a moving disc from a place at a time; infinite outside the motion's interval."""
    if not motion.start_s <= at_s < motion.end_s:
        return math.inf
    since_s = at_s - motion.start_s
    x_m = motion.x_m if motion.vx_mps == 0.0 else motion.x_m + motion.vx_mps * since_s
    y_m = motion.y_m if motion.vy_mps == 0.0 else motion.y_m + motion.vy_mps * since_s
    return place.distance_to(Pose2D(x_m, y_m, 0.0))


def _leaves_s(motion: UniformMotion, place: Pose2D, apart_m: float) -> float:
    """Return the time until which a moving disc is too near to a place; its end if it stays there."""
    interval = visit(place.x_m, place.y_m, motion, apart_m)
    return motion.start_s if interval is None else interval.end_s


def _goes_on(before: UniformMotion, motion: UniformMotion) -> bool:
    """Whether a motion continues another motion of the same robot."""
    lasted_s = before.duration_s
    return (
        abs(motion.start_s - before.end_s) < _ROUNDING_S
        and abs(motion.x_m - before.x_m - before.vx_mps * lasted_s) < _ROUNDING_M
        and abs(motion.y_m - before.y_m - before.vy_mps * lasted_s) < _ROUNDING_M
    )


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
    """Return the free intervals from a time on; the last may be infinite."""
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
    """Return when a free place is taken next; infinite if never, or if it is taken at that time."""
    for interval in taken:
        if interval.start_s > time_s:
            return interval.start_s
        if interval.end_s > time_s:
            return math.inf
    return math.inf


def is_in(intervals: Sequence[Interval], time_s: float) -> bool:
    """Whether a time lies inside any of the intervals."""
    return any(interval.start_s < time_s < interval.end_s for interval in intervals)


def index_at(taken: Sequence[Interval], time_s: float) -> int:
    """Return the index of the gap between intervals that contains a time; -1 if an interval contains it."""
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
