"""Horizontal proximity sensors: one ray each, and the infrared response of Enki's Thymio model.

In centimetres the response to an obstacle has m = 4505, x0 = 0.03, c = 73; there is none beyond 14 cm. Positions and
directions are those of Enki; they agree with the robot's URDF to 2 mm and 3 degrees.
"""

import numpy as np
from numpy.typing import NDArray

from simulator.contacts import DISC_RADIUS_M
from simulator.infrared import Response

Array = NDArray[np.float64]

RANGE_M = 0.14
MAX_RAW = 4505
_RESPONSE = Response(MAX_RAW, 0.0003, 0.0073)
_NOISE_RAW = 2.87  # standard deviation
# front: left, mid-left, centre, mid-right, right; back: left, right; in the robot's frame
_POSITIONS_M = np.array(
    [[0.062, 0.0485], [0.075, 0.0255], [0.0795, 0.0], [0.075, -0.0255], [0.062, -0.0485], [-0.0295, 0.0295],
     [-0.0295, -0.0295]]
)  # fmt: skip
_ANGLES_RAD = np.radians([40.0, 20.0, 0.0, -20.0, -40.0, 180.0, 180.0])


def response_raw(distances_m: Array) -> Array:
    """Return what a sensor reads at each distance, without noise; infinite distances read 0."""
    within = distances_m < RANGE_M
    reading: Array = np.where(within, _RESPONSE.raw(np.where(within, distances_m, RANGE_M)), 0.0)
    return reading


def readings_raw(
    positions_m: Array, headings_rad: Array, centres_m: Array, walls_m: Array, random: np.random.Generator
) -> NDArray[np.int64]:
    """Return what the seven sensors of each robot read; (n, 7) words from 0 to 4505.

    Parameters
    ----------
    positions_m
        (n, 2) axle positions
    headings_rad
        (n,)
    centres_m
        (n, 2) centres of the bodies' discs
    walls_m
        (w, 4) walls from (x1, y1) to (x2, y2)
    random
        where the noise comes from
    """
    origins, directions = sensor_rays(positions_m, headings_rad)
    distances = np.minimum(distances_to_walls(origins, directions, walls_m), _to_robots(origins, directions, centres_m))
    clean = response_raw(distances)
    noisy = clean + np.where(clean > 0.0, random.normal(0.0, _NOISE_RAW, clean.shape), 0.0)
    return np.clip(np.rint(noisy), 0, MAX_RAW).astype(np.int64)


def sensor_rays(positions_m: Array, headings_rad: Array) -> tuple[Array, Array]:
    """Return where each sensor sits and where it looks, in the world's frame; (n, 7, 2) each."""
    cosine, sine = np.cos(headings_rad)[:, None], np.sin(headings_rad)[:, None]
    x, y = _POSITIONS_M[:, 0], _POSITIONS_M[:, 1]
    origins = positions_m[:, None, :] + np.stack((cosine * x - sine * y, sine * x + cosine * y), axis=2)
    angles = headings_rad[:, None] + _ANGLES_RAD
    return origins, np.stack((np.cos(angles), np.sin(angles)), axis=2)


def distances_to_walls(origins: Array, directions: Array, walls_m: Array) -> Array:
    """Return the distance along each ray to the first wall, infinite where there is none; (n, 7).

    origin + t direction = start + s along; Cramer's rule gives t >= 0 and 0 <= s <= 1.
    """
    starts, along = walls_m[:, :2], walls_m[:, 2:] - walls_m[:, :2]
    to_start = starts - origins[:, :, None, :]
    across = _cross(directions[:, :, None, :], along)
    with np.errstate(divide="ignore", invalid="ignore"):
        ahead = _cross(to_start, along) / across
        share = _cross(to_start, directions[:, :, None, :]) / across
        hits = (np.abs(across) > 1e-12) & (ahead >= 0.0) & (share >= 0.0) & (share <= 1.0)
        nearest: Array = np.where(hits, ahead, np.inf).min(axis=2, initial=np.inf)
    return nearest


def _to_robots(origins: Array, directions: Array, centres_m: Array) -> Array:
    """Return the distance along each ray to the first other robot's disc; 0 inside of it; (n, 7)."""
    between = centres_m - origins[:, :, None, :]
    ahead = (between * directions[:, :, None, :]).sum(axis=3)
    aside_m2 = (between**2).sum(axis=3) - ahead**2
    half_chord = np.sqrt(np.maximum(DISC_RADIUS_M**2 - aside_m2, 0.0))
    hits = (aside_m2 < DISC_RADIUS_M**2) & (ahead + half_chord >= 0.0)
    count = len(centres_m)
    hits[np.arange(count), :, np.arange(count)] = False
    nearest: Array = np.where(hits, np.maximum(ahead - half_chord, 0.0), np.inf).min(axis=2, initial=np.inf)
    return nearest


def _cross(first: Array, second: Array) -> Array:
    product: Array = first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
    return product
