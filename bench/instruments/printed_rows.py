"""Shared by all benchmark programs: common options, and the printing of rows."""

import argparse
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, TypeVar

from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

_WIDTH = 220  # of tables in files, which are read in a browser

Row = TypeVar("Row")  # a dataclass, or values by name


def options_of(text: str | None) -> argparse.ArgumentParser:
    """Return a parser for a program whose module has this docstring, with the option `--json`."""
    parser = argparse.ArgumentParser(description=(text or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="an object a line instead of a table")
    return parser


def print_rows(rows: Iterable[Row], *, as_json: bool) -> list[Row]:
    """Print rows as a table or, one by one as they arrive, as JSON with null for NaN; return them."""
    kept = []
    for row in rows:
        kept.append(row)
        if as_json:
            print(json.dumps({key: _plain(value) for key, value in values_of(row).items()}), flush=True)
    if kept and not as_json:
        Console(width=_WIDTH).print(table_of(list(map(values_of, kept))))
    return kept


def values_of(row: object) -> Mapping[str, Any]:
    """Return the values of a row by their names."""
    if isinstance(row, Mapping):
        return row
    if is_dataclass(row) and not isinstance(row, type):
        return asdict(row)
    raise TypeError(f"{row!r} is neither a dataclass nor a mapping")


def table_of(rows: list[Mapping[str, Any]]) -> Table:
    """Return a table in Markdown with a line for each row, or for each name where there are more names than rows."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines: list[list[Any]] = [names, *([row.get(name) for name in names] for row in rows)]
    if len(names) > len(rows):
        lines = [list(line) for line in zip(*lines, strict=True)]
    table = Table(box=MARKDOWN)
    for place, heading in enumerate(lines[0]):
        table.add_column(_text(heading), justify="right" if place else "left")
    for line in lines[1:]:
        table.add_row(*map(_text, line))
    return table


def _plain(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value


def _text(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100.0 else f"{value:.0f}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(one)}" for key, one in value.items()) or "-"
    if isinstance(value, list | tuple):
        return "; ".join(map(_text, value)) or "-"
    return str(value)
