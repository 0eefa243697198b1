"""The floor that a robot's axle may cover before it has stopped."""

import math
from collections.abc import Sequence
from typing import Final

from fleet.floor.obstacles import Obstacles, Segment
from fleet.geometry import Pose2D, Twist2D, wrap_angle
from fleet.settings.config import ArenaConfig
from fleet.wheels.differential_drive import SLIPPING

OBSTACLE: Final = -1  # in the way of a robot, instead of another robot
_CLEARLY: Final = 0.17  # of its length: the sine of 10 degrees
_ROUNDING_M: Final = 1e-6


class Stopping:
    """The motion of a robot that is commanded to stop now.

    Parameters
    ----------
    now : its present pose
    then : its pose when a command sent now takes effect
    twist : its twist at that time
    lag_s : time constant with which its wheels follow commands
    period_s : time until the next command can take effect
    slipping : its present pose if its wheels slip; None if nothing suggests slip
    unturned_rad : missing part of its turn until then if its wheels have slipped since the latest pose
    """

    def __init__(
        self,
        now: Pose2D,
        then: Pose2D,
        twist: Twist2D,
        lag_s: float,
        period_s: float,
        *,
        slipping: Pose2D | None = None,
        unturned_rad: float = 0.0,
    ) -> None:
        self.now: Final = now
        self.then: Final = then
        self.twist: Final = twist
        self.lag_s: Final = lag_s
        self.period_s: Final = period_s
        self.slipping: Final = slipping
        self.unturned_rad: Final = unturned_rad

    def with_slip(self, slipping: Pose2D | None, least_turned_rad: float | None) -> "Stopping":
        """Return the motion of a robot whose wheels may slip.

        Its present pose may also be `slipping`, and its heading `least_turned_rad`; None without slip.
        """
        unturned_rad = 0.0
        if least_turned_rad is not None:
            turns_rad = wrap_angle(self.then.heading_rad - self.now.heading_rad)
            unturned_rad = wrap_angle(self.now.heading_rad - least_turned_rad) + SLIPPING * turns_rad
        return Stopping(
            self.now,
            self.then,
            self.twist,
            self.lag_s,
            self.period_s,
            slipping=slipping,
            unturned_rad=unturned_rad,
        )

    @property
    def least(self) -> Pose2D:
        """The least advanced pose that it may have."""
        return self.now if self.slipping is None else self.slipping


