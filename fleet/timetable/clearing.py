"""Checks whether a trajectory is clear of other robots."""

import math

from fleet.timetable.occupancy import Occupancy, free_until, is_in
from fleet.timetable.way import motions_of
from fleet.trajectories.trajectory import Trajectory


def is_clear(trajectory: Trajectory, start_s: float, occupancy: Occupancy) -> bool:
    """Whether a trajectory that starts at a time meets nobody, and nobody comes to its end later."""
    if is_in(occupancy.departures(motions_of(trajectory)), start_s):
        return False
    end, end_s = trajectory.path.end, start_s + trajectory.duration_s
    taken = occupancy.taken(end.x_m, end.y_m)
    return not is_in(taken, end_s) and math.isinf(free_until(taken, end_s))
