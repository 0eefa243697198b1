"""Finds the route of a journey past permanently stationary robots."""

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from fleet.floor.obstacles import Segment
from fleet.geometry import Pose2D
from fleet.paths.path import Path
from fleet.routing.journey import Journey
from fleet.routing.roadmap import Roadmap
from fleet.routing.route_search import RouteSearch
from fleet.routing.times_to_goal import TimesToGoal
from fleet.routing.way_problem import WayProblem
from fleet.timetable.motion import standing
from fleet.timetable.occupancy import Occupancy

_EXPANSIONS: Final = 1_000
_PATH_STEP_M: Final = 0.05


def static_route(
    roadmap: Roadmap, journey: Journey, standing_at: Iterable[Pose2D], apart_m: float
) -> list[Segment] | None:
    """Return the lines of a journey's route; None if walls, or robots at `standing_at`, leave none."""
    motions = [standing(place, -1.0, math.inf) for place in standing_at]
    occupancy = Occupancy(motions, apart_m, 0.0, journey.start)
    if journey.along is not None:
        return _lines_along(journey.start, journey.along, occupancy)
    times = TimesToGoal(roadmap, journey.goal, journey.limits.speed_mps)
    search = RouteSearch(WayProblem(roadmap, occupancy, journey, 0.0, times), math.inf)
    while not search.is_over:
        search.expand(_EXPANSIONS)
    if search.corners is None:
        return None
    return [Segment(x1_m, y1_m, x2_m, y2_m) for (x1_m, y1_m), (x2_m, y2_m) in pairwise(search.corners)]


def _lines_along(start: Pose2D, path: Path, occupancy: Occupancy) -> list[Segment] | None:
    """Return short lines to a path and along it; None if a robot stands on it."""
    count = max(1, math.ceil(path.length_m / _PATH_STEP_M))
    places = [path.sample(path.length_m * index / count).pose for index in range(count + 1)]
    if any(occupancy.taken(place.x_m, place.y_m) for place in places):
        return None
    return [Segment(one.x_m, one.y_m, other.x_m, other.y_m) for one, other in pairwise([start, *places])]
