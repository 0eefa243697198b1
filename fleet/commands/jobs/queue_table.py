"""The table of jobs in a terminal: one line for each, those that need somebody first; nothing wraps."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from rich.table import Table
from rich.text import Text

from fleet.dispatch.job import JobState
from fleet.dispatch.job_report import JobReport
from thymio_base.palette import Tone

_ORDER: Final = [
    JobState.HELD,
    JobState.EXECUTING,
    JobState.ASSIGNED,
    JobState.QUEUED,
    JobState.WAITING,
    JobState.ABORTED,
    JobState.CANCELED,
    JobState.SUCCEEDED,
]
_TONES: Final = {
    JobState.HELD: Tone.WARNING,
    JobState.EXECUTING: Tone.BUSY,
    JobState.ABORTED: Tone.ERROR,
}
_BAR: Final = 6


def queue_table(reports: Sequence[JobReport], off_duty: Sequence[int], trouble: str) -> Table:
    """Return the table of jobs, with a headline."""
    table = Table(box=None, pad_edge=False, header_style="bold", title=_headline(reports, off_duty, trouble))
    table.title_justify = "left"
    for heading, style in (
        ("job", ""),
        ("state", ""),
        ("robot", ""),
        ("what", ""),
        ("prio", ""),
        ("done", ""),
        ("ETA", ""),
    ):
        table.add_column(heading, style=style, no_wrap=True, justify="right" if heading in ("prio", "ETA") else "left")
    table.add_column("why", overflow="ellipsis", no_wrap=True)
    for report in sorted(reports, key=lambda one: (_ORDER.index(one.state), one.place, -one.priority)):
        tone = _TONES.get(report.state)
        table.add_row(
            report.job_id,
            Text(report.state.value, style=tone.terminal if tone else ""),
            str(report.robot_id) if report.robot_id else "any",
            report.words,
            str(report.priority),
            _bar(report),
            f"{report.eta_s:.0f}s" if report.eta_s >= 0.0 else "",
            f"{report.reason} {report.detail}".strip(),
        )
    return table


def _headline(reports: Sequence[JobReport], off_duty: Sequence[int], trouble: str) -> Text:
    counts = Counter(report.state for report in reports)
    parts = [f"{counts[state]} {state.value.lower()}" for state in _ORDER if counts[state]]
    text = f"{len(reports)} jobs: {', '.join(parts)}" if reports else "no jobs"
    if off_duty:
        text += f" · off duty: {', '.join(map(str, off_duty))}"
    return Text(f"{text} · {trouble}" if trouble else text, style="bold")


def _bar(report: JobReport) -> str:
    if report.state is not JobState.EXECUTING:
        return ""
    filled = round(_BAR * report.progress)
    return "━" * filled + "─" * (_BAR - filled)
