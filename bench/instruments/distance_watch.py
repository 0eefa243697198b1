"""Watches how near robots come to each other, and where they drive."""

import numpy as np
from numpy.typing import NDArray

from experiments.lab.lab import Lab

Array = NDArray[np.float64]

_RECORD_STEPS = 10  # between two records of the robots' places


class DistanceWatch:
    """The least distance between two axles so far, and the tracks.

    Parameters
    ----------
    lab : with the robots

    Attributes
    ----------
    least_m : infinite with one robot
    """

    def __init__(self, lab: Lab) -> None:
        self.least_m = float("inf")
        self._lab = lab
        self._indices = [lab.index(robot_id) for robot_id in lab.robot_ids]
        self._pairs = np.triu_indices(len(self._indices), 1)
        self._contacts = lab.simulation.world.collisions.total
        self._records: list[Array] = []
        self._steps = 0

    @property
    def contacts(self) -> int:
        """How often bodies have begun to touch; two robots that touch count once."""
        return self._lab.simulation.world.collisions.total - self._contacts

    @property
    def tracks(self) -> Array:
        """Places ten times a second; (times, robots, 2)."""
        return np.array(self._records)

    def look(self) -> None:
        """Look after every step."""
        places = self._lab.simulation.world.poses.truth()[self._indices, :2]
        first, second = self._pairs
        if len(first):
            self.least_m = min(self.least_m, float(np.hypot(*(places[first] - places[second]).T).min()))
        if self._steps % _RECORD_STEPS == 0:
            self._records.append(places.copy())
        self._steps += 1
