"""Random robots and transports on a floor of 3 m x 3 m, for comparisons of assignments."""

import math
from random import Random

from fleet.assignment.assignment_problem import AssignmentProblem, JobToAssign, RobotToAssign
from fleet.geometry import Pose2D

_SPEED_MPS = 0.12
_TURN_RADPS = 1.5
_DWELL_S = 2.0


def travel_s(start: Pose2D, goal: Pose2D) -> float:
    """Return the time of a turn, a straight line and a turn."""
    bearing_rad = start.bearing_to(goal)
    turns_rad = abs(_wrapped(bearing_rad - start.heading_rad)) + abs(_wrapped(goal.heading_rad - bearing_rad))
    return start.distance_to(goal) / _SPEED_MPS + turns_rad / _TURN_RADPS


def random_problem(seed: int, robots: int, jobs: int, makespan_weight: float = 0.0) -> AssignmentProblem:
    """Return transports between random poses for robots at random poses; every robot may perform every transport."""
    random = Random(seed)
    places = [_pose(random) for _ in range(robots)]
    legs = [(_pose(random), _pose(random)) for _ in range(jobs)]
    return AssignmentProblem(
        [RobotToAssign(place, place, 0.0) for place in places],
        [JobToAssign(start, end, 2.0 * _DWELL_S + travel_s(start, end), 5.0) for start, end in legs],
        [frozenset(range(jobs))] * robots,
        travel_s,
        makespan_weight=makespan_weight,
    )


def _pose(random: Random) -> Pose2D:
    return Pose2D(random.uniform(0.2, 2.8), random.uniform(0.2, 2.8), random.uniform(-math.pi, math.pi))


def _wrapped(angle_rad: float) -> float:
    return math.remainder(angle_rad, math.tau)
