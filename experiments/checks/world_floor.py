"""The section `floor` of a fleet in a simulated world: inner walls, and areas around immovable objects."""

import math
from collections.abc import Iterator

from fleet.geometry import Pose2D
from fleet.settings.config import FloorConfig
from simulator.outlines.outline import box_corners
from simulator.physics.objects import ObjectConfig, ObjectShape
from simulator.world.config import WorldConfig

_SIDES = 12  # sides of the polygon around a cylinder
_DIGITS = 4  # decimal places: tenths of a millimetre
_ROUNDING_M = 1e-4  # margin of polygons around cylinders, so that rounding cuts nothing off
_WIDTH = 120  # characters of a line

Corners = tuple[tuple[float, float], ...]


def floor_of(world: WorldConfig) -> FloorConfig:
    """Return the walls inside a world's arena, and polygons that contain its immovable objects.

    Walls at the arena's edges are left out: the fleet's `arena` keeps robots away from them.
    """
    walls = tuple(wall.ends_m for wall in world.walls)
    return FloorConfig(walls, tuple(outline_of(config) for config in world.objects if not config.movable))


def floor_text(floor: FloorConfig, origin: str) -> str:
    """Return a section `floor` as YAML, with a comment that names its origin."""
    return "\n".join(["floor: # " + f"from {origin}", *_wall_lines(floor), *_area_lines(floor), ""])


def outline_of(config: ObjectConfig) -> Corners:
    """Return the corners of a polygon that contains an object, counter-clockwise."""
    place = Pose2D(config.x_m, config.y_m, config.heading_rad)
    corners = (place.compose(Pose2D(x_m, y_m, 0.0)) for x_m, y_m in _corners(config))
    return tuple((round(corner.x_m, _DIGITS), round(corner.y_m, _DIGITS)) for corner in corners)


def _corners(config: ObjectConfig) -> Corners:
    """Return the corners relative to the object's centre."""
    if config.shape is ObjectShape.BOX:
        return tuple(box_corners(config.length_m, config.width_m))
    reach_m = (config.radius_m + _ROUNDING_M) / math.cos(math.pi / _SIDES)
    angles = (math.tau * side / _SIDES for side in range(_SIDES))
    return tuple((reach_m * math.cos(angle), reach_m * math.sin(angle)) for angle in angles)


def _wall_lines(floor: FloorConfig) -> Iterator[str]:
    yield "  walls:" if floor.walls else "  walls: []"
    for x1_m, y1_m, x2_m, y2_m in floor.walls:
        yield f"    - {{ x1_m: {_text(x1_m)}, y1_m: {_text(y1_m)}, x2_m: {_text(x2_m)}, y2_m: {_text(y2_m)} }}"


def _area_lines(floor: FloorConfig) -> Iterator[str]:
    yield "  keep_out:" if floor.keep_out else "  keep_out: []"
    for corners in floor.keep_out:
        words = [f"{{ x_m: {_text(x_m)}, y_m: {_text(y_m)} }}" for x_m, y_m in corners]
        yield from _folded("    - [", words, "]")


def _folded(start: str, words: list[str], end: str) -> Iterator[str]:
    """Yield comma-separated words, wrapped to lines of limited length."""
    line = start
    for index, word in enumerate(words):
        part = word + (end if index == len(words) - 1 else ",")
        if line != start and len(line) + len(part) + 1 > _WIDTH:
            yield line
            line = " " * (len(start) - 1)
        line += part if line == start else f" {part}"
    yield line


def _text(value_m: float) -> str:
    return f"{round(value_m, _DIGITS):g}"
