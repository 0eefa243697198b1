"""The response of infrared sensors to what is a distance away: Enki's formula, and a curve measured on a real robot."""

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


@dataclass(frozen=True, slots=True)
class MeasuredResponse:
    """A table for white paper.

    The echo falls with the square of the distance, so that what reflects the share r of the light reads as white paper
    does that is 1 / sqrt(r) as far away.
    """

    distances_m: tuple[float, ...]  # increasing
    readings_raw: tuple[float, ...]

    def raw(self, distances_m: Array, reflectance: Array) -> Array:
        """Return the reading at each distance; 0 beyond the table."""
        as_white_m = distances_m / np.sqrt(reflectance)
        reading: Array = np.interp(as_white_m, self.distances_m, self.readings_raw, right=0.0)
        return reading
