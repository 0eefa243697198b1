"""Horizontal proximity sensors: rays, and the response of Enki's model or of a real robot.

`enki` is what the Aseba playground has: three rays, 15 degrees apart, whose responses F are joined to
F(left) + F(centre) + F(right) - 2 F(centre / cos 15 degrees). That is F(centre) before a wide wall; where one of the
rays meets nothing within 14 cm the sum jumps, up or down, and small things far away read 0. Colours do not matter.

`smooth` is the response of Enki with the centre ray alone, without these jumps.

`real` is what a robot was measured to read: one ray, a curve for white paper that ends at 1000; darker things
read less.

Positions and directions are those of Enki; they agree with the robot's URDF to 2 mm and 3 degrees.
"""

import enum
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.bodies import Bodies, Indices
from simulator.infrared import MeasuredResponse, Response
from simulator.rays import single_distances_m

Array = NDArray[np.float64]

RANGE_M = 0.14
MAX_RAW = 4505
X0_M = 0.0003
C_M2 = 0.0073
SPREAD_RAD = float(np.radians(15.0))  # between the rays of a sensor
VISIBLE_HEIGHT_M = 0.034  # of the sensors; they see nothing that is lower
BLACK_REFLECTANCE = 0.06  # black paper: 3200 at 1 cm, 1360 at 3 cm, as white at 4.5 and 12.8 cm
WHITE_CURVE_M = tuple(0.01 * number for number in range(15))
WHITE_CURVE_RAW = (
    4450.0, 4430.0, 4410.0, 4120.0, 3450.0, 3010.0, 2680.0, 2460.0, 2280.0, 2100.0, 1930.0, 1790.0, 1520.0, 1330.0,
    1000.0,
)  # fmt: skip
_ENKI = Response(MAX_RAW, X0_M, C_M2)
_REAL = MeasuredResponse(WHITE_CURVE_M, WHITE_CURVE_RAW)
# front: left, mid-left, centre, mid-right, right; back: left, right; in the robot's frame
POSITIONS_M = np.array(
    [[0.062, 0.0485], [0.075, 0.0255], [0.0795, 0.0], [0.075, -0.0255], [0.062, -0.0485], [-0.0295, 0.0295],
     [-0.0295, -0.0295]]
)  # fmt: skip
ANGLES_RAD = np.radians([40.0, 20.0, 0.0, -20.0, -40.0, 180.0, 180.0])
SENSORS = len(ANGLES_RAD)
# the three rays of each sensor in the robot's frame: where they look, and how far the robot's origin is from where they
# begin, back along them and aside
_RAYS = 3 * SENSORS
_SPREADS_RAD = np.array([SPREAD_RAD, 0.0, -SPREAD_RAD])
_RAY_MIDDLES_RAD, _RAY_SPREADS_RAD = np.repeat(ANGLES_RAD, 3), np.tile(_SPREADS_RAD, SENSORS)
_RAY_ANGLES_RAD = _RAY_MIDDLES_RAD + _RAY_SPREADS_RAD
_RAY_COSINES, _RAY_SINES = np.cos(_RAY_ANGLES_RAD), np.sin(_RAY_ANGLES_RAD)
_RAY_X_M, _RAY_Y_M = np.repeat(POSITIONS_M, 3, axis=0).T
_RAY_OFFSETS_M = _RAY_X_M * _RAY_SINES - _RAY_Y_M * _RAY_COSINES
_RAY_STARTS_M = _RAY_X_M * _RAY_COSINES + _RAY_Y_M * _RAY_SINES
_ROUNDING_M = 1e-6  # bodies are taken to be larger by this, and by the margin along rays, before they are left out
_MARGIN_M = 0.002
_PARALLEL_M = 0.001  # half of a wall's extent across a ray, below which it is taken for parallel


class ResponseKind(enum.Enum):
    """Whose sensors the simulated ones are like."""

    ENKI = "enki"  # those of the Aseba playground
    SMOOTH = "smooth"  # the same curve, of one ray
    REAL = "real"  # those of one robot that was measured


@dataclass(frozen=True, slots=True)
class ProximityConfig:
    """How proximity sensors behave."""

    response: ResponseKind = ResponseKind.ENKI
    noise_raw: float = 2.87  # standard deviation; Enki's


def response_raw(distances_m: Array) -> Array:
    """Return Enki's response at each distance, without noise; infinite distances read 0."""
    within = distances_m < RANGE_M
    reading: Array = np.where(within, _ENKI.raw(np.where(within, distances_m, RANGE_M)), 0.0)
    return reading


def enki_raw(distances_m: Array) -> Array:
    """Return what a sensor of Enki reads by its three rays, left, centre and right; (..., 3) to (...)."""
    responses = response_raw(distances_m)
    flat = response_raw(distances_m[..., 1] / np.cos(SPREAD_RAD))  # the outer rays' before a wide wall
    reading: Array = np.clip(responses.sum(axis=-1) - 2.0 * flat, 0.0, MAX_RAW)
    return reading


def real_raw(distances_m: Array, gray: Array) -> Array:
    """Return what a sensor of a real robot reads at each distance of what looks from 0, black, to 1, white."""
    return _REAL.raw(distances_m, BLACK_REFLECTANCE + (1.0 - BLACK_REFLECTANCE) * gray)


