"""One line of the benchmarks of the body coupler, and how lines are printed."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class BodyRow:
    """What was asked, and what was measured."""

    case: str
    asked: str
    measured: str


def print_body_rows(title: str, rows: Sequence[BodyRow], *, as_json: bool) -> None:
    """Print a table with a title, or a list of objects."""
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
        return
    table = Table(title=title)
    for heading in ("case", "asked", "measured"):
        table.add_column(heading)
    for row in rows:
        table.add_row(row.case, row.asked, row.measured)
    Console().print(table)
