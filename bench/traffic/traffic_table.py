"""The table of the traffic benchmark."""

from collections.abc import Iterable
from itertools import chain

from bench.traffic.traffic_row import TrafficRow
from experiments.markdown_table import markdown_table

_HEADINGS = (
    "scenario", "method", "robots", "seeds", "contacts", "arrived", "least gap mm", "sum ratio", "p95 ratio",
    "makespan ratio", "ms a tick p99", "longest tick ms", "held",
)  # fmt: skip


def text_table(rows: Iterable[TrafficRow]) -> str:
    """Return the rows in plain text."""
    lines = [_HEADINGS, *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.rjust, line, widths)) for line in lines)


def markdown(rows: Iterable[TrafficRow]) -> str:
    """Return the rows as a table of Markdown."""
    return markdown_table(_HEADINGS, map(_cells, rows))


def failures(rows: Iterable[TrafficRow]) -> str:
    """Return a line for each task that did not arrive."""
    return "\n".join(chain.from_iterable(_failures(row) for row in rows))


def _failures(row: TrafficRow) -> Iterable[str]:
    return (f"{row.scenario}, {row.method}, {failure}" for failure in row.failures)


def _cells(row: TrafficRow) -> list[str]:
    counts = [row.robots, row.seeds, row.contacts]
    ratios = [row.least_gap_mm, row.sum_ratio, row.p95_ratio, row.makespan_ratio]
    return [
        row.scenario,
        row.method,
        *map(str, counts),
        f"{row.arrived} / {row.asked}" if row.asked else "-",
        *("-" if value is None else f"{value:g}" for value in ratios),
        f"{row.cpu_ms_per_tick_p99:.1f}",
        f"{row.cpu_ms_per_tick_max:.0f}",
        str(row.held),
    ]
