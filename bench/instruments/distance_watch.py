"""Records the distances between robots, and their tracks."""

import numpy as np
from numpy.typing import NDArray

from experiments.lab.lab import Lab
from experiments.lab.least_distance import LeastDistance

Array = NDArray[np.float64]

_RECORD_STEPS = 10  # between two records of the robots' places


class DistanceWatch:
    """The least distance between two axles so far, and the tracks.

    Parameters
    ----------
    lab : the lab with the robots
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._indices = [lab.index(robot_id) for robot_id in lab.robot_ids]
        self._distances = LeastDistance(len(self._indices))
        self._contacts = lab.simulation.world.collisions.total
        self._records: list[Array] = []
        self._steps = 0

    @property
    def least_m(self) -> float:
        """The least distance [m]; infinite with a single robot."""
        return self._distances.least_m

    @property
    def contacts(self) -> int:
        """The number of contacts so far; two robots that touch count once."""
        return self._lab.simulation.world.collisions.total - self._contacts

    @property
    def tracks(self) -> Array:
        """Places ten times a second; (times, robots, 2)."""
        return np.array(self._records)

    def look(self) -> None:
        """Update after every step."""
        places = self._lab.simulation.world.poses.truth()[self._indices, :2]
        self._distances.look(places)
        if self._steps % _RECORD_STEPS == 0:
            self._records.append(places.copy())
        self._steps += 1
