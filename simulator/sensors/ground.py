"""Ground sensors: the gray of the floor beneath them, with painted lines, and Enki's response to gray.

A sensor averages the floor over a Gaussian window with a standard deviation of 4 mm, as in Enki. A line is a
rectangle; its share of the window is a product of two differences of the normal distribution, one along the line
and one across.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from simulator.numbers.noise import Noise
from simulator.numbers.rounding import nearest

Array = NDArray[np.float64]
Words = tuple[int, int]

MAX_RAW: Final = 1023
DARKEST_RAW: Final = 60.0
RISE_RAW: Final = 884.0
STEEPNESS: Final = 9.0
MIDDLE_GRAY: Final = 0.44
WINDOW_M: Final = 0.004  # standard deviation
NOISE_RAW: Final = 10.0  # standard deviation
POSITIONS_M: Final = ((0.072, 0.0115), (0.072, -0.0115))  # left, right, in the robot's frame; Enki's


def response_raw(gray: float) -> float:
    """Return a sensor's noise-free reading for a gray from 0 (black) to 1 (white).

    Enki's 60 + 884 / (1 + exp(-9 (g - 0.44))); measured in the Aseba playground: 77 on black, 938 on white.
    """
    return DARKEST_RAW + RISE_RAW / (1.0 + math.exp(-STEEPNESS * (gray - MIDDLE_GRAY)))


def readings_raw(gray: list[float], noise: Noise) -> list[Words]:
    """Return the readings of each robot's sensors: words from 0 to 1023.

    Parameters
    ----------
    gray
        mean gray in each window, from 0 to 1: left, right, left, right
    noise
        source of the noise
    """
    numbers = noise.draw(len(gray))
    words: list[int] = []
    for sensor in range(len(gray)):
        reading = nearest(response_raw(gray[sensor]) + NOISE_RAW * numbers[sensor])
        words.append(min(max(reading, 0), MAX_RAW))
    return [(words[left], words[left + 1]) for left in range(0, len(words), 2)]


def sensor_points(positions_m: Array, headings_rad: Array) -> Array:
    """Return the positions of the sensors in the world's frame; (n, 2, 2)."""
    cosine, sine = np.cos(headings_rad)[:, None], np.sin(headings_rad)[:, None]
    x, y = np.array(POSITIONS_M).T
    points: Array = positions_m[:, None, :] + np.stack((cosine * x - sine * y, sine * x + cosine * y), axis=2)
    return points


def window_gray(points_m: Array, floor_gray: Array, lines: Array) -> Array:
    """Return the mean gray in the window at each point.

    Parameters
    ----------
    points_m
        (..., 2)
    floor_gray
        (...), gray of the floor beneath the lines in each window
    lines
        (l, 6), x1, y1, x2, y2 and width in metres, gray from 0 to 1; later lines cover earlier ones
    """
    gray: Array = np.array(floor_gray, dtype=float)
    if not len(lines):
        return gray
    shares = _shares(points_m, lines)
    for index, line_gray in enumerate(lines[:, 5].tolist()):
        gray += shares[..., index] * (line_gray - gray)
    return gray


def _shares(points_m: Array, lines: Array) -> Array:
    """Return each line's share of the window at each point; (..., 2) to (..., l)."""
    starts, ends, widths_m = lines[:, 0:2], lines[:, 2:4], lines[:, 4]
    lengths_m = np.hypot(*(ends - starts).T)
    along = (ends - starts) / lengths_m[:, None]
    away = points_m[..., None, :] - 0.5 * (starts + ends)
    forward = away[..., 0] * along[:, 0] + away[..., 1] * along[:, 1]
    aside = away[..., 1] * along[:, 0] - away[..., 0] * along[:, 1]
    shares: Array = _inside(forward, lengths_m) * _inside(aside, widths_m)
    return shares


def _inside(distances_m: Array, extents_m: Array) -> Array:
    """Return the share of the window, in one dimension, that is within an extent about 0."""
    share: Array = _normal(distances_m + 0.5 * extents_m) - _normal(distances_m - 0.5 * extents_m)
    return share


def _normal(distances_m: Array) -> Array:
    """Return the cumulative normal distribution with the window's standard deviation, accurate to 1e-7.

    Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17.
    """
    z = distances_m / WINDOW_M
    t = 1.0 / (1.0 + 0.2316419 * np.abs(z))
    series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = np.exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi) * series
    value: Array = np.where(z >= 0.0, 1.0 - tail, tail)
    return value
