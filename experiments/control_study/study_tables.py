"""The measurements as tables in Markdown; numbers for several levels are in one cell, joined by slashes."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from experiments.control_study.deadlock import DeadlockRow
from experiments.control_study.drift import DriftRow
from experiments.control_study.go_to import GoToRow
from experiments.control_study.tracking_trials import TrackingRow
from experiments.markdown_table import markdown_table, or_dash

R = TypeVar("R", bound=TrackingRow | GoToRow)

_TRACKING: dict[str, Callable[[TrackingRow], str]] = {
    "max mm": lambda row: f"{row.max_mm:.1f}",
    "rms mm": lambda row: f"{row.rms_mm:.2f}",
    "corner missed mm": lambda row: f"{row.miss_mm:.1f}",
    "from own reference mm": lambda row: or_dash(row.time_max_mm),
    "speed error mm/s": lambda row: or_dash(row.speed_error_mm_s),
    "lap": lambda row: f"{row.lap_ratio:.3f}",
    "completed": lambda row: f"{row.completed:.0%}",
}
_GO_TO: dict[str, Callable[[GoToRow], str]] = {
    "ok": lambda row: f"{row.ok_rate:.0%}",
    "time by bound, median": lambda row: f"{row.time_ratio_median:.2f}",
    "95 %": lambda row: f"{row.time_ratio_p95:.2f}",
    "task by bound, median": lambda row: f"{row.task_ratio_median:.2f}",
    "error of ETA, median": lambda row: f"{row.eta_error_median:.1%}",
    "position error mm, 95 %": lambda row: f"{row.pos_err_p95_mm:.1f}",
    "heading error deg, 95 %": lambda row: f"{row.heading_err_p95_deg:.2f}",
}


def tracking_table(rows: Sequence[TrackingRow]) -> str:
    """Return one line for each law, from the rows of one path."""
    return markdown_table(("law", *_TRACKING), _by_law(rows, _TRACKING.values()))


def go_to_table(rows: Sequence[GoToRow]) -> str:
    """Return one line for each law."""
    return markdown_table(("law", *_GO_TO), _by_law(rows, _GO_TO.values()))


def deadlock_table(rows: Sequence[DeadlockRow]) -> str:
    """Return one line for each law and level."""
    return markdown_table(
        ("law", "level", "runs", "laps", "runs that left 0.1 m", "farthest mm"),
        ((r.law, r.level, str(r.runs), str(r.laps), str(r.left), f"{r.worst_mm:.1f}") for r in rows),
    )


def drift_table(rows: Sequence[DriftRow]) -> str:
    """Return one line for the wheels as configured, and one as calibrated."""
    return markdown_table(
        ("wheels", "mismatch", "laps", "robots", "drift mm"),
        ((r.wheels, f"±{r.mismatch:.0%}", str(r.laps), str(r.seeds), f"{r.drift_mm:.0f}") for r in rows),
    )


def _by_law(rows: Sequence[R], columns: Collection[Callable[[R], str]]) -> list[list[str]]:
    """Return the cells of one line for each law: its name, and each column of all of its rows."""
    groups: dict[str, list[R]] = {}
    for row in rows:
        groups.setdefault(row.law, []).append(row)
    return [[law, *_joined(group, columns)] for law, group in groups.items()]


def _joined(group: Sequence[R], columns: Iterable[Callable[[R], str]]) -> list[str]:
    return [" / ".join(text(row) for row in group) for text in columns]
