"""Bodies that touch: where, and by how much they are pushed apart and turned.

What a step would overlap is pushed apart so that wheels slide as little as possible: the sum over all bodies of the
squared slides of a robot's two wheels, or of what an object's friction weighs against them, is least. Pushes act along
the normals of the outlines; outlines do not rub. As standing still would undo every overlap, pushes do not lengthen a
step in that measure: contacts take energy, and give none. Only where a corner slips off another one the nearest way
out is not the way back; a step may then be longer by a tenth. No speed is kept from step to step.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.bodies import Bodies
from simulator.complementarity import pushes

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

OVERLAP_M = 1e-4  # what may remain after a step
MARGIN_M = 0.002  # gaps that are wider than this are not looked at; no step closes them
_ROUNDS = 10
_BEND_M = 1e-5  # what turning may add to a gap before pushes are computed again
_CONTACT_M = 1e-6  # points that are further apart do not touch


@dataclass(frozen=True, slots=True, eq=False)
class Manifold:
    """Where pairs touch: two points each, so c = 2 p.

    `pairs` are (c, 2) bodies, `normals` (c, 2) point from the first to the second, `points_m` (c, 2), `gaps_m` (c,),
    negative ones are overlaps.
    """

    pairs: Indices
    normals: Array
    points_m: Array
    gaps_m: Array


def settle(bodies: Bodies, poses: Array, pairs: Indices) -> tuple[Array, Indices, Indices]:
    """Push apart what overlaps.

    Parameters
    ----------
    bodies
        b of them
    poses
        (b, 3) x, y in metres, heading in radians
    pairs
        (p, 2) bodies that may touch

    Returns
    -------
    poses, touching, close
        (b, 3), the pairs that touch, (t, 2), and those that are no further apart than the margin, (s, 2)
    """
    touching = np.zeros(len(pairs), dtype=bool)
    close = touching.copy()
    settled = poses.copy()
    for _ in range(_ROUNDS):
        manifold = touch(bodies, settled, pairs)
        close |= (manifold.gaps_m <= MARGIN_M).reshape(-1, 2).any(axis=1)
        if not (manifold.gaps_m < -_CONTACT_M).any():
            break
        shift, push = _apart(bodies, settled, manifold)
        settled += shift
        touching |= (push > 0.0).reshape(-1, 2).any(axis=1)
        if _is_small(shift, bodies.reaches):
            break
    return settled, pairs[touching], pairs[close]


def overlap_m(bodies: Bodies, poses: Array, pairs: Indices) -> float:
    """Return by how much that pair overlaps that does so most; 0 where none does."""
    if not len(pairs):
        return 0.0
    return max(0.0, -float(touch(bodies, poses, pairs).gaps_m.min()))


def _is_small(shift: Array, reaches_m: Array) -> bool:
    """Return whether bodies have moved so little that no gap has become another than was computed, and none is new."""
    turned = np.abs(shift[:, 2])
    furthest_m = np.hypot(shift[:, 0], shift[:, 1]) + turned * reaches_m
    return bool(furthest_m.max() < 0.5 * MARGIN_M and (turned**2 * reaches_m).max() < 2.0 * _BEND_M)


def touch(bodies: Bodies, poses: Array, pairs: Indices) -> Manifold:
    """Return two points of contact for each pair, and how far apart the outlines are there."""
    first, second = pairs[:, 0], pairs[:, 1]
    vertices, normals = bodies.placed(pairs.ravel(), poses)
    ours, theirs = vertices[0::2], vertices[1::2]
    our_normals, their_normals = normals[0::2], normals[1::2]
    radii = bodies.radii[first], bodies.radii[second]
    axes = _axes(ours, theirs, our_normals, their_normals, has_discs=bool((radii[0] + radii[1]).any()))
    starts, ends = _facing_edge(ours, our_normals, axes), _facing_edge(theirs, their_normals, -axes)
    points, gaps = _shared_stretch(starts, ends, axes)
    gaps -= (radii[0] + radii[1])[:, None]
    points += (radii[0][:, None] * axes)[:, None, :]
    return Manifold(np.repeat(pairs, 2, axis=0), np.repeat(axes, 2, axis=0), points.reshape(-1, 2), gaps.ravel())


def _axes(ours: Array, theirs: Array, our_normals: Array, their_normals: Array, *, has_discs: bool) -> Array:
    """Return the direction from the first to the second outline in which they are furthest apart; (p, 2).

    Theorem of separating axes: for convex polygons that overlap it is one of the normals; for what a disc is away from,
    it may be the line to the nearest corner.
    """
    axes = np.concatenate((our_normals, -their_normals), axis=1)
    if has_discs:
        between = theirs[:, None, :, :] - ours[:, :, None, :]
        rows = np.arange(len(ours))
        nearest = (between**2).sum(axis=3).reshape(len(ours), -1).argmin(axis=1)
        line = between.reshape(len(ours), -1, 2)[rows, nearest]
        length = np.linalg.norm(line, axis=1)[:, None]
        axes = np.concatenate(
            (axes, np.where(length > 1e-9, line / np.maximum(length, 1e-9), axes[:, 0])[:, None]), axis=1
        )
    turned = axes.transpose(0, 2, 1)
    apart = (theirs @ turned).min(axis=1) - (ours @ turned).max(axis=1)
    best: Array = axes[np.arange(len(ours)), apart.argmax(axis=1)]
    return best


def _facing_edge(vertices: Array, normals: Array, axes: Array) -> tuple[Array, Array]:
    """Return both ends of the edge that looks most along an axis; (p, 2) each."""
    rows = np.arange(len(vertices))
    edge = (normals @ axes[:, :, None])[:, :, 0].argmax(axis=1)
    return vertices[rows, edge], vertices[rows, (edge + 1) % vertices.shape[1]]


def _shared_stretch(ours: tuple[Array, Array], theirs: tuple[Array, Array], axes: Array) -> tuple[Array, Array]:
    """Return points on our edge where the stretch begins and ends that it shares with theirs, and the gaps there.

    Returns
    -------
    points, gaps
        (p, 2, 2) and (p, 2); edges that share nothing touch where they are nearest
    """
    across = np.stack((-axes[:, 1], axes[:, 0]), axis=1)
    places = np.stack([(end * across).sum(axis=1) for end in (*ours, *theirs)])
    low = np.maximum(places[:2].min(axis=0), places[2:].min(axis=0))
    high = np.minimum(places[:2].max(axis=0), places[2:].max(axis=0))
    middle = 0.5 * (low + high)[:, None]
    at = np.where((low <= high)[:, None], np.stack((low, high), axis=1), middle)
    our_points, their_points = _at(ours, places[:2], at), _at(theirs, places[2:], at)
    return our_points, ((their_points - our_points) * axes[:, None, :]).sum(axis=2)


def _at(edge: tuple[Array, Array], places: Array, at: Array) -> Array:
    """Return the points of an edge at two places across the axis, or its nearest end; (p, 2, 2)."""
    length = places[1] - places[0]
    share = (at - places[0][:, None]) / np.where(np.abs(length) < 1e-12, np.inf, length)[:, None]
    points: Array = edge[0][:, None, :] + np.clip(share, 0.0, 1.0)[:, :, None] * (edge[1] - edge[0])[:, None, :]
    return points


def _apart(bodies: Bodies, poses: Array, manifold: Manifold) -> tuple[Array, Array]:
    """Return by how much each body moves and turns, (b, 3), and each contact's push, (c,)."""
    levers = _levers(poses, manifold)
    eased = levers * bodies.mobility[manifold.pairs]
    response: Array = np.zeros((len(levers), len(levers)))
    for side, other in ((0, 0), (0, 1), (1, 0), (1, 1)):
        is_same = manifold.pairs[:, side, None] == manifold.pairs[None, :, other]
        response += is_same * (eased[:, side] @ levers[:, other].T)
    push = pushes(response, manifold.gaps_m)
    shift: Array = np.zeros_like(poses)
    np.add.at(shift, manifold.pairs, push[:, None, None] * eased)
    return shift, push


def _levers(poses: Array, manifold: Manifold) -> Array:
    """Return by how much each gap opens as its first and second body move along x, y, and turn; (c, 2, 3)."""
    arms = manifold.points_m[:, None, :] - poses[manifold.pairs, :2]
    normals = manifold.normals[:, None, :] * np.array([[-1.0], [1.0]])
    moments = arms[:, :, 0] * normals[:, :, 1] - arms[:, :, 1] * normals[:, :, 0]
    return np.concatenate((normals, moments[:, :, None]), axis=2)
