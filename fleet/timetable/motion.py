"""Uniform motions of discs on the floor, and their conflicts in closed form."""

import math
from dataclasses import dataclass
from typing import Final

from fleet.geometry import Pose2D

_SLOW: Final = 1e-12  # squared relative speeds [m^2/s^2] below this count as rest


@dataclass(init=False, unsafe_hash=True, slots=True)
class Interval:
    """A time interval, in seconds; either end may be infinite."""

    start_s: Final[float]
    end_s: Final[float]

    def __init__(self, start_s: float, end_s: float) -> None:
        self.start_s = start_s
        self.end_s = end_s


@dataclass(init=False, unsafe_hash=True, slots=True)
class UniformMotion:
    """A straight motion at constant velocity.

    Parameters
    ----------
    during : its time interval; infinite only for a stationary disc
    x_m, y_m : the position at the start
    vx_mps, vy_mps : the velocity

    Attributes
    ----------
    start_s, end_s : its time interval
    low_x_m, high_x_m, low_y_m, high_y_m : the rectangle that contains all positions
    """

    start_s: Final[float]
    end_s: Final[float]
    x_m: Final[float]
    y_m: Final[float]
    vx_mps: Final[float]
    vy_mps: Final[float]
    low_x_m: Final[float]
    high_x_m: Final[float]
    low_y_m: Final[float]
    high_y_m: Final[float]

    def __init__(self, during: Interval, x_m: float, y_m: float, vx_mps: float, vy_mps: float) -> None:
        self.start_s = during.start_s
        self.end_s = during.end_s
        self.x_m = x_m
        self.y_m = y_m
        self.vx_mps = vx_mps
        self.vy_mps = vy_mps
        end_x_m = x_m if vx_mps == 0.0 else x_m + vx_mps * self.duration_s
        end_y_m = y_m if vy_mps == 0.0 else y_m + vy_mps * self.duration_s
        self.low_x_m = min(x_m, end_x_m)
        self.high_x_m = max(x_m, end_x_m)
        self.low_y_m = min(y_m, end_y_m)
        self.high_y_m = max(y_m, end_y_m)

    @property
    def duration_s(self) -> float:
        """Its duration."""
        return self.end_s - self.start_s

    def is_far_from(self, other: "UniformMotion", apart_m: float) -> bool:
        """Whether the rectangles of two motions are at least `apart_m` from each other, along x or y."""
        return (
            other.low_x_m - self.high_x_m >= apart_m
            or self.low_x_m - other.high_x_m >= apart_m
            or other.low_y_m - self.high_y_m >= apart_m
            or self.low_y_m - other.high_y_m >= apart_m
        )

    def is_within(self, low_x_m: float, high_x_m: float, low_y_m: float, high_y_m: float) -> bool:
        """Whether the rectangle around the motion overlaps another rectangle."""
        return (
            self.low_x_m < high_x_m and self.high_x_m > low_x_m and self.low_y_m < high_y_m and self.high_y_m > low_y_m
        )

    def since(self, time_s: float) -> "UniformMotion":
        """Return the rest of the motion from a time before its end."""
        if time_s <= self.start_s:
            return self
        done_s = time_s - self.start_s
        x_m, y_m = self.x_m + self.vx_mps * done_s, self.y_m + self.vy_mps * done_s
        return UniformMotion(Interval(time_s, self.end_s), x_m, y_m, self.vx_mps, self.vy_mps)

    def until(self, time_s: float) -> "UniformMotion":
        """Return the part of the motion before a time after its start."""
        if time_s >= self.end_s:
            return self
        return UniformMotion(Interval(self.start_s, time_s), self.x_m, self.y_m, self.vx_mps, self.vy_mps)

    def later(self, delay_s: float) -> "UniformMotion":
        """Return the same motion, started later."""
        during = Interval(self.start_s + delay_s, self.end_s + delay_s)
        return UniformMotion(during, self.x_m, self.y_m, self.vx_mps, self.vy_mps)


def standing(pose: Pose2D, start_s: float, end_s: float) -> UniformMotion:
    """Return the motion of a stationary robot."""
    return UniformMotion(Interval(start_s, end_s), pose.x_m, pose.y_m, 0.0, 0.0)


