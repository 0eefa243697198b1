"""The roadmap: places with room for a body, joined by short straight lines with room for it.

A square lattice covers open floor. It may miss passages hardly wider than a body, so places are added on their ridges,
where the clearance is largest.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from fleet.floor.obstacles import Obstacles, Segment
from fleet.geometry import Pose2D
from fleet.settings.config import ArenaConfig

_ROUNDING_M: Final = 1e-6
_FINE: Final = 4  # ridges are searched on a lattice this many times denser
_DIAGONAL: Final = 1.5  # neighbours are at most as far apart as this times the spacing
_THINNED: Final = 0.75  # of the spacing: the distance between places on a ridge
_REACH: Final = 1.5  # of the spacing: the distance at which places are joined to those on ridges
_NEIGHBOURS: Final = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]


class Roadmap:
    """A square lattice of free places with eight neighbours, and places on ridges.

    Parameters
    ----------
    bounds : rectangle for the axles
    obstacles : the obstacles on the floor
    radius_m : the room that a robot needs around its axle
    spacing_m : distance of neighbouring places in the lattice

    Attributes
    ----------
    xs_m, ys_m : coordinates of the places
    neighbours : for each place, the places joined to it by a free line
    lengths_m, bearings_rad : length and bearing of each line to a neighbour
    """

    def __init__(self, bounds: ArenaConfig, obstacles: Obstacles, radius_m: float, spacing_m: float) -> None:
        self.bounds: Final = bounds
        self.spacing_m: Final = spacing_m
        self.xs_m: list[float] = []
        self.ys_m: list[float] = []
        self.neighbours: list[list[int]] = []
        self._obstacles: Final = obstacles
        self._radius_m: Final = radius_m
        self._columns: Final = math.floor((bounds.x_max_m - bounds.x_min_m) / spacing_m + 1e-9) + 1
        self._rows: Final = math.floor((bounds.y_max_m - bounds.y_min_m) / spacing_m + 1e-9) + 1
        self._origin_x_m: Final = 0.5 * (bounds.x_min_m + bounds.x_max_m - (self._columns - 1) * spacing_m)
        self._origin_y_m: Final = 0.5 * (bounds.y_min_m + bounds.y_max_m - (self._rows - 1) * spacing_m)
        self._indices: dict[int, int] = {}
        self._ridge: list[int] = []
        self._is_open: list[bool] = []  # for each place of the lattice: whether all lines to neighbours are free
        self._add_places()
        self._join()
        if obstacles:
            self._add_ridges()
        self.lengths_m: Final[list[list[float]]] = []
        self.bearings_rad: Final[list[list[float]]] = []
        self._measure()
        self._regions: Final = self._connected()

    @property
    def has_obstacles(self) -> bool:
        """Whether there are obstacles on the floor."""
        return bool(self._obstacles)

    @property
    def obstacle_count(self) -> int:
        """The number of walls and sides of areas; the time to check a line grows with it."""
        return len(self._obstacles.segments)

    def is_line_free(self, x1_m: float, y1_m: float, x2_m: float, y2_m: float) -> bool:
        """Whether a robot may drive along a straight line; nearer to obstacles than usual if an end is."""
        if not self._obstacles:
            return True
        start_m = self._obstacles.clearance_m(x1_m, y1_m)
        away_x_m, away_y_m = x2_m - x1_m, y2_m - y1_m
        if start_m - math.sqrt(away_x_m * away_x_m + away_y_m * away_y_m) >= self._radius_m:
            return True  # no obstacle is near enough to any point of the line
        ends_m = min(start_m, self._obstacles.clearance_m(x2_m, y2_m))
        needed_m = min(self._radius_m, ends_m - _ROUNDING_M)
        return self._obstacles.clearance_along_m(Segment(x1_m, y1_m, x2_m, y2_m)) >= needed_m

    def is_polyline_free(self, places_m: Sequence[tuple[float, float]]) -> bool:
        """Whether a robot may drive along straight lines from place to place, with `is_line_free` true for each.

        Clearance changes by no more than the distance moved, so that few lines need a check of the obstacles.
        """
        if not self._obstacles:
            return True
        room_m, seen_x_m, seen_y_m = -math.inf, 0.0, 0.0  # the clearance at the latest place where it was computed
        for (x1_m, y1_m), (x2_m, y2_m) in pairwise(places_m):
            length_m = math.hypot(x2_m - x1_m, y2_m - y1_m) + _ROUNDING_M
            if room_m - math.hypot(x1_m - seen_x_m, y1_m - seen_y_m) - length_m >= self._radius_m:
                continue
            room_m, seen_x_m, seen_y_m = self._obstacles.clearance_m(x1_m, y1_m), x1_m, y1_m
            if room_m - length_m < self._radius_m and not self.is_line_free(x1_m, y1_m, x2_m, y2_m):
                return False
        return True

    def joins(self, start: Pose2D, goal: Pose2D) -> bool:
        """Whether walls leave a way from one pose to another."""
        if self.is_line_free(start.x_m, start.y_m, goal.x_m, goal.y_m):
            return True
        return self.are_connected(self.near(start.x_m, start.y_m), self.near(goal.x_m, goal.y_m))

    def are_connected(self, some: Sequence[int], others: Sequence[int]) -> bool:
        """Whether any of `some` is connected with any of `others`."""
        regions = [self._regions[place] for place in others]
        return any(self._regions[place] in regions for place in some)

    def near(self, x_m: float, y_m: float) -> list[int]:
        """Return the places within one and a half spacings that a free straight line reaches."""
        column = round((x_m - self._origin_x_m) / self.spacing_m)
        row = round((y_m - self._origin_y_m) / self.spacing_m)
        found: list[int] = []
        for row_step in (-1, 0, 1):
            for column_step in (-1, 0, 1):
                index = self._index(column + column_step, row + row_step)
                if index >= 0 and self.is_line_free(x_m, y_m, self.xs_m[index], self.ys_m[index]):
                    found.append(index)
        reach_m = _REACH * self.spacing_m
        for index in self._ridge:
            away_x_m, away_y_m = self.xs_m[index] - x_m, self.ys_m[index] - y_m
            if away_x_m * away_x_m + away_y_m * away_y_m < reach_m * reach_m and self.is_line_free(
                x_m, y_m, self.xs_m[index], self.ys_m[index]
            ):
                found.append(index)
        return found

    def _measure(self) -> None:
        """Compute length and direction of each line to a neighbour."""
        for place, neighbours in enumerate(self.neighbours):
            aways_m = [
                (self.xs_m[other] - self.xs_m[place], self.ys_m[other] - self.ys_m[place]) for other in neighbours
            ]
            self.lengths_m.append([math.sqrt(ahead_m * ahead_m + left_m * left_m) for ahead_m, left_m in aways_m])
            self.bearings_rad.append([math.atan2(left_m, ahead_m) for ahead_m, left_m in aways_m])

    def _connected(self) -> list[int]:
        """Return for each place the lowest index of its connected places."""
        regions = [-1] * len(self.xs_m)
        for first in range(len(regions)):
            open_places = [first] if regions[first] < 0 else []
            while open_places:
                place = open_places.pop()
                if regions[place] < 0:
                    regions[place] = first
                    open_places += self.neighbours[place]
        return regions

    def _add_ridges(self) -> None:
        step_m = self.spacing_m / _FINE
        clearances_m = self._fine_clearances(step_m)
        for row in range(1, len(clearances_m) - 1):
            for column in range(1, len(clearances_m[row]) - 1):
                x_m, y_m = self.bounds.x_min_m + column * step_m, self.bounds.y_min_m + row * step_m
                if self._is_ridge(clearances_m, row, column) and self._obstacles.clearance_m(x_m, y_m) > 0.0:
                    self._add_ridge(x_m, y_m)

    def _fine_clearances(self, step_m: float) -> list[list[float]]:
        """Return the distances from walls and outlines on a dense lattice, by row; infinite where far away."""
        bounds, reach_m = self.bounds, self._radius_m + self.spacing_m
        columns = math.floor((bounds.x_max_m - bounds.x_min_m) / step_m) + 1
        rows = math.floor((bounds.y_max_m - bounds.y_min_m) / step_m) + 1
        clearances_m = [[math.inf] * columns for _ in range(rows)]
        for segment in self._obstacles.segments:
            low_x_m, high_x_m = min(segment.x1_m, segment.x2_m) - reach_m, max(segment.x1_m, segment.x2_m) + reach_m
            low_y_m, high_y_m = min(segment.y1_m, segment.y2_m) - reach_m, max(segment.y1_m, segment.y2_m) + reach_m
            first = max(0, math.ceil((low_x_m - bounds.x_min_m) / step_m))
            last = min(columns - 1, math.floor((high_x_m - bounds.x_min_m) / step_m))
            for row in range(
                max(0, math.ceil((low_y_m - bounds.y_min_m) / step_m)),
                min(rows - 1, math.floor((high_y_m - bounds.y_min_m) / step_m)) + 1,
            ):
                y_m, line = bounds.y_min_m + row * step_m, clearances_m[row]
                for column in range(first, last + 1):
                    line[column] = min(line[column], segment.distance_m(bounds.x_min_m + column * step_m, y_m))
        return clearances_m

    def _is_ridge(self, clearances_m: list[list[float]], row: int, column: int) -> bool:
        """Whether a place is barely free, and has more clearance than the places beside it along x or y."""
        here_m = clearances_m[row][column]
        if not self._radius_m <= here_m < self._radius_m + 0.5 * self.spacing_m:
            return False
        left_m, right_m = clearances_m[row][column - 1], clearances_m[row][column + 1]
        below_m, above_m = clearances_m[row - 1][column], clearances_m[row + 1][column]
        return (here_m > left_m and here_m >= right_m) or (here_m > below_m and here_m >= above_m)

    def _add_ridge(self, x_m: float, y_m: float) -> None:
        """Add a place, unless another is near, and join it with all places within reach."""
        apart_m = _THINNED * self.spacing_m
        for index in self._ridge:
            away_x_m, away_y_m = self.xs_m[index] - x_m, self.ys_m[index] - y_m
            if away_x_m * away_x_m + away_y_m * away_y_m < apart_m * apart_m:
                return
        joined = self.near(x_m, y_m)
        added = len(self.xs_m)
        self.xs_m.append(x_m)
        self.ys_m.append(y_m)
        self.neighbours.append(joined)
        for index in joined:
            self.neighbours[index].append(added)
        self._ridge.append(added)

    def _add_places(self) -> None:
        for row in range(self._rows):
            for column in range(self._columns):
                x_m = self._origin_x_m + column * self.spacing_m
                y_m = self._origin_y_m + row * self.spacing_m
                clearance_m = self._obstacles.clearance_m(x_m, y_m)
                if clearance_m >= self._radius_m:
                    self._indices[row * self._columns + column] = len(self.xs_m)
                    self._is_open.append(clearance_m >= self._radius_m + _DIAGONAL * self.spacing_m)
                    self.xs_m.append(x_m)
                    self.ys_m.append(y_m)

    def _join(self) -> None:
        for row in range(self._rows):
            for column in range(self._columns):
                index = self._index(column, row)
                if index >= 0:
                    self.neighbours.append(self._free_neighbours(index, column, row))

    def _free_neighbours(self, index: int, column: int, row: int) -> list[int]:
        found: list[int] = []
        for column_step, row_step in _NEIGHBOURS:
            other = self._index(column + column_step, row + row_step)
            if other >= 0 and (
                self._is_open[index]
                or self.is_line_free(self.xs_m[index], self.ys_m[index], self.xs_m[other], self.ys_m[other])
            ):
                found.append(other)
        return found

    def _index(self, column: int, row: int) -> int:
        """Return the index of a place of the lattice; -1 if it is not free."""
        if not (0 <= column < self._columns and 0 <= row < self._rows):
            return -1
        return self._indices.get(row * self._columns + column, -1)
