"""Reads files of waypoints: tables, and lists written by other programs; repeated points are left out."""

import math
import pathlib
import re
from dataclasses import dataclass
from typing import Any, Final

from fleet.errors import PathError
from fleet.paths.polyline import NEAREST_M, Point
from fleet.settings.waypoint_list import listed_points, not_points, waypoint_list
from fleet.settings.waypoint_table import read_waypoint_table
from thymio_base.errors import TextError
from thymio_base.number_text import count_text
from thymio_base.texts.json_text import read_json
from thymio_base.texts.yaml_text import yaml_values

_TABLES: Final = (".csv", ".tsv")
_TEXTS: Final = (".txt", ".dat")  # tables, or YAML with a colon
_GLOBE: Final = (".gpx", ".kml", ".geojson")
_OWN_KEYS: Final = ("shape", "waypoints_m", "pieces")
_END_OF_MESSAGE: Final = re.compile(r"\n---\s*\Z")  # as `ros2 topic echo` prints it


@dataclass(frozen=True, slots=True)
class Waypoints:
    """Waypoints [m], and notes on ignored parts of their file."""

    points_m: tuple[Point, ...]
    notes: tuple[str, ...]


def is_table(file: pathlib.Path, text: str) -> bool:
    """Whether a file has one waypoint per line, according to its ending and text."""
    ending = file.suffix.lower()
    return ending in _TABLES or (ending in _TEXTS and not re.search(r"^[^#/%:\n]*:", text, re.MULTILINE))


def is_on_globe(file: pathlib.Path) -> bool:
    """Whether a file's ending is that of a geographic format, which is not supported."""
    return file.suffix.lower() in _GLOBE


def holds_waypoints(file: pathlib.Path, text: str) -> bool:
    """Whether a file seems to hold waypoints, even if it cannot be read."""
    if is_on_globe(file) or is_table(file, text):
        return True
    return waypoint_list(_values(text, file.suffix.lower() == ".json")) is not None


def read_waypoints(file: pathlib.Path, text: str) -> Waypoints | None:
    """Return the waypoints in a table or list; None if the text is neither, but perhaps a path in our own YAML.

    Raises
    ------
    PathError
        The format is not supported, or the file has problems; the message lists the first ones.
    """
    if is_on_globe(file):
        raise PathError(f"{file}: places on the globe, in degrees, are not read: write x,y in metres into a .csv file")
    if is_table(file, text):
        table = read_waypoint_table(text.removeprefix("\ufeff"), str(file))
        return _without_repeats(table.points_m, table.notes, str(file))
    return waypoints_of_text(text, str(file), is_json=file.suffix.lower() == ".json")


def waypoints_of_text(text: str, source: str, *, is_json: bool = False) -> Waypoints | None:
    """Return the waypoints in a YAML or JSON list; None if it may be a path in our own YAML.

    Raises
    ------
    PathError
        It is a list or a single value without waypoints.
    """
    if any(key in text for key in _OWN_KEYS):
        return None
    values = _values(text, is_json)
    items = waypoint_list(values)
    if items is None:
        if values is None or isinstance(values, dict):
            return None
        raise not_points(values, source)
    return _without_repeats(*listed_points(items, source), source)


def _values(text: str, is_json: bool) -> Any:
    """Return the values of a document; None if it cannot be read, which the path reader explains."""
    try:
        return read_json(text) if is_json else yaml_values(_END_OF_MESSAGE.sub("\n", text), may_have_aliases=False)
    except TextError:
        return None


def _without_repeats(points_m: list[Point], notes: list[str], source: str) -> Waypoints:
    kept = [
        point for index, point in enumerate(points_m) if not index or math.dist(point, points_m[index - 1]) >= NEAREST_M
    ]
    count = len(points_m) - len(kept)
    if count:
        notes = [*notes, f"{source}: {count_text(count, 'repeated waypoint')} left out"]
    return Waypoints(tuple(kept), tuple(notes))
