"""Limits, journeys and ways for tests of traffic."""

import math

from fleet.geometry import Pose2D
from fleet.routing.chains import Chain
from fleet.routing.journey import Journey
from fleet.routing.path_timing import PathTiming
from fleet.routing.stop_timing import StopTiming
from fleet.timetable.way import Way
from fleet.trajectories.limits import Limits
from fleet.trajectories.timing import plan_fastest
from fleet.trajectories.trajectory import Trajectory

LIMITS = Limits(speed_mps=0.14, acceleration_mps2=0.5, turn_radps=3.0, turn_acceleration_radps2=20.0)
APART_M = 0.2


def journey(start: Pose2D, goal: Pose2D, *, backward: bool = False) -> Journey:
    """Return a journey with the limits of tests."""
    return Journey(start, goal, LIMITS, backward)


def straight_way(start: Pose2D, goal: Pose2D, start_s: float = 0.0) -> Way:
    """Return the straight way between two poses."""
    return Way(plan_fastest(Chain([], journey(start, goal)).path, LIMITS), start_s)


def timed(timing: StopTiming | PathTiming) -> Trajectory | None:
    """Return what a timing finds."""
    while not timing.is_over:
        timing.advance()
    return timing.trajectory


def eastward(x_m: float, y_m: float) -> Pose2D:
    """Return a pose that looks along x."""
    return Pose2D(x_m, y_m, 0.0)


def northward(x_m: float, y_m: float) -> Pose2D:
    """Return a pose that looks along y."""
    return Pose2D(x_m, y_m, 0.5 * math.pi)


def least_distance_m(one: Way, other: Way, *, until_s: float = 120.0) -> float:
    """Return the least distance of two robots that drive exactly on time, sampled every 20 ms."""
    distances = []
    for index in range(round(until_s / 0.02)):
        time_s = 0.02 * index
        place = one.trajectory.sample(time_s - one.start_s).pose
        distances.append(place.distance_to(other.trajectory.sample(time_s - other.start_s).pose))
    return min(distances)
