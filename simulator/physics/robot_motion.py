"""How fast robots move, and how far they have driven.

| array            | shape  | unit | meaning                                                             |
|------------------|--------|------|---------------------------------------------------------------------|
| `velocities_mps` | (n, 2) | m/s  | of the centre of each axle in the last step, in the map's frame     |
| `distances_m`    | (n,)   | m    | distance driven by the centre of each axle                          |
"""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class RobotMotion:
    """The motion of all robots.

    Parameters
    ----------
    robots : number of robots
    """

    def __init__(self, robots: int) -> None:
        self._distances: list[float] = [0.0] * robots
        self._moved_m: list[float] = [0.0] * (2 * robots)  # in the last step: x, y, x, y
        self._step_s = 1.0  # duration of the last step

    @property
    def velocities_mps(self) -> Array:
        """Velocity of the centre of each axle in the last step."""
        return np.array(self.velocities()).reshape(-1, 2)

    @property
    def distances_m(self) -> Array:
        """Distance driven by the centre of each axle."""
        return np.array(self._distances)

    def velocities(self) -> list[float]:
        """Return the velocities as a list: x, y, x, y."""
        return [moved_m / self._step_s for moved_m in self._moved_m]

    def update(self, before: list[float], after: list[float], dt_s: float) -> None:
        """Record a step of `dt_s` between two lists of places, each with x, y and heading of all robots."""
        distances_m = self._distances
        moves_m: list[float] = []
        for robot in range(len(distances_m)):
            x_m = after[3 * robot] - before[3 * robot]
            y_m = after[3 * robot + 1] - before[3 * robot + 1]
            distances_m[robot] += math.sqrt(x_m * x_m + y_m * y_m)
            moves_m.append(x_m)
            moves_m.append(y_m)
        self._moved_m = moves_m
        self._step_s = dt_s

    def stop(self, robot: int) -> None:
        """Set the velocity of one robot to zero."""
        self._moved_m[2 * robot : 2 * robot + 2] = (0.0, 0.0)

    def append(self) -> None:
        """Add a robot, at rest."""
        self._distances.append(0.0)
        self._moved_m += (0.0, 0.0)

    def remove(self, robot: int) -> None:
        """Remove a robot."""
        del self._distances[robot]
        del self._moved_m[2 * robot : 2 * robot + 2]
