"""The terminal output of a study with a sweep: a table of its conditions, and their differences."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from experiments.scenarios.statistics.study_words import (
    comparison_lines,
    condition_rows,
    most_telling,
    shown_measures,
)
from experiments.scenarios.study_findings import StudyFindings

_MOST_LINES = 12  # most lines of differences and of failures; summary.md has all


def study_tables(found: StudyFindings) -> RenderableType:
    """Return the means of all conditions with 95 % intervals, and the most telling differences in words."""
    table = Table(box=None, pad_edge=False, collapse_padding=True, padding=(0, 2), header_style="bold")
    table.add_column(", ".join(found.statistics[0].levels) or "condition", overflow="fold")
    for title in ("succeeded", *shown_measures(found.statistics)):
        table.add_column(title, justify="right", no_wrap=True)
    for cells in condition_rows(found.statistics):
        table.add_row(*map(Text, cells))
    lines = comparison_lines(most_telling(found.comparisons)) if found.comparisons else []
    failures = [Text(line, style="red") for line in found.failures()]
    parts: list[RenderableType] = [table]
    for some in (lines, failures):
        parts += ["", *_first(some)] if some else []
    return Group(*parts)


def _first(lines: Sequence[str | Text]) -> list[Text]:
    more = len(lines) - _MOST_LINES
    shown = [*lines[:_MOST_LINES], *([f"and {more} more in summary.md"] if more > 0 else [])]
    return [Text(line) if isinstance(line, str) else line for line in shown]