def visit(x_m: float, y_m: float, motion: UniformMotion, apart_m: float) -> Interval | None:
    """Return when a moving disc is nearer than `apart_m` to a place; None if never."""
    first_s, last_s = _within(motion.x_m - x_m, motion.y_m - y_m, motion.vx_mps, motion.vy_mps, apart_m)
    start_s = max(motion.start_s, motion.start_s + first_s)
    end_s = min(motion.end_s, motion.start_s + last_s)
    return Interval(start_s, end_s) if start_s < end_s else None


def departures_into(own: UniformMotion, other: UniformMotion, apart_m: float) -> Interval | None:
    """Return the delays of the own motion for which two discs come nearer than `apart_m`; None for none.

    With the delay d and the time u since the own start, the discs are too near where |p + e u - w d| < apart, with
    e the relative and w the other's velocity: a convex set of (d, u), cut by 0 <= u <= T and by the other's interval.
    Its projection to d is an interval, whose ends lie on one of the four cuts, or where u is free: there the distance
    of the relative motion's line from the origin equals `apart`.
    """
    if own.is_far_from(other, apart_m):
        return None
    if other.vx_mps == 0.0 and other.vy_mps == 0.0:
        return _departures_past(own, other, apart_m)
    if _stays_beside(own, other, apart_m):
        return None
    return _conflict(own, other, apart_m)


def _stays_beside(own: UniformMotion, other: UniformMotion, apart_m: float) -> bool:
    """Whether a motion stays on one side of another motion's line, at least `apart_m` away."""
    vx_mps, vy_mps = other.vx_mps, other.vy_mps
    first = (own.x_m - other.x_m) * vy_mps - (own.y_m - other.y_m) * vx_mps  # distances, times the speed
    last = first + own.duration_s * (own.vx_mps * vy_mps - own.vy_mps * vx_mps)
    least = apart_m * math.sqrt(vx_mps * vx_mps + vy_mps * vy_mps)
    return min(first, last) >= least or max(first, last) <= -least


def _departures_past(own: UniformMotion, other: UniformMotion, apart_m: float) -> Interval | None:
    """Return the delays for which a motion comes too near to a stationary disc."""
    within = _within(own.x_m - other.x_m, own.y_m - other.y_m, own.vx_mps, own.vy_mps, apart_m)
    first_s, last_s = max(within[0], 0.0), min(within[1], own.duration_s)
    if first_s >= last_s:
        return None
    return Interval(other.start_s - own.start_s - last_s, other.end_s - own.start_s - first_s)


def _conflict(own: UniformMotion, other: UniformMotion, apart_m: float) -> Interval | None:
    """Return the delays for which a disc comes too near to a moving one; None for none.

    Written with functions and plain numbers, as planning spends most of its time here.
    """
    lead_s = own.start_s - other.start_s  # of the own start, at delay 0
    other_s = other.end_s - other.start_s
    least_s, most_s = _cut_own(own, other, lead_s, 0.0, apart_m)
    first_s, last_s = _cut_own(own, other, lead_s, own.end_s - own.start_s, apart_m)
    least_s, most_s = min(least_s, first_s), max(most_s, last_s)
    first_s, last_s = _cut_other(own, other, lead_s, 0.0, apart_m)
    least_s, most_s = min(least_s, first_s), max(most_s, last_s)
    if other_s < math.inf:
        first_s, last_s = _cut_other(own, other, lead_s, other_s, apart_m)
        least_s, most_s = min(least_s, first_s), max(most_s, last_s)
    first_s, last_s = _cut_free(own, other, lead_s, apart_m)
    least_s, most_s = min(least_s, first_s), max(most_s, last_s)
    if other_s == math.inf and least_s <= most_s:
        most_s = math.inf  # the other disc stays in the way for ever
    return Interval(least_s, most_s) if least_s < most_s else None


