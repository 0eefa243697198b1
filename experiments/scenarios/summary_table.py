"""The summary of an experiment as a table in Markdown."""

from collections.abc import Sequence

from experiments.markdown_table import markdown_table, or_dash
from experiments.scenarios.results import TaskSummary

SUMMARY_TITLES = (
    "task",
    "robot",
    "kind",
    "ok",
    "mean s",
    "worst s",
    "rms mm",
    "worst mm",
    "end off mm",
    "worst mm",
    "worst deg",
)


def summary_table(rows: Sequence[TaskSummary]) -> str:
    """Return one line for each task of an experiment: means and worst cases over all runs."""
    return markdown_table(
        SUMMARY_TITLES,
        (
            (
                row.task,
                str(row.robot),
                row.kind.removeprefix("task_"),
                f"{row.succeeded}/{row.runs}",
                *map(or_dash, (row.duration_s, row.longest_s, row.rms_mm, row.max_mm)),
                *map(or_dash, (row.off_mm, row.worst_off_mm, row.worst_off_deg)),
            )
            for row in rows
        ),
    )
