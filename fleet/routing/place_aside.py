"""Finds a place where a robot can step aside, neither in the way of others nor cutting them off."""

import heapq
import math
from collections.abc import Iterator, Sequence
from typing import Final

from fleet.floor.obstacles import Segment
from fleet.geometry import Pose2D
from fleet.routing.roadmap import Roadmap
from fleet.timetable.occupancy import Occupancy

_BESIDE_M: Final = 0.02  # places keep this much more distance from the route than robots from each other
_MOST_OF_FLOOR: Final = 0.5  # this share of the reachable floor must stay connected
_CHECKED: Final = 20  # places checked for cutting others off


class AsideSearch:
    """Finds the nearest place, by driving distance, that keeps a route clear.

    Parameters
    ----------
    roadmap : where robots can drive
    route : the route to keep clear, from its robot's place
    immovable : places of robots that will not move
    avoided : present and future places of others, which must stay connected with the start of the route
    occupancy : where others are, and when; a visited place is not free
    """

    def __init__(
        self,
        roadmap: Roadmap,
        route: Sequence[Segment],
        immovable: Sequence[Pose2D],
        avoided: Sequence[Pose2D],
        occupancy: Occupancy,
    ) -> None:
        self._roadmap: Final = roadmap
        self._route: Final = route
        self._immovable: Final = immovable
        self._avoided: Final = avoided
        self._occupancy: Final = occupancy
        self._apart_m: Final = occupancy.apart_m

    def place_for(self, robot: Pose2D) -> Pose2D | None:
        """Return a place for a robot, with its present heading; None if there is none."""
        before = self._reached(self._immovable)
        checked = 0
        for index in _nearest_first(self._roadmap, robot, self._immovable, self._apart_m):
            place = Pose2D(self._roadmap.xs_m[index], self._roadmap.ys_m[index], robot.heading_rad)
            if not self._is_free(place):
                continue
            if self._keeps_connected(before, self._reached([*self._immovable, place])):
                return place
            checked += 1
            if checked == _CHECKED:
                return None
        return None

    def _is_free(self, place: Pose2D) -> bool:
        """Whether a place is beside the route, and nobody is or comes near it."""
        return (
            all(line.distance_m(place.x_m, place.y_m) >= self._apart_m + _BESIDE_M for line in self._route)
            and all(place.distance_to(other) >= self._apart_m for other in self._avoided)
            and not self._occupancy.taken(place.x_m, place.y_m)
        )

    def _keeps_connected(self, before: list[bool], after: list[bool]) -> bool:
        """Whether the start of the route stays connected with most of the floor, and with the places of others."""
        if sum(after) < _MOST_OF_FLOOR * sum(before):
            return False
        return all(self._is_reached(pose, after) for pose in self._avoided if self._is_reached(pose, before))

    def _is_reached(self, pose: Pose2D, is_reached: list[bool]) -> bool:
        return any(is_reached[index] for index in self._roadmap.near(pose.x_m, pose.y_m))

    def _reached(self, standing_at: Sequence[Pose2D]) -> list[bool]:
        """Return for each place of the roadmap whether it can be reached from the start of the route."""
        start = Pose2D(self._route[0].x1_m, self._route[0].y1_m, 0.0)
        is_reached = [False] * len(self._roadmap.xs_m)
        for index in _nearest_first(self._roadmap, start, standing_at, self._apart_m):
            is_reached[index] = True
        return is_reached


def _nearest_first(roadmap: Roadmap, start: Pose2D, standing_at: Sequence[Pose2D], apart_m: float) -> Iterator[int]:
    """Yield the places of a roadmap reachable past stationary robots, by driving distance (Dijkstra)."""
    is_done = [False] * len(roadmap.xs_m)
    heap = [
        (start.distance_to(Pose2D(roadmap.xs_m[index], roadmap.ys_m[index], 0.0)), index)
        for index in roadmap.near(start.x_m, start.y_m)
    ]
    heapq.heapify(heap)
    while heap:
        driven_m, index = heapq.heappop(heap)
        if is_done[index]:
            continue
        is_done[index] = True
        here = Pose2D(roadmap.xs_m[index], roadmap.ys_m[index], 0.0)
        if any(here.distance_to(place) < apart_m for place in standing_at):
            continue
        yield index
        for other in roadmap.neighbours[index]:
            if not is_done[other]:
                away_x_m, away_y_m = roadmap.xs_m[other] - here.x_m, roadmap.ys_m[other] - here.y_m
                heapq.heappush(heap, (driven_m + math.sqrt(away_x_m * away_x_m + away_y_m * away_y_m), other))
