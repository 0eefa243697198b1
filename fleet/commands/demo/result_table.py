"""The table at the end of the demonstration: one line for each robot."""

import math
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from fleet.commands.demo.performance import RobotRecord

_HEADINGS = ("robot", "jobs done", "waited s", "worst position mm", "worst heading °", "contacts")


def result_table(records: Sequence[RobotRecord]) -> Table:
    """Return the robots' results; errors are those of their true poses at the ends of jobs, and at home."""
    table = Table(
        title="Robots, and where they really were at the ends of their jobs and at home",
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for heading in _HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    if any(record.fault for record in records):
        table.add_column("first failure", overflow="fold")
    for record in records:
        table.add_row(*_cells(record), *([record.fault] if len(table.columns) > len(_HEADINGS) else []))
    return table


def _cells(record: RobotRecord) -> list[Text | str]:
    return [
        str(record.robot_id),
        Text(str(record.done_count), style="green" if record.is_good else "red"),
        f"{record.waited_s:.1f}",
        _worst([arrival.position_error_m for arrival in record.arrivals], 1000.0),
        _worst([arrival.heading_error_rad for arrival in record.arrivals], math.degrees(1.0)),
        "-" if record.contacts is None else str(record.contacts),
    ]


def _worst(errors: Sequence[float], factor: float) -> str:
    worst = max(errors)
    return f"{factor * worst:.1f}" if math.isfinite(worst) else "-"
