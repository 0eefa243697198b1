"""Obstacles on the floor: walls, keep-out areas, and the edges of the arena."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

BODY_RADIUS_M: Final = 0.08  # a disc about the middle of the axle that contains a Thymio at every heading


@dataclass(init=False, unsafe_hash=True, slots=True)
class Segment:
    """A straight piece of a wall, or of an area's outline, in the fleet's frame [m]."""

    x1_m: Final[float]
    y1_m: Final[float]
    x2_m: Final[float]
    y2_m: Final[float]

    def __init__(self, x1_m: float, y1_m: float, x2_m: float, y2_m: float) -> None:
        self.x1_m = x1_m
        self.y1_m = y1_m
        self.x2_m = x2_m
        self.y2_m = y2_m

    def distance_m(self, x_m: float, y_m: float) -> float:
        """Return the distance from a point."""
        along_x_m, along_y_m = self.x2_m - self.x1_m, self.y2_m - self.y1_m
        from_x_m, from_y_m = x_m - self.x1_m, y_m - self.y1_m
        length2_m2 = along_x_m * along_x_m + along_y_m * along_y_m
        share = (from_x_m * along_x_m + from_y_m * along_y_m) / length2_m2 if length2_m2 > 0.0 else 0.0
        share = min(max(share, 0.0), 1.0)
        aside_x_m, aside_y_m = from_x_m - share * along_x_m, from_y_m - share * along_y_m
        return math.sqrt(aside_x_m * aside_x_m + aside_y_m * aside_y_m)

    def gap_m(self, other: "Segment") -> float:
        """Return the distance between this segment and another; 0 if they cross or touch."""
        if self._separates(other) and other._separates(self):
            return 0.0
        return min(
            self.distance_m(other.x1_m, other.y1_m),
            self.distance_m(other.x2_m, other.y2_m),
            other.distance_m(self.x1_m, self.y1_m),
            other.distance_m(self.x2_m, self.y2_m),
        )

    def _separates(self, other: "Segment") -> bool:
        """Whether the ends of another segment lie on different sides of the line through this one."""
        return (self._side_m2(other.x1_m, other.y1_m) > 0.0) != (self._side_m2(other.x2_m, other.y2_m) > 0.0)

    def _side_m2(self, x_m: float, y_m: float) -> float:
        return (self.x2_m - self.x1_m) * (y_m - self.y1_m) - (self.y2_m - self.y1_m) * (x_m - self.x1_m)


class Area:
    """A keep-out area: a simple polygon.

    Parameters
    ----------
    corners : (x, y) in metres, in order; at least three
    """

    def __init__(self, corners: Sequence[tuple[float, float]]) -> None:
        ends = [*corners[1:], corners[0]]
        self.outline: Final = [Segment(x1, y1, x2, y2) for (x1, y1), (x2, y2) in zip(corners, ends, strict=True)]

    def contains(self, x_m: float, y_m: float) -> bool:
        """Whether a point lies inside: a ray from it crosses the outline an odd number of times."""
        inside = False
        for side in self.outline:
            if (side.y1_m > y_m) != (side.y2_m > y_m):
                share = (y_m - side.y1_m) / (side.y2_m - side.y1_m)
                inside ^= x_m < side.x1_m + share * (side.x2_m - side.x1_m)
        return inside


class Obstacles:
    """The configured obstacles.

    Parameters
    ----------
    walls : straight walls without thickness
    areas : keep-out areas, which no body may touch

    Attributes
    ----------
    segments : the walls, and the outlines of the areas
    """

    def __init__(self, walls: Sequence[Segment] = (), areas: Sequence[Area] = ()) -> None:
        self._areas: Final = list(areas)
        self.segments: Final = [*walls, *(side for area in areas for side in area.outline)]

    def clearance_m(self, x_m: float, y_m: float) -> float:
        """Return the distance from a point to the nearest obstacle; 0 inside an area, infinite without obstacles."""
        for area in self._areas:
            if area.contains(x_m, y_m):
                return 0.0
        nearest_m = math.inf
        for segment in self.segments:
            nearest_m = min(nearest_m, segment.distance_m(x_m, y_m))
        return nearest_m

    def __bool__(self) -> bool:
        return bool(self.segments)

    def clearance_along_m(self, line: Segment) -> float:
        """Return the distance from a straight line to the nearest obstacle; 0 if it crosses one or lies inside."""
        nearest_m = self.clearance_m(line.x1_m, line.y1_m)
        for segment in self.segments:
            nearest_m = min(nearest_m, line.gap_m(segment))
        return nearest_m
