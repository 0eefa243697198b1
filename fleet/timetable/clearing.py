"""Checks whether a way is clear of other robots."""

import math
from collections.abc import Iterable

from fleet.timetable.motion import UniformMotion
from fleet.timetable.occupancy import Occupancy, free_until, is_in
from fleet.timetable.step_budget import EXAMINED, StepBudget
from fleet.timetable.way import Way


def is_clear(way: Way, delay_s: float, others: Iterable[UniformMotion], apart_m: float, budget: StepBudget) -> bool:
    """Whether a way that starts later by a delay meets no other motion, and nobody comes to its end later."""
    start, end = way.trajectory.path.start, way.trajectory.path.end
    start_s = way.start_s + delay_s
    occupancy = Occupancy(way.near(others, apart_m), apart_m, start_s, start)
    meets = occupancy.meets(way.motions[:-1], delay_s)
    taken = occupancy.taken(end.x_m, end.y_m)
    budget.spend(len(way.motions) // 5 + occupancy.examined // EXAMINED)
    end_s = start_s + way.trajectory.duration_s
    return not meets and not is_in(taken, end_s) and math.isinf(free_until(taken, end_s))
