"""Contact points and gaps of convex outlines; in plain numbers, because few pairs are close to each other."""

import math
from collections.abc import Sequence
from typing import Final

from simulator.outlines.rays import Corner, Obstacle

Pair = tuple[int, int]
Vector = tuple[float, float]

_FAR_M: Final = 1e9
_LEAST_M: Final = 1e-9  # corners closer than this coincide
_LEAST_EDGE_M: Final = 1e-12


class Point:
    """A contact point of two bodies; the normal points from the first to the second; a negative gap is an overlap."""

    def __init__(self, pair: Pair, normal: Vector, place_m: Vector, gap_m: float) -> None:
        self.pair = pair
        self.normal = normal
        self.place_m = place_m
        self.gap_m = gap_m


def axes(obstacles: Sequence[Obstacle], places: list[float], pairs: Sequence[Pair]) -> list[Vector]:
    """Return, for each pair, the direction from first to second body with the largest separation.

    Parameters
    ----------
    obstacles
        all bodies
    places
        x, y and heading of each body, concatenated
    pairs
        pairs of bodies that may touch
    """
    return _axes(obstacles, _corners(obstacles, places, pairs), pairs)


def manifold(
    obstacles: Sequence[Obstacle], places: list[float], pairs: Sequence[Pair], along: Sequence[Vector] | None = None
) -> list[Point]:
    """Return two contact points for each pair, in order, with their gaps along the pair's direction.

    Directions are those of `axes` for the same places unless given in `along`.
    """
    corners = _corners(obstacles, places, pairs)
    if along is None:
        along = _axes(obstacles, corners, pairs)
    points: list[Point] = []
    for index in range(len(pairs)):
        pair = pairs[index]
        radii_m = obstacles[pair[0]].radius_m, obstacles[pair[1]].radius_m
        points += _points(pair, corners[pair[0]], corners[pair[1]], radii_m, along[index])
    return points


def _corners(obstacles: Sequence[Obstacle], places: list[float], pairs: Sequence[Pair]) -> dict[int, list[Corner]]:
    corners: dict[int, list[Corner]] = {}
    for pair in pairs:
        for body in pair:
            if body not in corners:
                corners[body] = placed(obstacles[body], places, body)
    return corners


def _axes(obstacles: Sequence[Obstacle], corners: dict[int, list[Corner]], pairs: Sequence[Pair]) -> list[Vector]:
    has_discs = any(obstacles[body].radius_m > 0.0 for body in corners)
    return [_axis(corners[pair[0]], corners[pair[1]], has_discs) for pair in pairs]


def placed(obstacle: Obstacle, places: list[float], body: int) -> list[Corner]:
    """Return the corners of a body in the world's frame."""
    x_m, y_m, heading_rad = places[3 * body], places[3 * body + 1], places[3 * body + 2]
    cosine, sine = math.cos(heading_rad), math.sin(heading_rad)
    return [
        Corner(
            x_m + cosine * corner.x_m - sine * corner.y_m,
            y_m + sine * corner.x_m + cosine * corner.y_m,
            cosine * corner.normal_x - sine * corner.normal_y,
            sine * corner.normal_x + cosine * corner.normal_y,
        )
        for corner in obstacle.corners
    ]


def _points(pair: Pair, ours: list[Corner], theirs: list[Corner], radii_m: Vector, axis: Vector) -> list[Point]:
    """Return both ends of the interval in which the two facing edges overlap."""
    our_edge, their_edge = _facing(ours, axis[0], axis[1]), _facing(theirs, -axis[0], -axis[1])
    our_start, our_end = ours[our_edge], ours[(our_edge + 1) % len(ours)]
    their_start, their_end = theirs[their_edge], theirs[(their_edge + 1) % len(theirs)]
    from_m, to_m = _across(our_start, axis), _across(our_end, axis)
    their_from_m, their_to_m = _across(their_start, axis), _across(their_end, axis)
    low_m = max(min(from_m, to_m), min(their_from_m, their_to_m))
    high_m = min(max(from_m, to_m), max(their_from_m, their_to_m))
    if low_m > high_m:  # no overlap: the nearest points
        low_m = high_m = 0.5 * (low_m + high_m)
    points: list[Point] = []
    for at_m in (low_m, high_m):
        x_m, y_m = _on_edge(our_start, our_end, from_m, to_m, at_m)
        their_x_m, their_y_m = _on_edge(their_start, their_end, their_from_m, their_to_m, at_m)
        gap_m = (their_x_m - x_m) * axis[0] + (their_y_m - y_m) * axis[1] - radii_m[0] - radii_m[1]
        place_m = x_m + radii_m[0] * axis[0], y_m + radii_m[0] * axis[1]
        points.append(Point(pair, axis, place_m, gap_m))
    return points


