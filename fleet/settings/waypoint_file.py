"""Reads waypoints from a CSV file.

It has two columns, x and y in metres, with an optional header line; empty lines and text after a # are ignored.
"""

import math
import pathlib
from collections.abc import Sequence

from fleet.errors import PathError
from fleet.paths.polyline import NEAREST_M, Point
from thymio_base.errors import SettingsError, TextError
from thymio_base.settings_file import load_text
from thymio_base.texts.bounds import FARTHEST_M
from thymio_base.texts.decimal_text import real_number

_HEADINGS = (["x_m", "y_m"], ["x", "y"])


def is_csv(file: pathlib.Path) -> bool:
    """Whether a file is a waypoint file; otherwise it is YAML."""
    return file.suffix.lower() == ".csv"


def load_waypoints(file: pathlib.Path) -> list[Point]:
    """Return the waypoints in a CSV file [m].

    Raises
    ------
    PathError
        The file cannot be read or has problems; the message lists all of them, each with file and line.
    """
    try:
        lines = load_text(file, "utf-8-sig").splitlines()
    except SettingsError as error:
        raise PathError(str(error)) from error
    return _csv_points(file, lines)


def _csv_points(file: pathlib.Path, lines: Sequence[str]) -> list[Point]:
    rows = [(number, line.partition("#")[0].strip()) for number, line in enumerate(lines, start=1)]
    table = [(number, [cell.strip() for cell in row.split(",")]) for number, row in rows if row]
    points_m: list[Point] = []
    problems: list[str] = []
    before: Point | None = None
    if table and table[0][1] in _HEADINGS:
        del table[0]
    for number, cells in table:
        try:
            before = _csv_point(cells, before)
            points_m.append(before)
        except PathError as error:
            before = None
            problems.append(f"{file}:{number}: {error}")
    if problems:
        raise PathError("\n".join(problems))
    return points_m


def _csv_point(cells: Sequence[str], before: Point | None) -> Point:
    if len(cells) != 2:
        raise PathError(f"{len(cells)} columns instead of x_m and y_m")
    try:
        point = real_number(cells[0]), real_number(cells[1])
    except TextError as error:
        raise PathError(str(error)) from error
    if max(map(abs, point)) > FARTHEST_M:
        raise PathError(f"({point[0]:g}, {point[1]:g}) is more than {FARTHEST_M:g} m away")
    if before is not None and math.dist(point, before) < NEAREST_M:
        raise PathError(f"{', '.join(cells)} is the same as the waypoint before it")
    return point
