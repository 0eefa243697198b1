"""Motion of robots on two wheels, in plain numbers.

Plain numbers are faster than operations on small arrays. Lists are flat: wheel values are left, right, left, right;
places are x, y, heading, x, y, heading.
"""

import math
from typing import Final

_PI: Final = 3.141592653589793
_STRAIGHT_RAD: Final = 1.0e-9  # replaces 0, where chord / arc would be 0 / 0


def wrapped(angle_rad: float) -> float:
    """Return the equivalent angle in [-pi, pi)."""
    return (angle_rad + _PI) % (2.0 * _PI) - _PI


def lagged(speeds_mps: list[float], targets_mps: list[float], share: float) -> list[float]:
    """Return speeds that have closed a share of the gap to their targets."""
    after: list[float] = []
    for wheel in range(len(speeds_mps)):
        speed_mps = speeds_mps[wheel]
        after.append(speed_mps + share * (targets_mps[wheel] - speed_mps))
    return after


def travelled(
    speeds_mps: list[float], gains: list[float], noise: list[float], spread: float, dt_s: float
) -> list[float]:
    """Return how far wheels roll [m]; `spread` is the relative standard deviation of the noise."""
    travel_m: list[float] = []
    for wheel in range(len(speeds_mps)):
        travel_m.append(speeds_mps[wheel] * gains[wheel] * (1.0 + spread * noise[wheel]) * dt_s)
    return travel_m


def roll(places: list[float], travel_m: list[float], axles_m: list[float], reach_m: float) -> float:
    """Move each robot along the arc of its wheels: the chord's length is arc * sin(half) / half.

    Parameters
    ----------
    places
        places of the robots; changed in place
    travel_m
        distance that each wheel rolls
    axles_m
        wheel spacing of each robot
    reach_m
        distance from the centre of the axle to a robot's furthest point

    Returns
    -------
    furthest_m
        upper bound of the motion of any point of any robot
    """
    furthest_m = 0.0
    for robot in range(len(travel_m) // 2):
        left_m, right_m = travel_m[2 * robot], travel_m[2 * robot + 1]
        heading_rad = places[3 * robot + 2]
        turned_rad = (right_m - left_m) / axles_m[robot]
        half_rad = 0.5 * turned_rad
        angle_rad = half_rad if half_rad != 0.0 else _STRAIGHT_RAD
        chord_m = 0.5 * (left_m + right_m) * (math.sin(angle_rad) / angle_rad)
        direction_rad = heading_rad + half_rad
        places[3 * robot] += chord_m * math.cos(direction_rad)
        places[3 * robot + 1] += chord_m * math.sin(direction_rad)
        places[3 * robot + 2] = wrapped(heading_rad + turned_rad)
        furthest_m = max(furthest_m, abs(chord_m) + abs(turned_rad) * reach_m)
    return furthest_m


def passing(before: list[float], after: list[float], axles_m: list[float], dt_s: float) -> list[float]:
    """Return the speed of each wheel over the floor, along the robot's heading, between two places."""
    speeds_mps: list[float] = []
    for robot in range(len(before) // 3):
        heading_rad = after[3 * robot + 2]
        x_m, y_m = after[3 * robot] - before[3 * robot], after[3 * robot + 1] - before[3 * robot + 1]
        forward_m = x_m * math.cos(heading_rad) + y_m * math.sin(heading_rad)
        across_m = 0.5 * axles_m[robot] * wrapped(heading_rad - before[3 * robot + 2])
        speeds_mps.append((forward_m - across_m) / dt_s)
        speeds_mps.append((forward_m + across_m) / dt_s)
    return speeds_mps
