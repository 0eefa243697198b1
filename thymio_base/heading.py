"""A robot's heading as a quaternion and in whole degrees."""

import math


def heading_quaternion(heading_rad: float) -> tuple[float, float]:
    """Return z and w of the rotation about the z axis by a heading, with w >= 0; x and y are 0."""
    half_rad = 0.5 * math.remainder(heading_rad, math.tau)
    return math.sin(half_rad), math.cos(half_rad)


def whole_degrees(heading_rad: float) -> int:
    """Return a heading in degrees, for people: straight back is 180, never -180."""
    whole = round(math.degrees(heading_rad))
    return 180 if whole == -180 else whole
