"""Tracks the least distance between robots."""

import math

import numpy as np
from numpy.typing import NDArray


class LeastDistance:
    """Tracks the least distance between any two places over time.

    Parameters
    ----------
    count : number of places

    Attributes
    ----------
    least_m : least distance so far; infinite with one place
    """

    def __init__(self, count: int) -> None:
        self.least_m = math.inf
        self._pairs = np.triu_indices(count, 1)

    def look(self, places: NDArray[np.float64]) -> None:
        """Take the present places into account: x and y [m], shape (count, 2)."""
        first, second = self._pairs
        if len(first):
            self.least_m = min(self.least_m, float(np.hypot(*(places[first] - places[second]).T).min()))
