"""Checks the places where robots park, homes and chargers: traffic needs room between them and ways to them.

A robot can always find a way to each place if robots parked at the other places never cut it off (Cap, Vokrinek,
Kleiner 2015: a well-formed infrastructure).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from fleet.floor.obstacles import Segment
from fleet.geometry import Pose2D
from fleet.routing.fleet_roadmap import roadmap_of
from fleet.routing.roadmap import Roadmap
from fleet.settings.config import FleetConfig

_ROUNDING_M = 1e-6
_SAME_M = 0.02  # a charger within this distance of a home belongs to that robot


@dataclass(frozen=True, slots=True)
class StayingPlace:
    """A place where a robot parks, with a name for messages."""

    name: str
    pose: Pose2D


def places_of(config: FleetConfig, chargers: Sequence[StayingPlace] = ()) -> list[StayingPlace]:
    """Return the homes of a fleet, and the chargers within its arena that are not a robot's home."""
    homes = [StayingPlace(f"the home of robot {robot.id}", robot.home) for robot in config.robots]
    return homes + [
        charger
        for charger in chargers
        if (config.arena is None or config.arena.has_room(charger.pose))
        and all(charger.pose.distance_to(home.pose) > _SAME_M for home in homes)
    ]


def place_advice(config: FleetConfig, chargers: Sequence[StayingPlace] = ()) -> Iterator[str]:
    """Yield advice on places where robots would hinder each other: too close together, or cut off by others."""
    if not config.traffic.enabled:
        return
    places = places_of(config, chargers)
    yield from _crowded(places, config.traffic.right_of_way_m, config.apart_m)
    if config.floor.obstacles or not _is_roomy(config, places):
        yield from _CutOff(roadmap_of(config), places, config.apart_m).advice()


def _is_roomy(config: FleetConfig, places: Sequence[StayingPlace]) -> bool:
    """Return whether robots can pass around each place and between any two: without walls, none is then cut off."""
    arena, room_m = config.arena, 2.0 * (config.apart_m + config.traffic.wall_m)
    if arena is not None and min(arena.x_max_m - arena.x_min_m, arena.y_max_m - arena.y_min_m) < room_m:
        return False
    return all(one.pose.distance_to(other.pose) > 2.0 * config.apart_m for one, other in combinations(places, 2))


def _crowded(places: Sequence[StayingPlace], right_of_way_m: float, apart_m: float) -> Iterator[str]:
    for one, other in combinations(places, 2):
        distance_m = one.pose.distance_to(other.pose)
        if right_of_way_m <= distance_m < apart_m:
            yield (
                f"{one.name} and {other.name} are {distance_m:.3f} m apart: robots pass each other slowly there; "
                f"{apart_m:.2f} m are enough"
            )
        elif distance_m < right_of_way_m and "charger" in other.name:  # for homes, this is a mistake
            yield f"{one.name} and {other.name} are {distance_m:.3f} m apart: robots need {right_of_way_m:.3f} m"


class _CutOff:
    """Finds places that robots parked at other places cut off from most of the floor.

    Parameters
    ----------
    roadmap : roadmap of the floor
    places : places where robots park
    apart_m : distance that ways keep from stationary robots
    """

    def __init__(self, roadmap: Roadmap, places: Sequence[StayingPlace], apart_m: float) -> None:
        self._roadmap = roadmap
        self._places = places
        self._apart_m = apart_m
        self._near = [self._near_places(index) for index in range(len(roadmap.xs_m))]

    def advice(self) -> Iterator[str]:
        """Yield the places that are cut off while robots occupy all others, with the places responsible."""
        everywhere = set(range(len(self._places)))
        open_floor = self._largest_region(everywhere)
        for index, place in enumerate(self._places):
            region = self._reached(index, everywhere - {index}, open_floor)
            if region.isdisjoint(open_floor):
                culprits = self._between(region, open_floor, index)
                if culprits:  # otherwise walls alone close it off
                    by = " or ".join(self._places[other].name for other in culprits)
                    yield f"{place.name} can be cut off by a robot at {by}: others may have to wait until it leaves"

    def _between(self, region: set[int], open_floor: set[int], index: int) -> list[int]:
        """Return the places next to both parts of the roadmap; if the region is empty, those near the place itself."""
        here = {place for node in region for place in self._near[node]}
        if not region:
            pose, reach_m = self._places[index].pose, self._apart_m + 2.0 * self._roadmap.spacing_m
            here = {other for other, place in enumerate(self._places) if place.pose.distance_to(pose) < reach_m}
        there = {place for node in open_floor for place in self._near[node]}
        return sorted((here & there) - {index})

    def _reached(self, index: int, standing: set[int], wanted: set[int]) -> set[int]:
        """Return the nodes that can be reached from a place while robots occupy others; stop at a wanted node."""
        pose = self._places[index].pose
        starts = [
            node
            for node in self._roadmap.near(pose.x_m, pose.y_m)
            if self._is_clear(pose.x_m, pose.y_m, node, standing, pose)
        ]
        return self._region(starts, standing, wanted)

    def _largest_region(self, standing: set[int]) -> set[int]:
        """Return the largest connected part of the roadmap while robots occupy places."""
        largest: set[int] = set()
        seen: set[int] = set()
        for node in range(len(self._near)):
            if node not in seen and self._is_free(node, standing):
                region = self._region([node], standing, set())
                seen |= region
                largest = max(largest, region, key=len)
        return largest

    def _region(self, starts: Sequence[int], standing: set[int], wanted: set[int]) -> set[int]:
        """Return the nodes of the roadmap that can be reached; stop at a wanted node."""
        found = set(starts)
        open_nodes = list(starts)
        while open_nodes:
            node = open_nodes.pop()
            if node in wanted:
                break
            x_m, y_m = self._roadmap.xs_m[node], self._roadmap.ys_m[node]
            for other in self._roadmap.neighbours[node]:
                if other not in found and self._is_clear(x_m, y_m, other, standing):
                    found.add(other)
                    open_nodes.append(other)
        return found

    def _is_free(self, node: int, standing: set[int]) -> bool:
        x_m, y_m = self._roadmap.xs_m[node], self._roadmap.ys_m[node]
        return self._is_clear(x_m, y_m, node, standing)

    def _is_clear(self, x_m: float, y_m: float, node: int, standing: set[int], start: Pose2D | None = None) -> bool:
        """Return whether a straight line to a node keeps its distance from robots, or that of its start if smaller."""
        near = self._near[node]
        if standing.isdisjoint(near):
            return True
        line = Segment(x_m, y_m, self._roadmap.xs_m[node], self._roadmap.ys_m[node])
        for index in near:
            if index in standing:
                pose = self._places[index].pose
                needed_m = self._apart_m if start is None else min(self._apart_m, start.distance_to(pose))
                if line.distance_m(pose.x_m, pose.y_m) < needed_m - _ROUNDING_M:
                    return False
        return True

    def _near_places(self, node: int) -> list[int]:
        """Return the places that lines to a node of the roadmap may pass too closely."""
        x_m, y_m = self._roadmap.xs_m[node], self._roadmap.ys_m[node]
        reach_m = self._apart_m + 2.0 * self._roadmap.spacing_m
        return [
            index
            for index, place in enumerate(self._places)
            if abs(place.pose.x_m - x_m) < reach_m and abs(place.pose.y_m - y_m) < reach_m
        ]
