"""Reads waypoints from a table with one waypoint per line, and x and y in metres among its columns.

Columns are found by their names in a header line, which may be a comment; without one, x and y are the first two.
Separators are semicolons, tabs, commas or blanks; with all but commas, numbers may have a decimal comma.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from fleet.errors import PathError
from fleet.paths.polyline import Point
from thymio_base.errors import TextError
from thymio_base.number_text import count_text
from thymio_base.texts.bounds import FARTHEST_M
from thymio_base.texts.decimal_text import real_number
from thymio_base.texts.shortened import shortened

_LISTED: Final = 3  # problems
_COMMENT: Final = re.compile(r"#|//|%")
_DECIMAL_COMMA: Final = re.compile(r"[-+]?[0-9]+,[0-9]+(?:[eE][-+]?[0-9]+)?")
_UNIT: Final = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_FOREIGN: Final = re.compile(r"(?:pos_|position_)?[xy]_(?:um|mm|cm|dm|km|in|inch|inches|ft|feet|px|pixels?)")
_METRES: Final = ("", "m", "meter", "meters", "metre", "metres")
_NAMES: Final = ("{}", "pos_{}", "position_{}", "{}_pos", "{}_position", "pose_{}", "p{}", "{}_ref")
_REMEDY: Final = "name the columns in the first line, such as x,y,yaw"


@dataclass(frozen=True, slots=True)
class WaypointTable:
    """The waypoints in a table [m], and notes on what was ignored."""

    points_m: list[Point]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of x and y, the number of columns, and the names of the others."""

    x: int
    y: int
    count: int
    others: list[str]


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    cells: list[str]


def read_waypoint_table(text: str, source: str) -> WaypointTable:
    """Return the waypoints in a table.

    Raises
    ------
    PathError
        It has no columns x and y, or lines without numbers; the message lists the first ones, each with its line.
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1)]
    kept = [(number, _COMMENT.split(line)[0].strip()) for number, line in lines]
    filled = [(number, line) for number, line in kept if line]
    separators = Counter(_separator(line) for _, line in filled)
    separator = separators.most_common(1)[0][0] if separators else ","
    rows = [_Row(number, cells) for number, line in filled if (cells := _cells(line, separator))]
    first_line = rows[0].line if rows else len(lines) + 1
    comments = [_COMMENT.sub("", line, count=1) for number, line in lines if number < first_line]
    columns = _columns(rows, [_names(comment) for comment in comments], source)
    notes = [f"{source}: left aside: {shortened(', '.join(columns.others))}"] if columns.others else []
    return WaypointTable(_points(rows, columns, source), notes)


def _separator(line: str) -> str | None:
    """Return the separator of the cells in a line; None for blanks."""
    words = line.split()
    if len(words) > 1 and all(map(_DECIMAL_COMMA.fullmatch, words)):
        return None
    return next((one for one in ";\t," if one in line), None)


def _cells(line: str, separator: str | None) -> list[str]:
    """Return the cells of a line, without empty ones at its end; numbers have decimal points."""
    cells = [cell.strip().strip("\"'") for cell in line.split(separator)]
    while cells and not cells[-1]:
        cells.pop()
    return cells if separator == "," else [_with_point(cell) for cell in cells]


def _with_point(cell: str) -> str:
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell


def _names(comment: str) -> list[str]:
    """Return the cells of a line that may be a header."""
    return _cells(comment, _separator(comment))


def _columns(rows: list[_Row], comments: Sequence[list[str]], source: str) -> _Columns:
    """Return the columns named by a header, and remove it from the rows; without one, the first two."""
    if rows and not any(map(_is_number, rows[0].cells)):
        header = rows.pop(0)
        _check_units(header.cells, source)
        if (found := _named(header.cells)) is None:
            listed = shortened(", ".join(header.cells))
            raise PathError(f"{source}:{header.line}: no columns x and y among {listed}: name them x_m and y_m")
        return found
    for comment in reversed(comments):
        _check_units(comment, source)
        if (found := _named(comment)) is not None and rows and len(rows[0].cells) >= max(found.x, found.y) + 1:
            return found
    return _unnamed(rows, source)


def _check_units(names: Sequence[str], source: str) -> None:
    """Refuse coordinates in other units: reading them as metres could be wrong by a factor of 1000."""
    foreign = next((name for name in names if _FOREIGN.fullmatch(_plain(name))), None)
    if foreign is not None:
        raise PathError(f"{source}: {foreign} is not in metres: convert the numbers, and name the columns x_m and y_m")


def _named(names: Sequence[str]) -> _Columns | None:
    """Return the columns of x and y among names; None if there are none."""
    plain = [_plain(name) for name in names]
    x, y = _index(plain, "x"), _index(plain, "y")
    if x is None or y is None:
        return None
    others = [name for index, name in enumerate(names) if index not in (x, y)]
    return _Columns(x, y, len(names), others)


def _plain(name: str) -> str:
    """Return a column's name in lower case, without its unit if that is metres."""
    found = _UNIT.search(name)
    unit = None if found is None else found[1].strip().lower()
    plain = re.sub(r"[^a-z0-9]+", "_", _UNIT.sub("", name).lower()).strip("_")
    if unit is not None and unit not in _METRES:
        return f"{plain}_{unit}"
    stem, _, last = plain.rpartition("_")
    return stem if stem and last in _METRES else plain


