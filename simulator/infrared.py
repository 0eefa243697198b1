"""The response of an infrared sensor to what is a distance away: the curve of Enki's Thymio model."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Response:
    """m (c - x0^2) / (x^2 - 2 x0 x + c) at the distance x, and m nearer than x0."""

    max_raw: float  # m
    x0_m: float
    c_m2: float

    def raw(self, distances_m: Array) -> Array:
        """Return the response at each distance, in the sensor's units."""
        x0_m, c_m2 = self.x0_m, self.c_m2
        value = self.max_raw * (c_m2 - x0_m**2) / (distances_m**2 - 2.0 * x0_m * distances_m + c_m2)
        response: Array = np.where(distances_m < x0_m, self.max_raw, value)
        return response
