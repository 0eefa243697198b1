"""Routes: the legs that a client requests, and where each of them ends within the legs of its task."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

_KEPT: Final = 1000  # completed legs that are remembered, to recognize repeated ones
NEAR_M: Final = 1e-3  # a drive is over when no more than this is left


class RouteLegKind(Enum):
    """A robot's action on a leg; the value is its public name."""

    DRIVE = "drive"  # in straight lines through points
    TURN = "turn"  # on the spot, to a heading
    WAIT = "wait"  # stand still
    LOAD = "load"  # stand still, then be loaded
    UNLOAD = "unload"  # stand still, then be unloaded
    DOCK = "dock"  # drive onto a charger, until it charges the robot


@dataclass(frozen=True, slots=True)
class RouteLeg:
    """A leg of a route, as requested by a client.

    Parameters
    ----------
    kind : the robot's action
    points_m : for a drive its points, for a dock the charger, in the fleet's frame
    value : for a drive the highest speed [m/s], 0 for the fleet's; for a turn the heading [rad]; otherwise a time [s]
    corner_m : by how much corners of a drive are rounded at most; 0 for the default of all paths
    names : names of stations at the points; "" for points without one
    """

    kind: RouteLegKind
    points_m: tuple[tuple[float, float], ...] = ()
    value: float = 0.0
    corner_m: float = 0.0
    names: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class LegMark:
    """End of a leg of a route: `rest_m` before the end of the task's leg with index `leg`."""

    leg: int
    rest_m: float = 0.0


@dataclass(frozen=True, slots=True)
class Route:
    """The legs of a route, except forgotten ones, and the marks at which they end.

    Parameters
    ----------
    legs, marks : equally many of both
    former : number of forgotten legs, all of which are completed
    """

    legs: tuple[RouteLeg, ...]
    marks: tuple[LegMark, ...]
    former: int = 0

    @property
    def count(self) -> int:
        """Number of legs, including completed ones."""
        return self.former + len(self.legs)

    def has(self, legs: Sequence[RouteLeg], after: int) -> bool:
        """Whether these legs already follow the first `after` ones."""
        first = after - self.former
        return first >= 0 and self.legs[first : first + len(legs)] == tuple(legs)

    def rebased(self, index: int, passed: int) -> "Route":
        """Return the route for a task without its first `index` legs; `passed` of the legs here are completed."""
        forgotten = max(0, min(passed, len(self.legs) - _KEPT))
        marks = tuple(replace(mark, leg=mark.leg - index) for mark in self.marks[forgotten:])
        return Route(self.legs[forgotten:], marks, self.former + forgotten)


@dataclass(frozen=True, slots=True)
class RouteProgress:
    """Progress along a route.

    Parameters
    ----------
    legs_completed : number of completed legs, which is also the index of the current leg
    legs : number of all legs
    leg_remaining_m : remaining length of the current leg; 0 where the robot stands still
    """

    legs_completed: int = 0
    legs: int = 0
    leg_remaining_m: float = 0.0