def readings_raw(near_m: Array, gray: Array, config: ProximityConfig, random: np.random.Generator) -> NDArray[np.int64]:
    """Return what sensors read; (n, 7) words from 0 to 4505.

    Parameters
    ----------
    near_m, gray
        what `sighted` returns
    config
        how sensors behave
    random
        where the noise comes from
    """
    noise = random.normal(0.0, config.noise_raw, gray.shape)
    if not np.isfinite(near_m).any():
        return np.zeros(gray.shape, dtype=np.int64)
    clean = _clean_raw(near_m, gray, config.response)
    noisy = clean + noise * (clean > 0.0)
    return np.minimum(np.maximum(np.rint(noisy), 0), MAX_RAW).astype(np.int64)


def _clean_raw(near_m: Array, gray: Array, response: ResponseKind) -> Array:
    if response is ResponseKind.ENKI:
        return enki_raw(near_m)
    centre_m = near_m[..., 1]
    return response_raw(centre_m) if response is ResponseKind.SMOOTH else real_raw(centre_m, gray)


def sighted(bodies: Bodies, poses: Array, robots: int, pairs: Indices) -> tuple[Array, Array]:
    """Return what the rays of each robot's sensors meet.

    Parameters
    ----------
    bodies
        the first of them are robots
    poses
        (b, 3)
    robots
        how many robots there are
    pairs
        (p, 2) bodies that are near each other, each pair once

    Returns
    -------
    near_m, gray
        how far the left, centre and right ray of each sensor go, infinite for what meets nothing within the range,
        (n, 7, 3); how gray it is where the centre ones end, (n, 7)
    """
    watchers, seen, rays = _meeting(bodies, poses, *_views(pairs, robots))
    near: Array = np.full(robots * _RAYS, np.inf)
    gray: Array = np.ones(robots * _RAYS)
    if len(seen):
        ways = single_distances_m(bodies, poses, seen, *_rays(poses[watchers], rays))
        places = watchers * _RAYS + rays
        np.minimum.at(near, places, ways)
        is_nearest = np.isfinite(ways) & (ways == near[places])
        gray[places[is_nearest]] = bodies.gray[seen[is_nearest]]
    return near.reshape(robots, SENSORS, 3), gray.reshape(robots, SENSORS, 3)[:, :, 1]


def sensor_rays(poses: Array) -> tuple[Array, Array]:
    """Return where each sensor sits and where it looks, in the world's frame; (n, 3) poses to (n, 7, 2) each."""
    cosine, sine = np.cos(poses[:, 2])[:, None], np.sin(poses[:, 2])[:, None]
    x, y = POSITIONS_M[:, 0], POSITIONS_M[:, 1]
    origins = poses[:, None, :2] + np.stack((cosine * x - sine * y, sine * x + cosine * y), axis=2)
    angles = poses[:, 2, None] + ANGLES_RAD
    return origins, np.stack((np.cos(angles), np.sin(angles)), axis=2)


def _views(pairs: Indices, robots: int) -> tuple[Indices, Indices]:
    """Return which robot may see which body."""
    by_robots = pairs[pairs[:, 0] < robots]
    back = by_robots[by_robots[:, 1] < robots]
    return np.concatenate((by_robots[:, 0], back[:, 1])), np.concatenate((by_robots[:, 1], back[:, 0]))


def _meeting(bodies: Bodies, poses: Array, watchers: Indices, seen: Indices) -> tuple[Indices, Indices, Indices]:
    """Return which rays of which robots may meet which bodies within the range.

    They do where they enter the circle about a body, or cross the line of a wall.
    """
    cosine, sine = np.cos(poses[watchers, 2]), np.sin(poses[watchers, 2])
    ahead, aside = _along_rays(poses[seen, :2] - poses[watchers, :2], cosine, sine)
    span_ahead, span_aside = _along_rays(bodies.spans[seen], cosine, sine)
    reach = bodies.reaches[seen, None]
    crosses = np.abs(span_aside) > _PARALLEL_M  # else somewhere along the ray
    ahead = ahead - _RAY_STARTS_M
    aside = aside - _RAY_OFFSETS_M
    ahead = ahead - np.where(crosses, aside * span_ahead / np.where(crosses, span_aside, 1.0), 0.0)
    extent = reach + np.where(crosses, 0.0, np.abs(span_ahead)) + _MARGIN_M
    meets = np.abs(aside) <= reach + np.abs(span_aside) + _ROUNDING_M
    view, ray = np.nonzero(meets & (ahead >= -extent) & (ahead <= RANGE_M + extent))
    return watchers[view], seen[view], ray


def _along_rays(vectors: Array, cosine: Array, sine: Array) -> tuple[Array, Array]:
    """Return how far vectors of the world go along each ray of the robots that look, and to its right; (p, 21) each."""
    forward = (cosine * vectors[:, 0] + sine * vectors[:, 1])[:, None]  # in the robot's frame
    leftward = (cosine * vectors[:, 1] - sine * vectors[:, 0])[:, None]
    ahead: Array = forward * _RAY_COSINES + leftward * _RAY_SINES
    aside: Array = forward * _RAY_SINES - leftward * _RAY_COSINES
    return ahead, aside


def _rays(poses: Array, rays: Indices) -> tuple[Array, Array]:
    """Return origin and direction of one ray of each robot, in the world's frame; (r, 3) poses to (r, 2) each."""
    cosine, sine = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    x, y = _RAY_X_M[rays], _RAY_Y_M[rays]
    origins = poses[:, :2] + np.stack((cosine * x - sine * y, sine * x + cosine * y), axis=1)
    angles = poses[:, 2] + _RAY_MIDDLES_RAD[rays] + _RAY_SPREADS_RAD[rays]
    return origins, np.stack((np.cos(angles), np.sin(angles)), axis=1)