class Sweep:
    """Lines on the floor, and the distance from them within which the axle stays.

    Parameters
    ----------
    lines : at least one
    unsure_m : the distance from them within which the axle is
    commanded : number of lines, at the end, that depend on the next command
    """

    def __init__(self, lines: Sequence[Segment], unsure_m: float, commanded: int = 1) -> None:
        self.lines: Final = lines
        self._commanded: Final = commanded
        self.unsure_m: Final = unsure_m
        low_x_m, high_x_m, low_y_m, high_y_m = math.inf, -math.inf, math.inf, -math.inf
        for line in lines:  # min and max of two numbers are compiled; of a list they are Python calls
            low_x_m, high_x_m = min(low_x_m, line.x1_m), max(high_x_m, line.x1_m)
            low_x_m, high_x_m = min(low_x_m, line.x2_m), max(high_x_m, line.x2_m)
            low_y_m, high_y_m = min(low_y_m, line.y1_m), max(high_y_m, line.y1_m)
            low_y_m, high_y_m = min(low_y_m, line.y2_m), max(high_y_m, line.y2_m)
        self._low_x_m: Final = low_x_m - unsure_m
        self._high_x_m: Final = high_x_m + unsure_m
        self._low_y_m: Final = low_y_m - unsure_m
        self._high_y_m: Final = high_y_m + unsure_m

    def gap_m(self, other: "Sweep") -> float:
        """Return the distance between two sweeps, less their uncertainties."""
        return gap_between_m(self.lines, other.lines) - self.unsure_m - other.unsure_m

    def approaches(self, before: "Sweep", other: "Sweep", apart_m: float) -> bool:
        """Whether it comes nearer than `apart_m` to another sweep, and nearer than `before`, without a command.

        If the robot may be at several places, it must not come nearer from any of them, however near the others are.
        """
        gap_m = self.gap_m(other)
        if gap_m >= apart_m - _ROUNDING_M:
            return False
        if gap_m < before.gap_m(other) - _ROUNDING_M:
            return True
        return self._commanded > 1 and self._part_approaches(before, other, apart_m)

    def _part_approaches(self, before: "Sweep", other: "Sweep", apart_m: float) -> bool:
        """Whether one of the lines that depend on the command approaches another sweep."""
        first, unsure_m = len(self.lines) - self._commanded, self.unsure_m + other.unsure_m
        for line, was in zip(self.lines[first:], before.lines[first:], strict=True):
            part_m, was_m = gap_between_m([line], other.lines), gap_between_m([was], other.lines)
            if part_m < min(apart_m + unsure_m, was_m) - _ROUNDING_M:
                return True
        return False

    def leads_away_from(self, other: "Sweep", *, is_backward: bool) -> bool:
        """Whether its last line leads clearly away from another sweep; if `is_backward`, driven from its end."""
        begin, end = self._driven(is_backward=is_backward)
        begin_m = min([line.distance_m(*begin) for line in other.lines])
        end_m = min([line.distance_m(*end) for line in other.lines])
        return end_m - begin_m >= _CLEARLY * math.dist(begin, end)

    def leads_clear_of(self, obstacles: Obstacles, *, is_backward: bool) -> bool:
        """Whether its last line leads clearly away from obstacles."""
        begin, end = self._driven(is_backward=is_backward)
        return obstacles.clearance_m(*end) - obstacles.clearance_m(*begin) >= _CLEARLY * math.dist(begin, end)

    def leads_inside(self, bounds: ArenaConfig, edge_m: float, *, is_backward: bool) -> bool:
        """Whether its last line leads clearly away from each edge of the arena that is nearer than `edge_m`."""
        begin, end = self._driven(is_backward=is_backward)
        least_m = _CLEARLY * math.dist(begin, end)
        margins_m = zip(_margins_m(bounds, begin), _margins_m(bounds, end), strict=True)
        return all(min(begin_m, end_m) >= edge_m or end_m - begin_m >= least_m for begin_m, end_m in margins_m)

    def _driven(self, *, is_backward: bool) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return start and end of its last line in the direction of driving."""
        last = self.lines[-1]
        first, second = (last.x1_m, last.y1_m), (last.x2_m, last.y2_m)
        return (second, first) if is_backward else (first, second)

    def clearance_m(self, obstacles: Obstacles) -> float:
        """Return the distance from obstacles, less the uncertainty."""
        clearance_m = math.inf
        for line in self.lines:
            clearance_m = min(clearance_m, obstacles.clearance_along_m(line))
        return clearance_m - self.unsure_m

    def margins_m(self, bounds: ArenaConfig) -> list[float]:
        """Return the distances to the four edges of the arena, less the uncertainty; negative outside."""
        return [
            self._low_x_m - bounds.x_min_m,
            bounds.x_max_m - self._high_x_m,
            self._low_y_m - bounds.y_min_m,
            bounds.y_max_m - self._high_y_m,
        ]

    def is_far_from(self, other: "Sweep", apart_m: float) -> bool:
        """Whether two sweeps are certainly at least `apart_m` from each other."""
        return (
            other._low_x_m - self._high_x_m >= apart_m
            or self._low_x_m - other._high_x_m >= apart_m
            or other._low_y_m - self._high_y_m >= apart_m
            or self._low_y_m - other._high_y_m >= apart_m
        )


def gap_between_m(lines: Sequence[Segment], others: Sequence[Segment]) -> float:
    """Return the distance between two sets of lines."""
    gap_m = math.inf
    for line in lines:
        for theirs in others:
            gap_m = min(gap_m, line.gap_m(theirs))
    return gap_m


def _margins_m(bounds: ArenaConfig, place: tuple[float, float]) -> list[float]:
    """Return the distances of a place from the four edges of the arena; negative outside."""
    x_m, y_m = place
    return [x_m - bounds.x_min_m, bounds.x_max_m - x_m, y_m - bounds.y_min_m, bounds.y_max_m - y_m]


def stopping_sweep(stopping: Stopping, twist: Twist2D, driven_s: float | None = None) -> Sweep:
    """Return what a robot sweeps until it has stopped, if commanded `twist` for `driven_s` and then to stop.

    Without `driven_s` the twist lasts for one period. With a first-order lag, the distance until it has stopped is its
    present speed times the lag, plus the commanded speed times that duration. A curved tail deviates from the
    straight line by at most half the turned angle times its length. A robot whose wheels may slip is now anywhere
    between its poses with and without slip, and may drive on from both.
    """
    now, then = stopping.now, stopping.then
    rolled_m = stopping.lag_s * stopping.twist.linear_mps
    if driven_s is None:
        driven_s = stopping.period_s
    ahead_m = rolled_m + driven_s * twist.linear_mps
    turned_rad = stopping.lag_s * stopping.twist.angular_radps + driven_s * twist.angular_radps
    first_m, last_m = min(rolled_m, ahead_m), max(rolled_m, ahead_m)
    first_m, last_m = min(0.0, first_m), max(0.0, last_m)
    lines = [Segment(now.x_m, now.y_m, then.x_m, then.y_m), _along(then, first_m, last_m)]
    unsure_m = 0.5 * (last_m - first_m) * abs(turned_rad)
    slipping = stopping.slipping
    if slipping is None:
        return Sweep(lines, unsure_m)
    moved_m = then.relative_to(now).x_m
    lines.insert(0, Segment(slipping.x_m, slipping.y_m, now.x_m, now.y_m))
    lines.insert(2, _along(slipping, min(0.0, moved_m + first_m), max(0.0, moved_m + last_m)))
    return Sweep(lines, unsure_m, commanded=2)


def line_ahead(pose: Pose2D, length_m: float) -> Sweep:
    """Return the line straight ahead of a pose, or behind it if the length is negative."""
    return Sweep([_along(pose, 0.0, length_m)], 0.0)


def _along(pose: Pose2D, first_m: float, last_m: float) -> Segment:
    """Return the part of the line ahead of a pose between two distances; negative distances are behind it."""
    cosine, sine = math.cos(pose.heading_rad), math.sin(pose.heading_rad)
    return Segment(
        pose.x_m + first_m * cosine,
        pose.y_m + first_m * sine,
        pose.x_m + last_m * cosine,
        pose.y_m + last_m * sine,
    )
