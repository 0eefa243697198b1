"""Adapts the shipped layouts, which serve as patterns, to other robots and arenas."""

import re
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeAlias

from fleet.settings.config import FleetConfig

_PATTERN = re.compile(r"(robot_|Robot )1\b")  # the robot of which the others are copies
_MODEL = "rviz_default_plugins/RobotModel"
_VIEW_SHARE = 1.1  # distance of the camera, as a share of the arena's longer side

_Layout: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ShownFleet:
    """The properties of a fleet that its layout needs.

    Parameters
    ----------
    robot_ids : the robots, in the order of the layout
    frame : frame of all poses
    middle_m : (x, y) of the camera's focus [m]
    distance_m : distance from there to the camera
    """

    robot_ids: tuple[int, ...]
    frame: str
    middle_m: tuple[float, float]
    distance_m: float

    @staticmethod
    def of(config: FleetConfig) -> "ShownFleet":
        """Return the properties of a configuration's fleet; without an arena the camera looks at the robots' homes."""
        arena = config.arena
        homes = [robot.home for robot in config.robots]
        xs_m = [home.x_m for home in homes] if arena is None else [arena.x_min_m, arena.x_max_m]
        ys_m = [home.y_m for home in homes] if arena is None else [arena.y_min_m, arena.y_max_m]
        middle_m = 0.5 * (min(xs_m) + max(xs_m)), 0.5 * (min(ys_m) + max(ys_m))
        distance_m = round(_VIEW_SHARE * max(max(xs_m) - min(xs_m), max(ys_m) - min(ys_m), 1.0), 2)
        return ShownFleet(tuple(robot.id for robot in config.robots), config.frame, middle_m, distance_m)


def rviz_layout(pattern: _Layout, fleet: ShownFleet) -> _Layout:
    """Return the RViz layout; its displays of robots are copies of the pattern's first one."""
    layout = deepcopy(pattern)
    manager = layout["Visualization Manager"]
    models = [display for display in manager["Displays"] if display["Class"] == _MODEL]
    place = manager["Displays"].index(models[0])
    others = [display for display in manager["Displays"] if display["Class"] != _MODEL]
    manager["Displays"] = [*others[:place], *_copies(models[0], fleet.robot_ids), *others[place:]]
    manager["Global Options"]["Fixed Frame"] = fleet.frame
    view = manager["Views"]["Current"]
    view["Distance"], view["Target Frame"] = fleet.distance_m, fleet.frame
    view["Focal Point"] = {"X": fleet.middle_m[0], "Y": fleet.middle_m[1], "Z": 0}
    return layout


def foxglove_layout(pattern: _Layout, fleet: ShownFleet) -> _Layout:
    """Return the Foxglove layout; its single-robot panels show the fleet's first robot."""
    layout = deepcopy(pattern)
    panels = layout["configById"]
    scene = panels["3D!fleet"]
    scene["topics"] = _without_robots(scene["topics"]) | _each(scene["topics"], fleet.robot_ids)
    scene["layers"] = _without_robots(scene["layers"]) | _each(scene["layers"], fleet.robot_ids)
    for order, layer in enumerate(scene["layers"].values()):
        layer["order"] = order + 1
    scene["layers"]["grid"]["frameId"] = scene["followTf"] = fleet.frame
    scene["cameraState"] |= {"distance": fleet.distance_m, "targetOffset": [*fleet.middle_m, 0]}
    first = str(fleet.robot_ids[0])
    layout["configById"] = {
        _named(name, first): panel if name == "3D!fleet" else _of(panel, first) for name, panel in panels.items()
    }
    layout["layout"] = _of(layout["layout"], first)
    return layout


def _copies(node: _Layout, robot_ids: Iterable[int]) -> list[_Layout]:
    return [_of(node, str(robot_id)) for robot_id in robot_ids]


def _each(entries: _Layout, robot_ids: Iterable[int]) -> _Layout:
    """Return the entries of the pattern's robot, once for each robot."""
    own = {name: entry for name, entry in entries.items() if _PATTERN.search(name)}
    return {name: entry for robot_id in robot_ids for name, entry in _of(own, str(robot_id)).items()}


def _without_robots(entries: _Layout) -> _Layout:
    return {name: entry for name, entry in entries.items() if not re.search(r"robot_\d", name)}


def _of(node: Any, robot: str) -> Any:
    """Return a part of the pattern with the names of another robot, in keys and values."""
    if isinstance(node, str):
        return _named(node, robot)
    if isinstance(node, dict):
        return {_named(key, robot): _of(value, robot) for key, value in node.items()}
    return [_of(one, robot) for one in node] if isinstance(node, list) else node


def _named(text: str, robot: str) -> str:
    return _PATTERN.sub(lambda match: match.group(1) + robot, text)
