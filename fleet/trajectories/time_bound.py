"""The least time in which any controller can drive a robot with two wheels from pose to pose.

Balkcom and Mason, Time optimal trajectories for bounded velocity differential drive vehicles, International Journal of
Robotics Research 21(3), 2002: with wheels that turn no faster than w and change their speed at once, the fastest motion
consists of straight lines and turns on the spot, and four of them suffice: turn, straight, turn, straight, or the same
in reverse order. One wheel always turns at w, so that its time is

    T = (length of straights + L / 2 * angle of turns) / w.

For turn, straight, turn, straight, seen along the goal's heading: let the start be (x, y) and phi the angle of the
first line. That line has the length a = -y / sin phi and the second one c = y cot phi - x, both signed. Between the
angles at which a line or a turn changes its sign, T is monotone except where its derivative vanishes, that is where |y|
/ (2 cos^2(phi / 2)) or |y| / (2 sin^2(phi / 2)) equals L, as both turns grow or shrink with phi. So the minimum is at
one of a few angles.
"""

import math
from collections.abc import Iterator

from fleet.geometry import Pose2D, wrap_angle
from fleet.trajectories.limits import Limits

_PARALLEL = 1e-9  # lines whose directions differ by less make no triangle


def least_time_s(start: Pose2D, goal: Pose2D, limits: Limits) -> float:
    """Return a lower bound on the time of any motion within the speed and wheel speed limits; inertia is ignored."""
    return max(start.distance_to(goal) / limits.speed_mps, least_wheel_travel_m(start, goal, limits) / limits.wheel_mps)


def least_wheel_travel_m(start: Pose2D, goal: Pose2D, limits: Limits) -> float:
    """Return the least distance that the faster wheel must roll: Balkcom and Mason's time, times wheel speed."""
    there = start.relative_to(goal)
    back = goal.relative_to(start)
    return min(_wheel_travel_m(there, limits.half_axle_m), _wheel_travel_m(back, limits.half_axle_m))


def _wheel_travel_m(start: Pose2D, half_axle_m: float) -> float:
    """Return the least wheel travel of turn, straight, turn, straight from `start` to the origin."""
    return min(_travel_m(start, angle_rad, half_axle_m) for angle_rad in _angles(start, half_axle_m))


def _travel_m(start: Pose2D, angle_rad: float, half_axle_m: float) -> float:
    """Return the wheel travel with the first line at an angle to the second."""
    turned_rad = abs(wrap_angle(angle_rad - start.heading_rad)) + abs(wrap_angle(angle_rad))
    sine = math.sin(angle_rad)
    if abs(sine) < _PARALLEL:
        driven_m = abs(start.x_m) if abs(start.y_m) < _PARALLEL else math.inf
    else:
        driven_m = abs(start.y_m / sine) + abs(start.x_m - start.y_m * math.cos(angle_rad) / sine)
    return driven_m + half_axle_m * turned_rad


def _angles(start: Pose2D, half_axle_m: float) -> Iterator[float]:
    """Yield the candidate angles, one of which is optimal."""
    bearing_rad = math.atan2(start.y_m, start.x_m)
    yield 0.0
    yield from (bearing_rad, bearing_rad + math.pi)  # no second line
    yield from (start.heading_rad, start.heading_rad + math.pi)
    share = abs(start.y_m) / (4.0 * half_axle_m)  # of cos^2 or sin^2 where T's derivative vanishes
    if 0.0 < share <= 1.0:
        half_rad = math.acos(math.sqrt(share))
        for stationary_rad in (2.0 * half_rad, math.pi - 2.0 * half_rad):
            yield from (stationary_rad, -stationary_rad, math.pi - stationary_rad, stationary_rad - math.pi)
