"""The table at the end of the demonstration: one line for each robot."""

import math
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from fleet.commands.demo.performance import RobotRecord

_HEADINGS = ("robot", "tasks done", "seconds", "waited", "worst position mm", "worst heading °", "contacts")


def result_table(records: Sequence[RobotRecord]) -> Table:
    """Return what robots did; errors are those of their true poses at the ends of tasks."""
    table = Table(
        title="Robots, and where they really were at the ends of their tasks",
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
    done = f"{record.done_count} of {record.task_count}"
    return [
        str(record.robot_id),
        Text(done, style="green" if record.is_good else "red"),
        f"{record.driving_s:.1f}",
        f"{record.waited_s:.1f}",
        _number(record.worst_position_m, 1000.0),
        _number(record.worst_heading_rad, math.degrees(1.0)),
        "-" if record.contacts is None else str(record.contacts),
    ]


def _number(value: float | None, factor: float) -> str:
    return "-" if value is None else f"{factor * value:.1f}"
