"""The quaternion of a robot's heading."""

import math


def heading_quaternion(heading_rad: float) -> tuple[float, float]:
    """Return z and w of the rotation about the z axis by a heading, with w >= 0; x and y are 0."""
    half_rad = 0.5 * math.remainder(heading_rad, math.tau)
    return math.sin(half_rad), math.cos(half_rad)
