"""Checks of stations that the schema of fleet.yaml cannot express."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from fleet.floor.obstacles import BODY_RADIUS_M, Obstacles
from fleet.geometry import Pose2D
from fleet.settings.station_config import pose_of
from thymio_base.settings_file import Problem, repeats

_Places = list[tuple[int, dict[str, Any]]]  # each station's index in the file, and its entry


def station_problems(
    stations: Sequence[dict[str, Any] | None] | None, obstacles: Obstacles, least_m: float
) -> Iterator[Problem]:
    """Yield problems that the schema cannot detect: names that are taken, stations in walls or too close together.

    Parameters
    ----------
    stations
        the section; invalid values are None
    obstacles
        walls and areas of the floor
    least_m
        the distance that robots keep
    """
    present: _Places = [(index, one) for index, one in enumerate(stations or ()) if one is not None]
    for later, earlier in repeats(one.get("name") or None for _, one in present):
        index, station = present[later]
        yield ("stations", index, "name"), f"{station['name']!r} is taken by stations[{present[earlier][0]}]"
    placed = [(index, pose_of(one["pose"])) for index, one in present if _is_placed(one)]
    for index, pose in placed:
        clearance_m = obstacles.clearance_m(pose.x_m, pose.y_m)
        if clearance_m < BODY_RADIUS_M:
            place = f"({pose.x_m:g}, {pose.y_m:g})"
            problem = f"{place} is {clearance_m:.3f} m from a wall or area of `floor`; a body needs {BODY_RADIUS_M:g} m"
            yield ("stations", index, "pose"), problem
    for (first, one), (second, other) in combinations(placed, 2):
        if one.distance_to(other) < least_m:
            problem = f"only {one.distance_to(other):.3f} m from stations[{first}]; robots need {least_m:g} m"
            yield ("stations", second, "pose"), problem


def outside_arena(
    stations: Sequence[dict[str, Any] | None] | None, has_room: Callable[[Pose2D], bool]
) -> Iterator[Problem]:
    """Yield stations where the arena has no room for a robot, by `has_room` of a pose."""
    for index, station in enumerate(stations or ()):
        if station is not None and _is_placed(station) and not has_room(pose_of(station["pose"])):
            place = f"({station['pose']['x_m']:g}, {station['pose']['y_m']:g})"
            problem = f"{place} is not inside the arena, {BODY_RADIUS_M:g} m from its edges"
            yield ("stations", index, "pose"), problem


def _is_placed(station: Mapping[str, Any]) -> bool:
    """Whether a station has a valid pose."""
    pose = station.get("pose")
    return pose is not None and None not in pose.values()
