"""Rays that end at outlines."""

import numpy as np
from numpy.typing import NDArray

from simulator.bodies import Bodies, Flags, Indices

Array = NDArray[np.float64]

_ROUNDING_M = 1e-9  # walls have no thickness


def distances_m(bodies: Bodies, poses: Array, seen: Indices, origins: Array, directions: Array) -> Array:
    """Return how far along each ray a body is: 0 from inside of it, infinite where the ray misses it; (p, r).

    Parameters
    ----------
    bodies
        all of them
    poses
        (b, 3) where they are
    seen
        (p,) at which of them a bundle of rays looks
    origins, directions
        (p, r, 2) each; directions are units
    """
    distances: Array = np.full(origins.shape[:2], np.inf)
    view, ray = np.nonzero(_passing(bodies, poses, seen, origins, directions))
    if len(view):
        distances[view, ray] = single_distances_m(bodies, poses, seen[view], origins[view, ray], directions[view, ray])
    return distances


def single_distances_m(bodies: Bodies, poses: Array, seen: Indices, origins: Array, directions: Array) -> Array:
    """Return the same for single rays, (r, 2), each of which looks at one of the bodies, (r,)."""
    is_disc = bodies.radii[seen] > 0.0
    if not is_disc.any():
        return _to_polygons(*bodies.placed(seen, poses), origins, directions)
    distances: Array = np.empty(len(seen))
    distances[is_disc] = _to_discs(
        poses[seen[is_disc], :2], bodies.radii[seen[is_disc]], origins[is_disc], directions[is_disc]
    )
    other = ~is_disc
    if other.any():
        distances[other] = _to_polygons(*bodies.placed(seen[other], poses), origins[other], directions[other])
    return distances


def _passing(bodies: Bodies, poses: Array, seen: Indices, origins: Array, directions: Array) -> Flags:
    """Return which rays come near enough to meet the body: through the circle about it; (p, r)."""
    away = poses[seen, None, :2] - origins
    aside = away[:, :, 0] * directions[:, :, 1] - away[:, :, 1] * directions[:, :, 0]
    ahead = away[:, :, 0] * directions[:, :, 0] + away[:, :, 1] * directions[:, :, 1]
    extent = (bodies.reaches + np.hypot(bodies.spans[:, 0], bodies.spans[:, 1]))[seen, None] + _ROUNDING_M
    passing: Flags = (np.abs(aside) <= extent) & (ahead >= -extent)
    return passing


def _to_polygons(vertices: Array, normals: Array, origins: Array, directions: Array) -> Array:
    """Clip each ray by the half-planes behind the edges: it is inside between the last entry and the first exit.

    Outlines are (r, 13, 2), rays (r, 2).
    """
    depth = ((vertices - origins[:, None, :]) * normals).sum(axis=2)
    along = (normals * directions[:, None, :]).sum(axis=2)
    is_parallel = np.abs(along) < 1e-12
    place = depth / np.where(is_parallel, 1.0, along)
    entry = np.where(is_parallel, np.where(depth < 0.0, np.inf, -np.inf), np.where(along < 0.0, place, -np.inf))
    leave = np.where(~is_parallel & (along > 0.0), place, np.inf).min(axis=1)
    enter = np.maximum(entry.max(axis=1), 0.0)
    distances: Array = np.where(enter <= leave + _ROUNDING_M, enter, np.inf)
    return distances


def _to_discs(middles: Array, radii: Array, origins: Array, directions: Array) -> Array:
    """Solve the quadratic equation of ray and circle; middles and rays are (r, 2)."""
    between = middles - origins
    ahead = (between * directions).sum(axis=1)
    half_chord_m2 = radii**2 - ((between**2).sum(axis=1) - ahead**2)
    half_chord = np.sqrt(np.maximum(half_chord_m2, 0.0))
    hits = (half_chord_m2 > 0.0) & (ahead + half_chord >= 0.0)
    distances: Array = np.where(hits, np.maximum(ahead - half_chord, 0.0), np.inf)
    return distances
