"""Routes: the legs that a client asks for, and where each ends among the legs of the task that performs them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

_KEPT: Final = 1000  # legs that are remembered after their end, to know repeated ones
NEAR_M: Final = 1e-3  # a drive is over when no more than this is left


class RouteLegKind(Enum):
    """What a robot does on a leg; the value is its name for people."""

    DRIVE = "drive"  # in straight lines through points
    TURN = "turn"  # on the spot, to a heading
    WAIT = "wait"  # stand still
    LOAD = "load"  # stand still, and be loaded then
    UNLOAD = "unload"  # stand still, and be unloaded then
    DOCK = "dock"  # drive onto a charger, until it charges the robot


@dataclass(frozen=True, slots=True)
class RouteLeg:
    """A leg of a route, as a client asks for it.

    Parameters
    ----------
    kind : what the robot does
    points_m : of a drive where it leads, of a dock the charger, in the fleet's frame
    value : of a drive the highest speed [m/s], 0 for that of the fleet; of a turn the heading [rad]; else a time [s]
    corner_m : how far corners of a drive are rounded at most; 0 for as far as those of all paths
    names : of the stations at the points; "" where there is none
    """

    kind: RouteLegKind
    points_m: tuple[tuple[float, float], ...] = ()
    value: float = 0.0
    corner_m: float = 0.0
    names: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class LegMark:
    """Where a leg of a route ends: `rest_m` before the end of the task's leg with an index, or at its end."""

    leg: int
    rest_m: float = 0.0


@dataclass(frozen=True, slots=True)
class Route:
    """The legs of a route, all but those that were forgotten, and the marks at which they end.

    Parameters
    ----------
    legs, marks : as many of both
    former : how many legs were forgotten, all of which are over
    """

    legs: tuple[RouteLeg, ...]
    marks: tuple[LegMark, ...]
    former: int = 0

    @property
    def count(self) -> int:
        """How many legs it has, with those that are over."""
        return self.former + len(self.legs)

    def has(self, legs: Sequence[RouteLeg], after: int) -> bool:
        """Whether these legs follow the first `after` ones already."""
        first = after - self.former
        return first >= 0 and self.legs[first : first + len(legs)] == tuple(legs)

    def rebased(self, index: int, passed: int) -> "Route":
        """Return the route of a task without its first `index` legs; `passed` of the legs here are over."""
        forgotten = max(0, min(passed, len(self.legs) - _KEPT))
        marks = tuple(replace(mark, leg=mark.leg - index) for mark in self.marks[forgotten:])
        return Route(self.legs[forgotten:], marks, self.former + forgotten)


@dataclass(frozen=True, slots=True)
class RouteProgress:
    """How far a route is performed.

    Parameters
    ----------
    legs_completed : how many legs are over, which is the number of the current one, from 0
    legs : how many there are
    leg_remaining_m : the way to the end of the current one; 0 where the robot stands
    """

    legs_completed: int = 0
    legs: int = 0
    leg_remaining_m: float = 0.0
