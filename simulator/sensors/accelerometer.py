"""The accelerometer: gravity and the robot's acceleration, on a level floor.

Readings are gravity minus acceleration: x from right to left, y from front to back, z from top to bottom. The robot's
LIS2DE12 reports the mean of 21 samples at 400 Hz, so this reports the mean over the time between two readings.
"""

import math
from typing import Final

from simulator.numbers.noise import Noise
from simulator.numbers.rounding import nearest

Words = tuple[int, int, int]

G_RAW: Final = 23  # documentation of Thymio's variables: 1 g
G_MPS2: Final = 9.81
MAX_RAW: Final = 32
NOISE_RAW: Final = 0.62  # the driver of ros-thymio has a variance of 0.07 (m/s^2)^2


class Accelerometers:
    """The accelerometers of all robots; each reading is the mean since the previous one.

    Parameters
    ----------
    robots : number of robots
    noise : source of the noise
    """

    def __init__(self, robots: int, noise: Noise) -> None:
        self._noise = noise
        self._sampled_mps: list[float] = [0.0] * (2 * robots)  # velocities at the last reading: x, y, x, y

    def readings_raw(self, velocities_mps: list[float], headings_rad: list[float], period_s: float) -> list[Words]:
        """Return the readings of the three axes of each robot.

        Parameters
        ----------
        velocities_mps
            velocity of each robot, in the world's frame: x, y, x, y
        headings_rad
            heading of each robot
        period_s
            time since the last reading
        """
        before_mps = self._sampled_mps
        numbers = self._noise.draw(3 * len(headings_rad))
        scale = G_RAW / (G_MPS2 * period_s)
        words: list[Words] = []
        for robot in range(len(headings_rad)):
            cosine, sine = math.cos(headings_rad[robot]), math.sin(headings_rad[robot])
            x_mps = velocities_mps[2 * robot] - before_mps[2 * robot]
            y_mps = velocities_mps[2 * robot + 1] - before_mps[2 * robot + 1]
            leftward = NOISE_RAW * numbers[3 * robot] - (y_mps * cosine - x_mps * sine) * scale
            backward = NOISE_RAW * numbers[3 * robot + 1] + (x_mps * cosine + y_mps * sine) * scale
            downward = NOISE_RAW * numbers[3 * robot + 2] + G_RAW
            words.append((_word(leftward), _word(backward), _word(downward)))
        self._sampled_mps = velocities_mps
        return words

    def stop(self, robot: int) -> None:
        """Set a robot at rest, for example after it has been placed."""
        self._sampled_mps[2 * robot : 2 * robot + 2] = (0.0, 0.0)

    def append(self) -> None:
        """Add the accelerometer of a robot, at rest."""
        self._sampled_mps += (0.0, 0.0)

    def remove(self, robot: int) -> None:
        """Remove the accelerometer of a robot."""
        del self._sampled_mps[2 * robot : 2 * robot + 2]


def _word(reading: float) -> int:
    return min(max(nearest(reading), -MAX_RAW), MAX_RAW)
