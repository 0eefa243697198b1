"""Paths through waypoints: straight edges, with turns on the spot or rounded corners between them."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from fleet.errors import PathError
from fleet.geometry import Pose2D, wrap_angle
from fleet.paths.path import Path, Piece
from fleet.paths.pieces import Arc, Line, Turn

Point = tuple[float, float]

NEAREST_M = 0.001  # waypoints nearer to each other are one waypoint given twice
_STRAIGHT_RAD = 1e-9  # corners that turn less are not corners
_BACK_RAD = 1e-9  # corners within this angle of a U-turn count as U-turns
_SLACK_M = 1e-9  # shorter edges are left out


def polyline(points_m: Sequence[Point], is_closed: bool) -> Path:
    """Return the path along straight edges with a turn on the spot at every waypoint.

    A closed path returns to its first waypoint and turns there to its initial heading; with two waypoints it goes back
    and forth. Turns by 180 degrees are to the left.

    Raises
    ------
    PathError
        There are fewer than two waypoints, or two consecutive waypoints coincide.
    """
    edges = _edges(points_m, is_closed)
    pieces: list[Piece] = []
    for edge, following in pairwise([*edges, edges[0]] if is_closed else edges):
        pieces += [edge, *turn_to(edge.end, following.start.heading_rad)]
    return Path(pieces if is_closed else [*pieces, edges[-1]])


def rounded_polyline(points_m: Sequence[Point], is_closed: bool, radius_m: float) -> Path:
    """Return the path along straight edges whose corners are rounded by arcs that touch both edges.

    A closed path starts on its first edge, after the first corner, and heads along it.

    Raises
    ------
    PathError
        As `polyline`; the radius is too large at a waypoint; or a corner turns by 180 degrees.
    """
    if not (radius_m > 0.0 and math.isfinite(radius_m)):
        raise PathError(f"corners cannot be rounded with a radius of {radius_m:g} m")
    edges = _edges(points_m, is_closed)
    cuts_m = [
        _cut((index + 1) % len(points_m), edge, following, radius_m)
        for index, (edge, following) in enumerate(pairwise([*edges, edges[0]]))
        if is_closed or index < len(edges) - 1
    ]
    cuts_m = cuts_m if is_closed else [*cuts_m, 0.0]
    pieces: list[Piece] = []
    for index, (edge, following) in enumerate(pairwise([*edges, edges[0]])):
        _check_fit(index, edge, cuts_m[index - 1], cuts_m[index], radius_m)
        pieces += _rounded(edge, cuts_m[index - 1], cuts_m[index], following, radius_m)
    return Path(pieces)


def there_and_back(there: Path, back: Path) -> Path:
    """Return an open path followed by the way back, with left turns at both ends; the result is closed."""
    return Path(
        [
            *there.pieces,
            *turn_to(there.end, back.start.heading_rad),
            *back.pieces,
            *turn_to(back.end, there.start.heading_rad),
        ]
    )


def short_turn(from_rad: float, to_rad: float) -> float:
    """Return the shorter turn between two headings, in (-pi, pi]; 180 degrees are to the left, rounded or not."""
    turn_rad = wrap_angle(to_rad - from_rad)
    return turn_rad + math.tau if turn_rad < _BACK_RAD - math.pi else turn_rad


def _edges(points_m: Sequence[Point], is_closed: bool) -> list[Line]:
    if len(points_m) < 2:
        raise PathError(f"a path through waypoints needs 2 of them, not {len(points_m)}")
    ends = [*range(1, len(points_m)), *([0] if is_closed else [])]
    return [_edge(points_m, index, end) for index, end in enumerate(ends)]


def _edge(points_m: Sequence[Point], start: int, end: int) -> Line:
    (from_x_m, from_y_m), (to_x_m, to_y_m) = points_m[start], points_m[end]
    length_m = math.hypot(to_x_m - from_x_m, to_y_m - from_y_m)
    if not (length_m >= NEAREST_M and math.isfinite(length_m)):
        raise PathError(f"waypoints {start} and {end} are {length_m:.3g} m apart")
    return Line(Pose2D(from_x_m, from_y_m, math.atan2(to_y_m - from_y_m, to_x_m - from_x_m)), length_m)


def turn_to(here: Pose2D, heading_rad: float) -> tuple[Turn, ...]:
    """Return the turn on the spot to a heading; none if it is the same."""
    turn_rad = short_turn(here.heading_rad, heading_rad)
    return (Turn(here, turn_rad),) if abs(turn_rad) > _STRAIGHT_RAD else ()


def _cut(corner: int, edge: Line, following: Line, radius_m: float) -> float:
    """Return the length that the arc at a corner cuts from both edges: radius * tan(angle / 2)."""
    turn_rad = short_turn(edge.start.heading_rad, following.start.heading_rad)
    if abs(abs(turn_rad) - math.pi) < _BACK_RAD:
        raise PathError(f"{_named(corner, edge)} turns back, so no radius can round it")
    return radius_m * math.tan(0.5 * abs(turn_rad)) if abs(turn_rad) > _STRAIGHT_RAD else 0.0


def _check_fit(index: int, edge: Line, before_m: float, after_m: float, radius_m: float) -> None:
    if before_m + after_m > edge.length_m + _SLACK_M:
        fitting_m = radius_m * edge.length_m / (before_m + after_m)
        raise PathError(
            f"the edge from waypoint {index}, {edge.length_m:.3g} m long, is too short for a radius of {radius_m:.3g} m"
            f" at its ends; up to {fitting_m:.3g} m would fit"
        )


def _rounded(edge: Line, before_m: float, after_m: float, following: Line, radius_m: float) -> Iterator[Piece]:
    """Yield the rest of an edge between the arcs at its ends, and the arc at its end."""
    start = edge.sample(before_m).pose
    remaining_m = edge.length_m - before_m - after_m
    if remaining_m > _SLACK_M:
        line = Line(start, remaining_m)
        yield line
        start = line.end
    if after_m > 0.0:
        turn_rad = short_turn(edge.start.heading_rad, following.start.heading_rad)
        yield Arc(start, abs(turn_rad) * radius_m, math.copysign(1.0 / radius_m, turn_rad))


def _named(corner: int, edge: Line) -> str:
    return f"the corner at waypoint {corner}, ({edge.end.x_m:.3g}, {edge.end.y_m:.3g}),"