def _cut_own(
    own: UniformMotion, other: UniformMotion, lead_s: float, since_s: float, apart_m: float
) -> tuple[float, float]:
    """Return the least and the largest delay for which the discs are too near at `since_s` after the own start."""
    qx_m = own.x_m - other.x_m - other.vx_mps * lead_s + (own.vx_mps - other.vx_mps) * since_s
    qy_m = own.y_m - other.y_m - other.vy_mps * lead_s + (own.vy_mps - other.vy_mps) * since_s
    first_s, last_s = _within(qx_m, qy_m, -other.vx_mps, -other.vy_mps, apart_m)
    first_s = max(first_s, -lead_s - since_s)  # while the other disc moves: 0 <= lead + delay + since ...
    last_s = min(last_s, other.end_s - other.start_s - lead_s - since_s)  # ... <= its duration
    return (first_s, last_s) if first_s <= last_s else (math.inf, -math.inf)


def _cut_other(
    own: UniformMotion, other: UniformMotion, lead_s: float, since_s: float, apart_m: float
) -> tuple[float, float]:
    """Return the least and the largest delay for which the discs are too near at `since_s` after the other's start."""
    x_m, y_m = other.x_m + other.vx_mps * since_s, other.y_m + other.vy_mps * since_s
    first_s, last_s = _within(own.x_m - x_m, own.y_m - y_m, own.vx_mps, own.vy_mps, apart_m)
    first_s, last_s = max(first_s, 0.0), min(last_s, own.end_s - own.start_s)
    if first_s > last_s:
        return math.inf, -math.inf
    return since_s - lead_s - last_s, since_s - lead_s - first_s


def _cut_free(own: UniformMotion, other: UniformMotion, lead_s: float, apart_m: float) -> tuple[float, float]:
    """Return the least and the largest delay at which the discs just touch at a time inside both intervals."""
    ex, ey = own.vx_mps - other.vx_mps, own.vy_mps - other.vy_mps
    speed2 = ex * ex + ey * ey
    across_m2ps2 = other.vx_mps * ey - other.vy_mps * ex
    if speed2 < _SLOW or across_m2ps2 * across_m2ps2 < _SLOW * speed2:
        return math.inf, -math.inf
    px_m = own.x_m - other.x_m - other.vx_mps * lead_s
    py_m = own.y_m - other.y_m - other.vy_mps * lead_s
    offset, reach = px_m * ey - py_m * ex, apart_m * math.sqrt(speed2)
    before_s, after_s = (offset - reach) / across_m2ps2, (offset + reach) / across_m2ps2
    is_before, is_after = _touch(own, other, lead_s, before_s), _touch(own, other, lead_s, after_s)
    least_s = min(before_s if is_before else math.inf, after_s if is_after else math.inf)
    most_s = max(before_s if is_before else -math.inf, after_s if is_after else -math.inf)
    return least_s, most_s


def _touch(own: UniformMotion, other: UniformMotion, lead_s: float, delay_s: float) -> bool:
    """Whether the discs, at this delay, are nearest at a time when both move."""
    ex, ey = own.vx_mps - other.vx_mps, own.vy_mps - other.vy_mps
    qx_m = own.x_m - other.x_m - other.vx_mps * lead_s - other.vx_mps * delay_s
    qy_m = own.y_m - other.y_m - other.vy_mps * lead_s - other.vy_mps * delay_s
    since_s = -(qx_m * ex + qy_m * ey) / (ex * ex + ey * ey)
    return (
        0.0 <= since_s <= own.end_s - own.start_s and 0.0 <= lead_s + delay_s + since_s <= other.end_s - other.start_s
    )


def _within(qx_m: float, qy_m: float, vx_mps: float, vy_mps: float, apart_m: float) -> tuple[float, float]:
    """Return the first and the last time t with |q + v t| < apart; the last is before the first if there is none."""
    speed2 = vx_mps * vx_mps + vy_mps * vy_mps
    gap2_m2 = qx_m * qx_m + qy_m * qy_m - apart_m * apart_m
    if speed2 < _SLOW:
        return (-math.inf, math.inf) if gap2_m2 < 0.0 else (math.inf, -math.inf)
    half = qx_m * vx_mps + qy_m * vy_mps
    root2 = half * half - speed2 * gap2_m2
    if root2 <= 0.0:
        return math.inf, -math.inf
    root = math.sqrt(root2)
    return (-half - root) / speed2, (-half + root) / speed2
