"""Contacts between bodies: where they touch, and how far they are pushed apart and turned.

Overlaps after a step are pushed apart so that wheels slide as little as possible: the sum over all bodies of the
squared slides of a robot's two wheels, or of an object's friction relative to them, is minimal. Pushes act along
the normals of the outlines, without friction. Bodies are pushed apart in the direction of their largest separation
at the start of the step. In that direction standing still would also undo every overlap, even where a corner slips
off another; so pushes never lengthen a step by the measure above, and contacts only dissipate energy. Remaining or
earlier overlaps are resolved along the shortest way out. Contacts carry no velocity from step to step.
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from simulator.outlines.manifold import Pair, Point, axes, manifold
from simulator.physics.bodies import Bodies
from simulator.physics.complementarity import pushes

Array = NDArray[np.float64]

OVERLAP_M: Final = 1e-4  # allowed after a step
MARGIN_M: Final = 0.002  # wider gaps are ignored: no step closes them
_ROUNDS: Final = 10
_BEND_M: Final = 1e-5  # a turn may change a gap by this before pushes are computed again
_OVERLAPS_AT_ONCE: Final = 100  # pairs; a dense crowd of a hundred robots has fewer
_GAPS_AT_ONCE: Final = 150  # pairs
_CROWDED_ROUNDS: Final = 2  # with more than these
_CONTACT_M: Final = 1e-6  # points further apart do not touch


def settle(
    bodies: Bodies, before: list[float], places: list[float], pairs: Sequence[Pair]
) -> tuple[list[float], list[Pair], list[Pair]]:
    """Push apart the bodies that overlap.

    Parameters
    ----------
    bodies
        all bodies
    before, places
        x, y and heading of each body, concatenated: at the start of the step, and after it without contacts
    pairs
        pairs of bodies that may touch

    Returns
    -------
    places, touching, close
        the bodies' new places, the pairs that touch, and the pairs with a gap within the margin
    """
    touching, close = [False] * len(pairs), [False] * len(pairs)
    for number in range(_ROUNDS):
        points = manifold(bodies.obstacles, places, pairs)
        for index in range(len(points)):
            close[index // 2] = close[index // 2] or points[index].gap_m <= MARGIN_M
        if not any(point.gap_m < -_CONTACT_M for point in points):
            break
        if number == 0:
            points = manifold(bodies.obstacles, places, pairs, axes(bodies.obstacles, before, pairs))
        urgent = _urgent(points)
        shift, push = _push_apart(bodies, places, [points[index] for index in urgent])
        places = [places[index] + shift[index] for index in range(len(places))]
        for place in range(len(urgent)):
            touching[urgent[place] // 2] = touching[urgent[place] // 2] or push[place] > 0.0
        if number > 0 and _is_small(shift, bodies.reaches):
            break
        if len(urgent) < len(points) and number + 1 >= _CROWDED_ROUNDS:
            break
    return places, _selected(pairs, touching), _selected(pairs, close)


def _urgent(points: list[Point]) -> list[int]:
    """Return the indices of the points to solve now: all, or those of the deepest overlaps and the smallest gaps.

    A solution takes time proportional to the cube of the number of overlaps. Only bodies placed inside each other
    have more overlaps than the limit; the remaining overlaps are resolved in later steps.
    """
    pairs = range(len(points) // 2)
    if len(pairs) <= _OVERLAPS_AT_ONCE:
        return list(range(len(points)))
    gaps_m = [min(points[2 * pair].gap_m, points[2 * pair + 1].gap_m) for pair in pairs]
    by_gap = sorted(pairs, key=gaps_m.__getitem__)
    overlaps = sum(1 for gap in gaps_m if gap < 0.0)
    chosen = by_gap[: min(overlaps, _OVERLAPS_AT_ONCE)] + by_gap[overlaps : overlaps + _GAPS_AT_ONCE]
    return sorted([2 * pair + side for pair in chosen for side in range(2)])


def gap_m(bodies: Bodies, places: list[float], pairs: Sequence[Pair]) -> float:
    """Return the smallest gap of any pair; negative is an overlap."""
    return min([point.gap_m for point in manifold(bodies.obstacles, places, pairs)])


def _selected(pairs: Sequence[Pair], flags: list[bool]) -> list[Pair]:
    return [pairs[index] for index in range(len(pairs)) if flags[index]]


class _Lever:
    """How much a body's motion along x, along y and its turn open a gap, and how much of each a push causes."""

    def __init__(self, body: int, way: tuple[float, float, float], mobility: tuple[float, float, float]) -> None:
        self.body = body
        self.x, self.y, self.turn = way
        self.eased_x, self.eased_y, self.eased_turn = way[0] * mobility[0], way[1] * mobility[1], way[2] * mobility[2]


def _push_apart(bodies: Bodies, places: list[float], points: list[Point]) -> tuple[list[float], list[float]]:
    """Return each body's motion along x and y and its turn, concatenated, and the push at each point."""
    levers = _levers(bodies, places, points)
    pushed: list[float] = pushes(_response(levers), np.array([point.gap_m for point in points])).tolist()
    shift = [0.0] * len(places)
    for index in range(len(levers)):
        lever, push = levers[index], pushed[index // 2]
        shift[3 * lever.body] += push * lever.eased_x
        shift[3 * lever.body + 1] += push * lever.eased_y
        shift[3 * lever.body + 2] += push * lever.eased_turn
    return shift, pushed


def _levers(bodies: Bodies, places: list[float], points: list[Point]) -> list[_Lever]:
    levers: list[_Lever] = []
    for point in points:
        for side in range(2):
            body, sign = point.pair[side], 2.0 * side - 1.0
            normal_x, normal_y = sign * point.normal[0], sign * point.normal[1]
            arm_x, arm_y = point.place_m[0] - places[3 * body], point.place_m[1] - places[3 * body + 1]
            way = normal_x, normal_y, arm_x * normal_y - arm_y * normal_x
            levers.append(_Lever(body, way, bodies.mobility[body]))
    return levers


def _response(levers: list[_Lever]) -> Array:
    """Return how much each push opens each gap, (c, c); few points share a body, so it is mostly 0."""
    by_body: dict[int, list[int]] = {}
    for index in range(len(levers)):
        by_body.setdefault(levers[index].body, []).append(index)
    rows: list[int] = []
    columns: list[int] = []
    opened: list[float] = []
    for own in by_body.values():
        for one in own:
            lever = levers[one]
            for other in own:
                by = levers[other]
                rows.append(one // 2)
                columns.append(other // 2)
                opened.append(lever.eased_x * by.x + lever.eased_y * by.y + lever.eased_turn * by.turn)
    response: Array = np.zeros((len(levers) // 2, len(levers) // 2))
    np.add.at(response, (rows, columns), opened)
    return response


def _is_small(shift: list[float], reaches_m: list[float]) -> bool:
    """Return whether bodies have moved so little that the computed gaps hold, and no other bodies can touch."""
    for body in range(len(reaches_m)):
        x_m, y_m, turned_rad = shift[3 * body], shift[3 * body + 1], abs(shift[3 * body + 2])
        if math.sqrt(x_m * x_m + y_m * y_m) + turned_rad * reaches_m[body] >= 0.5 * MARGIN_M:
            return False
        if turned_rad * turned_rad * reaches_m[body] >= 2.0 * _BEND_M:
            return False
    return True
