"""Checks whether a fleet's floor has the walls and immovable objects of a simulated world."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from experiments.checks.world_floor import outline_of
from fleet.floor.obstacles import Area, Obstacles, Segment
from simulator.world.config import build_object, object_name
from thymio_base.settings_file import Problem

_NEAR_M = 0.02  # between an obstacle of the world and one of the fleet that stands for it
_STEP_M = 0.05  # between the places of an obstacle that are compared
_NAMED = 3  # at most; the others are counted


def missing_obstacles(floor: Mapping[str, Any], world: Mapping[str, Any], name: str) -> Iterator[Problem]:
    """Yield that obstacles of a world are missing in the section `floor` of a fleet, if any are."""
    known = _obstacles(floor)
    missing = [text for text, sides in _world_sides(world) if not all(_is_known(known, side) for side in sides)]
    if missing:
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        yield (
            ("floor",),
            f"it lacks {', '.join(missing[:_NAMED])}{more} of {name}, so robots will drive against what stands there; "
            f"`thymio-fleet floor {name} --write FLEET` puts all of them in",
        )


def _world_sides(world: Mapping[str, Any]) -> Iterator[tuple[str, list[Segment]]]:
    """Yield the walls and immovable objects of a world: what they are called, and their sides."""
    for index, ends in enumerate(world["walls"]):
        if ends is not None:
            yield f"walls[{index}]", [_wall(ends)]
    for index, entry in enumerate(world["objects"]):
        if entry is not None and not entry["movable"]:
            yield f"the object {object_name(entry, index)!r}", Area(outline_of(build_object(entry, index))).outline


def _obstacles(floor: Mapping[str, Any]) -> Obstacles:
    areas = [Area([(corner["x_m"], corner["y_m"]) for corner in area]) for area in floor["keep_out"]]
    return Obstacles([_wall(ends) for ends in floor["walls"]], areas)


def _wall(ends: Mapping[str, float]) -> Segment:
    return Segment(ends["x1_m"], ends["y1_m"], ends["x2_m"], ends["y2_m"])


def _is_known(known: Obstacles, side: Segment) -> bool:
    """Whether an obstacle of the fleet is near every place of a side."""
    steps = max(1, math.ceil(math.hypot(side.x2_m - side.x1_m, side.y2_m - side.y1_m) / _STEP_M))
    shares = (step / steps for step in range(steps + 1))
    return all(
        known.clearance_m(side.x1_m + share * (side.x2_m - side.x1_m), side.y1_m + share * (side.y2_m - side.y1_m))
        < _NEAR_M
        for share in shares
    )
