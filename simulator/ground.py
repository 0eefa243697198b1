"""Ground sensors: the floor's gray beneath them, with lines painted on it, and Enki's response to gray.

A sensor looks at the floor through a Gaussian window with a standard deviation of 4 mm, as in Enki. A line is a
rectangle; the share of it in the window is a product of two differences of the normal distribution, one along the line
and one across.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MAX_RAW = 1023
_WINDOW_M = 0.004  # standard deviation
_NOISE_RAW = 10.0  # standard deviation
_POSITIONS_M = np.array([[0.072, 0.0115], [0.072, -0.0115]])  # left, right, in the robot's frame; Enki's


def response_raw(gray: Array) -> Array:
    """Return what a sensor reads on floors from 0, black, to 1, white, without noise.

    60 + 884 / (1 + exp(-9 (g - 0.44))), Enki's; measured in the Aseba playground: 77 on black, 938 on white.
    """
    reading: Array = 60.0 + 884.0 / (1.0 + np.exp(-9.0 * (gray - 0.44)))
    return reading


def readings_raw(
    positions_m: Array, headings_rad: Array, floor_gray: float, lines: Array, random: np.random.Generator
) -> NDArray[np.int64]:
    """Return what the two ground sensors of each robot read; (n, 2) words from 0 to 1023.

    Parameters
    ----------
    positions_m
        (n, 2) axle positions
    headings_rad
        (n,)
    floor_gray
        of the floor between the lines, 0 to 1
    lines
        (l, 6) x1, y1, x2, y2 and width in metres, gray from 0 to 1
    random
        where the noise comes from
    """
    clean = response_raw(seen_gray(sensor_points(positions_m, headings_rad), floor_gray, lines))
    noisy = clean + random.normal(0.0, _NOISE_RAW, clean.shape)
    return np.clip(np.rint(noisy), 0, MAX_RAW).astype(np.int64)


def sensor_points(positions_m: Array, headings_rad: Array) -> Array:
    """Return where the sensors are in the world's frame; (n, 2, 2)."""
    cosine, sine = np.cos(headings_rad)[:, None], np.sin(headings_rad)[:, None]
    x, y = _POSITIONS_M[:, 0], _POSITIONS_M[:, 1]
    points: Array = positions_m[:, None, :] + np.stack((cosine * x - sine * y, sine * x + cosine * y), axis=2)
    return points


def seen_gray(points_m: Array, floor_gray: float, lines: Array) -> Array:
    """Return the mean gray in the window at each point; (..., 2) to (...). Later lines lie on earlier ones."""
    gray: Array = np.full(points_m.shape[:-1], floor_gray, dtype=float)
    for line in lines:
        share = _share(points_m, line)
        gray += share * (line[5] - gray)
    return gray


def _share(points_m: Array, line: Array) -> Array:
    """Return how much of the window at each point a line fills."""
    start, end, width_m = line[0:2], line[2:4], line[4]
    length_m = np.hypot(*(end - start))
    along = (end - start) / length_m
    away = points_m - 0.5 * (start + end)
    share: Array = _inside(away @ along, length_m) * _inside(away @ np.array([-along[1], along[0]]), width_m)
    return share


def _inside(distances_m: Array, extent_m: float) -> Array:
    """Return how much of the window, in one dimension, is within an extent about 0."""
    share: Array = _normal(distances_m + 0.5 * extent_m) - _normal(distances_m - 0.5 * extent_m)
    return share


def _normal(distances_m: Array) -> Array:
    """Return the cumulative normal distribution with the window's deviation, right to 1e-7.

    Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17.
    """
    z = distances_m / _WINDOW_M
    t = 1.0 / (1.0 + 0.2316419 * np.abs(z))
    series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi) * series
    value: Array = np.where(z >= 0.0, 1.0 - tail, tail)
    return value
