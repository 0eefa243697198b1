"""The accelerometer: gravity and what the robot's speed does, on a level floor.

It reads gravity minus acceleration along x from right to left, y from front to back, z from top to down. The robot's
LIS2DE12 tells the mean of 21 samples at 400 Hz; so is the mean over the time between two readings told here.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

G_RAW = 23  # documentation of Thymio's variables: 1 g
G_MPS2 = 9.81
MAX_RAW = 32
NOISE_RAW = 0.62  # the driver of ros-thymio has a variance of 0.07 (m/s^2)^2


def readings_raw(
    gained_mps: Array, headings_rad: Array, period_s: float, random: np.random.Generator
) -> NDArray[np.int64]:
    """Return what the three axes of each robot read; (n, 3).

    Parameters
    ----------
    gained_mps
        (n, 2) by how much each velocity has changed since the last reading, in the world's frame
    headings_rad
        (n,)
    period_s
        since the last reading
    random
        where the noise comes from
    """
    cosine, sine = np.cos(headings_rad), np.sin(headings_rad)
    forward = gained_mps[:, 0] * cosine + gained_mps[:, 1] * sine
    leftward = gained_mps[:, 1] * cosine - gained_mps[:, 0] * sine
    scale = G_RAW / (G_MPS2 * period_s)
    noisy = random.normal(0.0, NOISE_RAW, (len(forward), 3))
    noisy[:, 0] -= leftward * scale
    noisy[:, 1] += forward * scale
    noisy[:, 2] += G_RAW
    return np.minimum(np.maximum(np.rint(noisy), -MAX_RAW), MAX_RAW).astype(np.int64)