def _index(names: Sequence[str], axis: str) -> int | None:
    for pattern in _NAMES:
        if pattern.format(axis) in names:
            return names.index(pattern.format(axis))
    return next((index for index, name in enumerate(names) if name.endswith(f"position_{axis}")), None)


def _unnamed(rows: Sequence[_Row], source: str) -> _Columns:
    """Return the first two columns, unless the first of several could be time or an index."""
    count = len(rows[0].cells) if rows else 2
    if count < 2:
        raise PathError(f"{source}:{rows[0].line}: one column instead of x and y")
    if count == 2:
        return _Columns(0, 1, count, [])
    if len(rows) > 2 and _is_even([row.cells[0] for row in rows]):
        text = f"{count} columns, the first of which may be x, time or an index"
        raise PathError(f"{source}:{rows[0].line}: {text}: {_REMEDY}")
    return _Columns(0, 1, count, [f"{count - 2} of {count} columns without names; the first two are read as x and y"])


def _is_even(cells: Sequence[str]) -> bool:
    """Whether numbers grow by the same step."""
    if not all(map(_is_number, cells)):
        return False
    steps = [after - before for before, after in pairwise(map(real_number, cells))]
    return steps[0] > 0 and max(steps) - min(steps) < 1e-6 * steps[0]


def _is_number(cell: str) -> bool:
    try:
        real_number(cell)
    except TextError:
        return False
    return True


def _points(rows: Sequence[_Row], columns: _Columns, source: str) -> list[Point]:
    points_m: list[Point] = []
    problems: list[str] = []
    for row in rows:
        try:
            points_m.append(_point(row.cells, columns))
        except (PathError, TextError) as error:
            problems.append(f"{source}:{row.line}: {error}")
    if problems:
        raise PathError("\n".join(_first(problems)))
    return points_m


def _first(problems: Sequence[str]) -> Iterator[str]:
    """Yield the first problems, and the number of further ones."""
    yield from problems[:_LISTED]
    if len(problems) > _LISTED:
        yield f"and {len(problems) - _LISTED} more lines"


def _point(cells: Sequence[str], columns: _Columns) -> Point:
    if len(cells) <= max(columns.x, columns.y) or (columns.count == 2 and len(cells) > 2):
        raise PathError(f"{count_text(len(cells), 'column')} instead of {columns.count}")
    point = real_number(cells[columns.x]), real_number(cells[columns.y])
    if max(map(abs, point)) > FARTHEST_M:
        raise PathError(f"({point[0]:g}, {point[1]:g}) is more than {FARTHEST_M:g} m away")
    return point
