"""Finds waypoints in YAML or JSON lists of other programs.

Supported are lists of [x, y, ...] or {x:, y:}, alone, under `waypoints` and similar keys or in parameters of ROS nodes,
flat lists of numbers, and nav_msgs/Path and other lists of poses.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fleet.errors import PathError
from fleet.paths.polyline import Point
from thymio_base.texts.bounds import FARTHEST_M
from thymio_base.texts.shortened import shortened

_KEYS: Final = ("waypoints", "poses", "points", "path", "way_points")
_INNER: Final = ("pose", "position", "point")
_DEPTH: Final = 4  # of mappings: /**: ros__parameters: waypoints:


def waypoint_list(values: Any, depth: int = _DEPTH) -> list[Any] | None:
    """Return the list of waypoints in the values of a document; None if it has none."""
    if isinstance(values, list):
        return values if values and (_is_flat(values) or all(_has_place(one) for one in values)) else None
    if not isinstance(values, Mapping) or depth == 0:
        return None
    for key in (*(key for key in _KEYS if key in values), *(key for key in values if key not in _KEYS)):
        inner = values[key]
        if isinstance(inner, Mapping) or (key in _KEYS and isinstance(inner, list)):
            found = waypoint_list(inner, depth - 1)
            if found is not None:
                return found
    return None


def listed_points(items: Sequence[Any], source: str) -> tuple[list[Point], list[str]]:
    """Return the points of a list from `waypoint_list` [m], and notes on what was ignored.

    Raises
    ------
    PathError
        A point is not finite, or too far away.
    """
    notes: list[str] = []
    if _is_flat(items):
        width = 2 if len(items) % 2 == 0 else 3
        if len(items) % width:
            raise PathError(f"{source}: {len(items)} numbers are neither pairs x, y nor triples x, y, yaw")
        if len(items) % 6 == 0 or width == 3:
            read = "pairs x, y" if width == 2 else "triples x, y, yaw"
            notes.append(f"{source}: {len(items)} numbers are read as {read}; [[x, y, yaw], ...] says which they are")
        items = [items[index : index + width] for index in range(0, len(items), width)]
    points_m = [(float(x), float(y)) for x, y in map(_place, items)]
    for number, point in enumerate(points_m, start=1):
        if not all(math.isfinite(one) and abs(one) <= FARTHEST_M for one in point):
            text = f"({point[0]:g}, {point[1]:g}) is not within {FARTHEST_M:g} m"
            raise PathError(f"{source}: waypoint {number}: {text}")
    if any(_has_more(item) for item in items):
        notes.append(f"{source}: headings, heights and what else waypoints have is left aside")
    return points_m, notes


def not_points(values: Any, source: str) -> PathError:
    """Return the error for a document that is neither a path nor a list of waypoints."""
    advice = "write [[x, y], ...] in metres, or a key such as waypoints_m; tables of points end in .csv, .tsv or .txt"
    return PathError(f"{source}:1: {shortened(repr(values))} is not a path: {advice}")


def _is_flat(items: Sequence[Any]) -> bool:
    return len(items) >= 4 and all(map(_is_number, items))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _has_place(item: Any) -> bool:
    return all(map(_is_number, _place(item)))


def _place(item: Any) -> tuple[Any, Any]:
    """Return x and y of an item; None for a missing value."""
    if isinstance(item, list):
        return (item[0], item[1]) if len(item) >= 2 else (None, None)
    if not isinstance(item, Mapping):
        return None, None
    for key in _INNER:
        if isinstance(item.get(key), Mapping | list):
            return _place(item[key])
    named = {str(key).lower().removesuffix("_m"): value for key, value in item.items()}
    return named.get("x"), named.get("y")


def _has_more(item: Any) -> bool:
    return len(item) > 2 if isinstance(item, list) else not {str(key).lower()[:1] for key in item} <= {"x", "y"}
