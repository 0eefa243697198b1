"""Gaps between robots, objects and walls of a recorded world, from their exact outlines."""

import math

import numpy as np
from numpy.typing import NDArray

from simulator.outlines.outline import Outline, thymio
from simulator.physics.objects import object_piece
from simulator.physics.walls import wall
from simulator.world.config import WorldConfig

Array = NDArray[np.float64]

_BATCH = 256  # poses whose exact gaps are computed together


class Clearance:
    """Computes the gaps between a robot and the other bodies of its world.

    Parameters
    ----------
    world : the world, with its objects and walls
    movers : x [m], y [m], heading [rad] of all robots, then of all objects, shape (times, bodies, 3)
    """

    def __init__(self, world: WorldConfig, movers: Array) -> None:
        walls = [wall(ends) for ends in world.walls_m]
        self._movers = movers
        self._outlines = [thymio() for _ in world.robots]
        self._outlines += [object_piece(config).outline for config in world.objects]
        self._outlines += [piece.outline for piece, _ in walls]
        self._spans = [(0.0, 0.0)] * movers.shape[1] + [piece.span_m for piece, _ in walls]
        self._wall_poses = np.array([pose for _, pose in walls], dtype=float).reshape(-1, 3)

    def least_gap_m(self, robot: int, rows: slice) -> float | None:
        """Return the smallest gap between a robot and any other body; 0 if they touch, None without other bodies.

        Parameters
        ----------
        robot
            index of the robot in the world
        rows
            rows of the times
        """
        least_m = math.inf
        for bound_m, body, row in self._candidates(robot, rows):
            if bound_m[0] < least_m:
                near = bound_m < least_m
                ours, theirs = self._poses(robot, rows)[row[near]], self._poses(body, rows)[row[near]]
                gaps_m = gaps(self._outlines[robot], ours, self._outlines[body], theirs)
                least_m = min(least_m, float(gaps_m.min()))
        return None if math.isinf(least_m) else least_m

    def _candidates(self, robot: int, rows: slice) -> list[tuple[Array, int, NDArray[np.int64]]]:
        """Return batches of lower bounds of the gap, body, and rows; the batch with the smallest bound comes first."""
        batches: list[tuple[Array, int, NDArray[np.int64]]] = []
        for body in range(len(self._outlines)):
            if body == robot:
                continue
            bounds_m = self._lower_bounds_m(robot, body, rows)
            order = np.argsort(bounds_m, kind="stable")
            for start in range(0, len(order), _BATCH):
                row = order[start : start + _BATCH]
                batches.append((bounds_m[row], body, row))
        return sorted(batches, key=lambda batch: float(batch[0][0]))

    def _lower_bounds_m(self, robot: int, body: int, rows: slice) -> Array:
        """Return the gaps between circles around the outlines, or between a circle and a wall."""
        away = self._poses(robot, rows)[:, :2] - self._poses(body, rows)[:, :2]
        reach_m, span = self._outlines[robot].reach_m, np.array(self._spans[body])
        if not span.any():
            return _lengths(away) - reach_m - self._outlines[body].reach_m
        share = np.clip(away @ span / (span @ span), -1.0, 1.0)
        return _lengths(away - share[:, None] * span) - reach_m

    def _poses(self, body: int, rows: slice) -> Array:
        count = self._movers.shape[1]
        if body < count:
            return self._movers[rows, body]
        return np.broadcast_to(self._wall_poses[body - count], (len(self._movers[rows]), 3))


def gaps(first: Outline, first_poses: Array, second: Outline, second_poses: Array) -> Array:
    """Return the distance between two convex outlines for each pair of poses; 0 where they overlap.

    The distance between two convex polygons that do not overlap is between a corner of one and an edge of the other.

    Parameters
    ----------
    first, second
        the outlines
    first_poses, second_poses
        x [m], y [m], heading [rad], shape (n, 3)
    """
    ours, theirs = _corners(first, first_poses), _corners(second, second_poses)
    apart_m = np.minimum(_to_edges_m(ours, theirs), _to_edges_m(theirs, ours))
    if not (first.radius_m and second.radius_m):  # two discs have no edges
        apart_m[_overlap(ours, theirs)] = 0.0
    gaps_m: Array = np.maximum(apart_m - first.radius_m - second.radius_m, 0.0)
    return gaps_m


def _corners(outline: Outline, poses: Array) -> Array:
    """Return the corners in the world's frame, shape (n, corners, 2)."""
    cosine, sine = np.cos(poses[:, 2, None]), np.sin(poses[:, 2, None])
    x_m, y_m = outline.vertices_m.T
    return np.stack((poses[:, 0, None] + cosine * x_m - sine * y_m, poses[:, 1, None] + sine * x_m + cosine * y_m), -1)


def _to_edges_m(points: Array, corners: Array) -> Array:
    """Return the smallest distance of any point from any edge, shape (n,)."""
    edges = np.roll(corners, -1, axis=1) - corners
    away = points[:, :, None] - corners[:, None]
    lengths_m2 = np.maximum((edges**2).sum(-1), 1e-24)  # some edges have no length
    share = np.clip((away * edges[:, None]).sum(-1) / lengths_m2[:, None], 0.0, 1.0)
    distances_m: Array = _lengths(away - share[..., None] * edges[:, None]).min(axis=(1, 2))
    return distances_m


def _overlap(ours: Array, theirs: Array) -> NDArray[np.bool_]:
    """Return whether the polygons overlap, shape (n,): no edge of either separates them."""
    return ~(_has_separating_edge(ours, theirs) | _has_separating_edge(theirs, ours))


def _has_separating_edge(corners: Array, others: Array) -> NDArray[np.bool_]:
    edges = np.roll(corners, -1, axis=1) - corners
    normals = np.stack((edges[..., 1], -edges[..., 0]), -1)
    offsets = (normals * corners).sum(-1)
    nearest = np.einsum("nei,nci->nec", normals, others).min(-1)
    is_separating: NDArray[np.bool_] = ((nearest >= offsets) & (edges != 0.0).any(-1)).any(-1)
    return is_separating


def _lengths(vectors: Array) -> Array:
    lengths: Array = np.hypot(vectors[..., 0], vectors[..., 1])
    return lengths
