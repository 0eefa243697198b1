"""Floors of the traffic benchmark: walls, starts, goals and paths; random parts depend on the seed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

from numpy.random import Generator

from experiments.lab.courses import course_along
from fleet.geometry import Pose2D
from fleet.paths.path import Path
from fleet.paths.polyline import polyline
from simulator.physics.walls import Ends, border

_FROM_EDGE_M = 0.2  # of starts and goals
_WALLED_SIDE_M = 2.4
_GAP_M = 0.24
_CORRIDOR_M = 0.6
_OFF_CENTRE_M = 0.05  # at most, of corridors and doors
_SQUARE_M = 0.8
_CORNER_ROOM_M = 0.25  # from start and end of a path to other paths
_GRID_M = 0.4
_TRIES = 200  # to place all squares, before starting again


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """A floor with its robots.

    Parameters
    ----------
    width_m, height_m : the arena
    walls : walls in the arena
    starts : starts of the robots
    goals : goals of the robots, in order; none if chosen later
    laps : closed paths of the robots, in order; none without paths
    """

    width_m: float
    height_m: float
    starts: tuple[Pose2D, ...]
    walls: tuple[Ends, ...] = ()
    goals: tuple[Pose2D, ...] = ()
    laps: tuple[Path, ...] = ()

    @property
    def borders(self) -> tuple[Ends, ...]:
        """The edges of the arena."""
        return tuple(border(self.width_m, self.height_m))


def circle(robots: int, side_m: float, _: Generator) -> FloorPlan:
    """Return robots on a circle, facing its centre; the goal of each is the place opposite."""
    radius_m, middle_m = 0.5 * side_m - _FROM_EDGE_M, 0.5 * side_m
    angles_rad = [math.tau * index / robots for index in range(robots)]
    facing = [Pose2D(middle_m, middle_m, math.remainder(angle_rad + math.pi, math.tau)) for angle_rad in angles_rad]
    starts = tuple(middle.compose(Pose2D(-radius_m, 0.0, 0.0)) for middle in facing)
    goals = tuple(middle.compose(Pose2D(radius_m, 0.0, 0.0)) for middle in facing)
    return FloorPlan(side_m, side_m, starts, goals=goals)


def hall(robots: int, side_m: float, random: Generator) -> FloorPlan:
    """Return robots evenly spread over a floor, in random order, with random headings."""
    columns = math.ceil(math.sqrt(robots))
    spacing_m = (side_m - 2.0 * _FROM_EDGE_M) / (columns - 1)
    places = [
        (_FROM_EDGE_M + spacing_m * column, _FROM_EDGE_M + spacing_m * row)
        for column, row in product(range(columns), repeat=2)
    ]
    chosen = random.permutation(len(places))[:robots].tolist()
    starts = [Pose2D(places[index][0], places[index][1], random.uniform(-math.pi, math.pi)) for index in chosen]
    return FloorPlan(side_m, side_m, tuple(starts))


def corridor(random: Generator) -> FloorPlan:
    """Return four robots at each end of a corridor of one robot's width; each swaps places with one at the far end."""
    side_m, half_m = _WALLED_SIDE_M, 0.5 * _GAP_M
    y_m = 0.5 * side_m + _off_centre_m(random)
    left_m, right_m = 0.5 * (side_m - _CORRIDOR_M), 0.5 * (side_m + _CORRIDOR_M)
    walls: list[Ends] = []
    for edge_m, mouth_m in ((0.0, y_m - half_m), (side_m, y_m + half_m)):
        walls += [(left_m, edge_m, left_m, mouth_m), (right_m, edge_m, right_m, mouth_m)]
        walls.append((left_m, mouth_m, right_m, mouth_m))
    left = [(0.25 + 0.3 * (index % 2), 0.5 + 0.45 * index) for index in range(4)]
    right = [(side_m - x_m, y_m) for x_m, y_m in left]
    to_right, to_left = random.permutation(4).tolist(), random.permutation(4).tolist()
    starts = [*_facing(left, 0.0), *_facing(right, math.pi)]
    goals = [*_facing([right[index] for index in to_right], 0.0), *_facing([left[index] for index in to_left], math.pi)]
    return FloorPlan(side_m, side_m, tuple(starts), tuple(walls), tuple(goals))


def door(random: Generator) -> FloorPlan:
    """Return ten robots that must all pass a door of one robot's width."""
    side_m, x_m = _WALLED_SIDE_M, 0.5 * _WALLED_SIDE_M
    y_m = 0.5 * side_m + _off_centre_m(random)
    walls = ((x_m, 0.0, x_m, y_m - 0.5 * _GAP_M), (x_m, side_m, x_m, y_m + 0.5 * _GAP_M))
    left = [(0.3 + 0.35 * column, 0.3 + 0.45 * row) for column, row in product(range(2), range(5))]
    to = random.permutation(10).tolist()
    goals = _facing([(side_m - left[index][0], left[index][1]) for index in to], 0.0)
    return FloorPlan(side_m, side_m, tuple(_facing(left, 0.0)), walls, tuple(goals))


def squares(robots: int, side_m: float, random: Generator) -> FloorPlan:
    """Return overlapping squares to follow; no path crosses the start of another path."""
    laps: list[Path] = []
    for _ in range(_TRIES):
        lap = _square(random, side_m)
        if all(_is_clear(lap, other) and _is_clear(other, lap) for other in laps):
            laps.append(lap)
        if len(laps) == robots:
            break
    else:
        return squares(robots, side_m, random)
    return FloorPlan(side_m, side_m, tuple(lap.start for lap in laps), laps=tuple(laps))


def grid(columns: int, rows: int, random: Generator) -> FloorPlan:
    """Return robots on a grid, with random headings."""
    places = product(range(columns), range(rows))
    starts = [
        Pose2D(_GRID_M * (column + 0.5), _GRID_M * (row + 0.5), random.uniform(-math.pi, math.pi))
        for column, row in places
    ]
    return FloorPlan(_GRID_M * columns, _GRID_M * rows, tuple(starts))


def _off_centre_m(random: Generator) -> float:
    return float(random.uniform(-_OFF_CENTRE_M, _OFF_CENTRE_M))


def _facing(places: Sequence[tuple[float, float]], heading_rad: float) -> list[Pose2D]:
    return [Pose2D(x_m, y_m, heading_rad) for x_m, y_m in places]


def _square(random: Generator, side_m: float) -> Path:
    """Return a square anywhere on a floor, in any direction."""
    middle = partial(random.uniform, *_middles_m(side_m))
    centre = Pose2D(middle(), middle(), random.uniform(-math.pi, math.pi))
    half_m = 0.5 * _SQUARE_M
    corners = [(-half_m, -half_m), (half_m, -half_m), (half_m, half_m), (-half_m, half_m)]
    places = [centre.compose(Pose2D(x_m, y_m, 0.0)) for x_m, y_m in corners]
    return polyline([(place.x_m, place.y_m) for place in places], is_closed=True)


def _middles_m(side_m: float) -> tuple[float, float]:
    """Return the range of centres for squares that fit on a floor in any direction."""
    from_edge_m = _FROM_EDGE_M + _SQUARE_M * math.sqrt(0.5)
    return from_edge_m, side_m - from_edge_m


def _is_clear(lap: Path, other: Path) -> bool:
    """Whether a path leaves the start of another path free."""
    course = course_along(lap, 1)
    distance_m: float = course.distances(course_along(other, 1).places[:1])[0]
    return distance_m >= _CORNER_ROOM_M
