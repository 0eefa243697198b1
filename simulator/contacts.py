"""Bodies that touch: robots are pushed out of each other and out of walls.

A body is one disc here: it covers the Thymio's outline (8 cm ahead of the axle, 3 cm behind it, 11 cm wide) but for
its rear corners, and reaches 1 cm further than its nose.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DISC_AHEAD_M = 0.025  # of the axle
DISC_RADIUS_M = 0.065
_ROUNDS = 30  # pushing one pair apart can push others together
_TOUCHING_M = 1e-7


def disc_centres(positions_m: Array, headings_rad: Array) -> Array:
    """Return the centres of the bodies' discs; (n, 2), in the world's frame."""
    return positions_m + DISC_AHEAD_M * np.stack((np.cos(headings_rad), np.sin(headings_rad)), axis=1)


def resolve(centres_m: Array, walls_m: Array) -> Array:
    """Return by how much each disc must move so that none overlaps another or a wall; (n, 2), metres.

    Parameters
    ----------
    centres_m
        (n, 2) centres of the discs
    walls_m
        (w, 4) walls from (x1, y1) to (x2, y2)
    """
    moved = centres_m.copy()
    for _ in range(_ROUNDS):
        push = _robot_pushes(moved)
        moved += push
        wall_push = _wall_pushes(moved, walls_m)
        moved += wall_push
        if max(np.abs(push).max(initial=0.0), np.abs(wall_push).max(initial=0.0)) < _TOUCHING_M:
            break
    shift: Array = moved - centres_m
    return shift


def _robot_pushes(centres_m: Array) -> Array:
    """Return half of each overlap, away from the other robot, summed over the others."""
    between = centres_m[:, None, :] - centres_m[None, :, :]
    apart_m = np.linalg.norm(between, axis=2)
    np.fill_diagonal(apart_m, np.inf)
    overlap_m = np.maximum(2.0 * DISC_RADIUS_M - apart_m, 0.0)
    if not overlap_m.any():
        return np.zeros_like(centres_m)
    directions = between / np.maximum(apart_m, 1e-9)[:, :, None]
    pushes: Array = 0.5 * (overlap_m[:, :, None] * directions).sum(axis=1)
    return pushes


def _wall_pushes(centres_m: Array, walls_m: Array) -> Array:
    """Return the whole overlap with each wall, away from its nearest point, summed over the walls."""
    away = centres_m[:, None, :] - nearest_points(centres_m, walls_m)
    apart_m = np.linalg.norm(away, axis=2)
    overlap_m = np.maximum(DISC_RADIUS_M - apart_m, 0.0)
    directions = away / np.maximum(apart_m, 1e-9)[:, :, None]
    pushes: Array = (overlap_m[:, :, None] * directions).sum(axis=1)
    return pushes


def nearest_points(points_m: Array, walls_m: Array) -> Array:
    """Return the point of each wall that is nearest to each point; (n, w, 2)."""
    starts, ends = walls_m[:, :2], walls_m[:, 2:]
    along = ends - starts
    lengths = np.maximum((along**2).sum(axis=1), 1e-12)
    share = ((points_m[:, None, :] - starts) * along).sum(axis=2) / lengths
    nearest: Array = starts + np.clip(share, 0.0, 1.0)[:, :, None] * along
    return nearest
