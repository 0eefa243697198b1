"""The response of infrared sensors to distance: Enki's formula, and a curve measured on a real robot."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Response:
    """The response m (c - x0^2) / (x^2 - 2 x0 x + c) at a distance x; m below x0."""

    max_raw: float  # m
    x0_m: float
    c_m2: float

    def raw(self, distance_m: float) -> float:
        """Return the response at a distance, in the sensor's units."""
        x0_m, c_m2 = self.x0_m, self.c_m2
        if distance_m < x0_m:
            return self.max_raw
        return self.max_raw * (c_m2 - x0_m * x0_m) / (distance_m * distance_m - 2.0 * x0_m * distance_m + c_m2)


@dataclass(frozen=True, slots=True)
class MeasuredResponse:
    """A response measured on white paper.

    The echo falls with the square of the distance, so a surface that reflects a share r of the light reads like white
    paper at 1 / sqrt(r) times the distance.
    """

    distances_m: tuple[float, ...]  # increasing, from 0
    readings_raw: tuple[float, ...]

    def raw(self, distance_m: float, reflectance: float) -> float:
        """Return the reading at a distance, interpolated in the table; 0 beyond it."""
        as_white_m = distance_m / math.sqrt(reflectance)
        distances_m, readings_raw = self.distances_m, self.readings_raw
        for index in range(1, len(distances_m)):
            if as_white_m <= distances_m[index]:
                share = (as_white_m - distances_m[index - 1]) / (distances_m[index] - distances_m[index - 1])
                return readings_raw[index - 1] + share * (readings_raw[index] - readings_raw[index - 1])
        return 0.0
