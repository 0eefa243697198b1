"""Checks the places of a fleet's robots in a simulated world: inside the walls, clear of objects, with chargers."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fleet.geometry import Pose2D
from fleet.settings.config import ArenaConfig
from simulator.physics.bodies import Pose
from simulator.physics.objects import object_piece, robot_piece
from simulator.physics.start_places import Placed, is_inside, overlapping_pairs
from simulator.physics.walls import wall
from simulator.world.config import build_object, object_name
from thymio_base.settings_file import Problem
from thymio_base.texts.yaml_text import KeyPath

Entries = list[tuple[int, dict[str, Any]]]  # entries of a list, with their indices in the file


def charger_remarks(world: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the chargers of a world that no robot can occupy."""
    others = _obstacles(world, only_fixed=True)
    for index, charger in enumerate(world["chargers"]):
        if charger is None:
            continue
        key: KeyPath = ("chargers", index)
        x_m, y_m = charger["x_m"], charger["y_m"]
        arena = world.get("arena")
        if arena is not None and not (0.0 < x_m < arena["width_m"] and 0.0 < y_m < arena["height_m"]):
            yield key, f"its middle, ({x_m:g}, {y_m:g}), is outside the arena"
        elif _is_blocked(key, x_m, y_m, others):
            yield key, f"no robot can stand on its middle, ({x_m:g}, {y_m:g}), without overlapping something fixed"


def _is_blocked(key: KeyPath, x_m: float, y_m: float, others: Sequence[Placed]) -> bool:
    """Return whether a robot at a place overlaps something at each of eight headings."""
    headings = (0.25 * math.pi * number for number in range(8))
    return all(
        any(overlapping_pairs([Placed(key, robot_piece(), (x_m, y_m, heading_rad))], others))
        for heading_rad in headings
    )


def arena_mistakes(arena: Mapping[str, float] | None, world: Mapping[str, float], name: str) -> Iterator[Problem]:
    """Yield the edges of a fleet's arena that lie beyond the walls of a world."""
    if arena is None:
        return
    limits = (("x_min_m", 0.0), ("y_min_m", 0.0), ("x_max_m", world["width_m"]), ("y_max_m", world["height_m"]))
    for key, limit_m in limits:
        edge_m = arena.get(key)
        if edge_m is not None and (edge_m < limit_m if "min" in key else edge_m > limit_m):
            yield ("arena", key), f"{edge_m:g} is beyond the wall of {name} at {limit_m:g}"


def misplaced(robots: Entries, world: Mapping[str, Any], name: str) -> Iterator[Problem]:
    """Yield the homes and initial poses at which a robot's body would overlap something or be outside the walls."""
    others = _obstacles(world)
    for key in ("home", "initial_pose"):
        places = [
            Placed(("robots", index, key), robot_piece(), pose)
            for index, robot in robots
            if (pose := valid_pose(robot.get(key))) is not None
        ]
        for late, early in overlapping_pairs(places, others):
            yield late.key, f"a robot at {place_text(late.pose)} {_obstacle_text(early, key, world, name)}"
        if "arena" in world:
            width_m, height_m = world["arena"]["width_m"], world["arena"]["height_m"]
            for place in places:
                if not is_inside(place, width_m, height_m):
                    text = f"a robot at {place_text(place.pose)} is not inside {name}, {width_m:g} m by {height_m:g} m"
                    yield place.key, text


def _obstacle_text(body: Placed, key: str, world: Mapping[str, Any], name: str) -> str:
    section, index = body.key[:2]
    assert isinstance(index, int)
    if section == "walls":
        return f"stands in walls[{index}] of {name}"
    if section == "objects":
        return f"overlaps the object {object_name(world['objects'][index], index)!r} of {name}"
    return f"overlaps the robot at the {key.replace('_', ' ')} of robots[{index}]"


def _obstacles(world: Mapping[str, Any], only_fixed: bool = False) -> list[Placed]:
    objects = [
        Placed(("objects", index), object_piece(build_object(entry, index)), pose)
        for index, entry in enumerate(world["objects"])
        if entry is not None and (pose := valid_pose(entry)) is not None and not (only_fixed and entry["movable"])
    ]
    walls = [
        Placed(("walls", index), *wall((ends["x1_m"], ends["y1_m"], ends["x2_m"], ends["y2_m"])))
        for index, ends in enumerate(world["walls"])
        if ends is not None
    ]
    return [*objects, *walls]


def far_chargers(arena: Mapping[str, float] | None, chargers: Sequence[Any], name: str) -> Iterator[Problem]:
    """Yield the chargers of a world outside a fleet's arena, which no goal can reach."""
    if arena is None or None in arena.values():
        return
    area = ArenaConfig(**arena)
    for index, charger in enumerate(chargers):
        if charger is not None and not area.contains(Pose2D(charger["x_m"], charger["y_m"], 0.0)):
            place = f"({charger['x_m']:g}, {charger['y_m']:g})"
            yield ("arena",), f"no goal can lead to chargers[{index}] of {name} at {place}, which is outside"


def valid_pose(values: Mapping[str, Any] | None) -> Pose | None:
    """Return the pose in a mapping; None if it is not valid."""
    if values is None or None in (values.get("x_m"), values.get("y_m"), values.get("heading_rad", 0.0)):
        return None
    return values["x_m"], values["y_m"], values.get("heading_rad", 0.0)


def place_text(pose: Pose) -> str:
    """Return the position of a pose as text [m]."""
    return f"({pose[0]:g}, {pose[1]:g})"
