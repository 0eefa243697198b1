"""Checks whether a trajectory is clear of other robots."""

import math
from collections.abc import Iterable

from fleet.timetable.motion import UniformMotion
from fleet.timetable.occupancy import Occupancy, free_until, is_in, within_reach
from fleet.timetable.way import motions_of, standing
from fleet.trajectories.trajectory import Trajectory


def is_clear(trajectory: Trajectory, start_s: float, others: Iterable[UniformMotion], apart_m: float) -> bool:
    """Whether a trajectory that starts at a time meets no other motion, and nobody comes to its end later."""
    start, end, end_s = trajectory.path.start, trajectory.path.end, start_s + trajectory.duration_s
    own = motions_of(trajectory)
    near = within_reach(others, [*own, standing(end, 0.0, math.inf)], apart_m)
    occupancy = Occupancy(near, apart_m, start_s, start)
    if is_in(occupancy.departures(own), start_s):
        return False
    taken = occupancy.taken(end.x_m, end.y_m)
    return not is_in(taken, end_s) and math.isinf(free_until(taken, end_s))