def _axis(ours: list[Corner], theirs: list[Corner], has_discs: bool) -> Vector:
    """Return the direction from the first to the second outline with the largest separation.

    Separating axis theorem: for overlapping convex polygons it is one of the normals; for a disc outside a polygon it
    may be the line to the nearest corner.
    """
    best_m, axis_x, axis_y = -_FAR_M, 1.0, 0.0
    for corner in ours:
        least_m = best_m + corner.offset_m
        apart_m = _lowest_m(theirs, corner.normal_x, corner.normal_y, least_m) - corner.offset_m
        if apart_m > best_m:
            best_m, axis_x, axis_y = apart_m, corner.normal_x, corner.normal_y
    for corner in theirs:
        least_m = best_m + corner.offset_m
        apart_m = _lowest_m(ours, corner.normal_x, corner.normal_y, least_m) - corner.offset_m
        if apart_m > best_m:
            best_m, axis_x, axis_y = apart_m, -corner.normal_x, -corner.normal_y
    if has_discs:
        line_x, line_y = _nearest_corners(ours, theirs)
        length_m = math.sqrt(line_x * line_x + line_y * line_y)
        if length_m > _LEAST_M:
            line_x, line_y = line_x / length_m, line_y / length_m
            ends_m = -_lowest_m(ours, -line_x, -line_y, -_FAR_M)
            if _lowest_m(theirs, line_x, line_y, -_FAR_M) - ends_m > best_m:
                axis_x, axis_y = line_x, line_y
    return axis_x, axis_y


def _lowest_m(corners: list[Corner], along_x: float, along_y: float, least_m: float) -> float:
    """Return the lowest coordinate of the corners along a direction, or the first found below `least_m`."""
    lowest_m = _FAR_M
    for corner in corners:
        along_m = corner.x_m * along_x + corner.y_m * along_y
        if along_m < lowest_m:
            lowest_m = along_m
            if lowest_m < least_m:
                break
    return lowest_m


def _nearest_corners(ours: list[Corner], theirs: list[Corner]) -> Vector:
    """Return the vector between the two closest corners."""
    least_m2, line_x, line_y = _FAR_M, 0.0, 0.0
    for our in ours:
        for their in theirs:
            x_m, y_m = their.x_m - our.x_m, their.y_m - our.y_m
            if x_m * x_m + y_m * y_m < least_m2:
                least_m2, line_x, line_y = x_m * x_m + y_m * y_m, x_m, y_m
    return line_x, line_y


def _facing(corners: list[Corner], along_x: float, along_y: float) -> int:
    """Return the index of the edge whose normal is closest to a direction."""
    most, facing = -_FAR_M, 0
    for index in range(len(corners)):
        along = corners[index].normal_x * along_x + corners[index].normal_y * along_y
        if along > most:
            most, facing = along, index
    return facing


def _across(corner: Corner, axis: Vector) -> float:
    """Return the coordinate of a corner across an axis."""
    return corner.y_m * axis[0] - corner.x_m * axis[1]


def _on_edge(start: Corner, end: Corner, from_m: float, to_m: float, at_m: float) -> Vector:
    """Return the point of an edge at a coordinate across the axis, or the edge's nearest end."""
    length_m = to_m - from_m
    share = (at_m - from_m) / length_m if abs(length_m) >= _LEAST_EDGE_M else 0.0
    share = min(max(share, 0.0), 1.0)
    return start.x_m + share * (end.x_m - start.x_m), start.y_m + share * (end.y_m - start.y_m)
