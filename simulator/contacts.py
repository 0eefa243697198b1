"""Bodies that touch: where, and by how much they are pushed apart and turned.

What a step would overlap is pushed apart so that wheels slide as little as possible: the sum over all bodies of the
squared slides of a robot's two wheels, or of what an object's friction weighs against them, is least. Pushes act along
the normals of the outlines; outlines do not rub. As standing still would undo every overlap, pushes do not lengthen a
step in that measure: contacts take energy, and give none. Only where a corner slips off another one the nearest way
out is not the way back; a step may then be longer by a tenth. No speed is kept from step to step.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from simulator.bodies import Bodies
from simulator.complementarity import pushes
from simulator.manifold import Pair, Point, manifold

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

OVERLAP_M: Final = 1e-4  # what may remain after a step
MARGIN_M: Final = 0.002  # gaps that are wider than this are not looked at; no step closes them
_ROUNDS: Final = 10
_BEND_M: Final = 1e-5  # what turning may add to a gap before pushes are computed again
_CONTACT_M: Final = 1e-6  # points that are further apart do not touch


def settle(bodies: Bodies, places: list[float], pairs: Sequence[Pair]) -> tuple[list[float], list[Pair], list[Pair]]:
    """Push apart what overlaps.

    Parameters
    ----------
    bodies
        all of them
    places
        x, y, heading of each, one after the other
    pairs
        bodies that may touch

    Returns
    -------
    places, touching, close
        where bodies are then, the pairs that touch, and those that are no further apart than the margin
    """
    touching, close = [False] * len(pairs), [False] * len(pairs)
    for _ in range(_ROUNDS):
        points = manifold(bodies.obstacles, places, pairs)
        for index in range(len(points)):
            close[index // 2] = close[index // 2] or points[index].gap_m <= MARGIN_M
        if not any(point.gap_m < -_CONTACT_M for point in points):
            break
        shift, push = _apart(bodies, places, points)
        places = (np.array(places) + shift.ravel()).tolist()
        for index, pushed in enumerate((push > 0.0).tolist()):
            touching[index // 2] = touching[index // 2] or pushed
        if _is_small(shift, bodies.reaches):
            break
    return places, _of(pairs, touching), _of(pairs, close)


def gap_m(bodies: Bodies, places: list[float], pairs: Sequence[Pair]) -> float:
    """Return how far apart those two bodies are that are so least, by which they overlap where it is negative."""
    return min([point.gap_m for point in manifold(bodies.obstacles, places, pairs)])


def _of(pairs: Sequence[Pair], flags: list[bool]) -> list[Pair]:
    return [pairs[index] for index in range(len(pairs)) if flags[index]]


def _is_small(shift: Array, reaches_m: Array) -> bool:
    """Return whether bodies have moved so little that no gap has become another than was computed, and none is new."""
    turned = np.abs(shift[:, 2])
    furthest_m = np.hypot(shift[:, 0], shift[:, 1]) + turned * reaches_m
    return bool(furthest_m.max() < 0.5 * MARGIN_M and (turned**2 * reaches_m).max() < 2.0 * _BEND_M)


def _apart(bodies: Bodies, places: list[float], points: list[Point]) -> tuple[Array, Array]:
    """Return by how much each body moves and turns, (b, 3), and each contact's push, (c,)."""
    pairs: Indices = np.array([point.pair for point in points])
    levers = _levers(np.array(places).reshape(-1, 3)[pairs, :2], points)
    eased = levers * bodies.mobility[pairs]
    response: Array = np.zeros((len(levers), len(levers)))
    for side, other in ((0, 0), (0, 1), (1, 0), (1, 1)):
        is_same = pairs[:, side, None] == pairs[None, :, other]
        response += is_same * (eased[:, side] @ levers[:, other].T)
    push = pushes(response, np.array([point.gap_m for point in points]))
    shift: Array = np.zeros((len(places) // 3, 3))
    np.add.at(shift, pairs, push[:, None, None] * eased)
    return shift, push


def _levers(origins_m: Array, points: list[Point]) -> Array:
    """Return by how much each gap opens as its first and second body move along x, y, and turn; (c, 2, 3).

    The bodies' origins are (c, 2, 2).
    """
    arms = np.array([point.place_m for point in points])[:, None, :] - origins_m
    normals = np.array([point.normal for point in points])[:, None, :] * np.array([[-1.0], [1.0]])
    moments = arms[:, :, 0] * normals[:, :, 1] - arms[:, :, 1] * normals[:, :, 0]
    return np.concatenate((normals, moments[:, :, None]), axis=2)
