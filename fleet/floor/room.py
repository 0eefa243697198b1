"""Checks that robots, which drive straight from place to place, have room on their way."""

from collections.abc import Iterable

from fleet.floor.obstacles import BODY_RADIUS_M, Obstacles, Segment
from fleet.geometry import Pose2D

_ROUNDING_M = 1e-6


def room_m(obstacles: Obstacles, place: Pose2D) -> float:
    """Return the distance that a body has to the nearest obstacle; negative if it touches one."""
    return obstacles.clearance_m(place.x_m, place.y_m) - BODY_RADIUS_M


def first_obstructed(obstacles: Obstacles, start: Pose2D | None, places: Iterable[Pose2D]) -> Pose2D | None:
    """Return the first place at which, or on the straight line to which, a body touches an obstacle.

    A robot that is already at an obstacle may drive away from it. Without a `start` the way starts at the first place.
    """
    if not obstacles:
        return None
    here = start
    free_around, free_m = start, 0.0  # all places this close to that one are free, and so is the way between them
    needed_m = BODY_RADIUS_M if start is None else min(BODY_RADIUS_M, obstacles.clearance_m(start.x_m, start.y_m))
    for place in places:
        before = here or place
        if free_around is not None and max(free_around.distance_to(before), free_around.distance_to(place)) < free_m:
            here = place
            continue
        line = Segment(before.x_m, before.y_m, place.x_m, place.y_m)
        if obstacles.clearance_along_m(line) < needed_m - _ROUNDING_M:
            return place
        clearance_m = obstacles.clearance_m(place.x_m, place.y_m)
        if clearance_m < BODY_RADIUS_M - _ROUNDING_M:
            return place
        free_around, free_m = place, clearance_m - BODY_RADIUS_M
        here, needed_m = place, BODY_RADIUS_M
    return None
