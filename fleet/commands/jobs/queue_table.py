"""The table of jobs in a terminal: one line each, those that need attention first; no line wraps."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Console, ConsoleOptions
from rich.text import Text

from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import JobState
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
_TONES: Final = {JobState.HELD: Tone.WARNING, JobState.EXECUTING: Tone.BUSY, JobState.ABORTED: Tone.ERROR}
_BAR: Final = 6
_LONGEST_ID: Final = 20
_HEADER: Final = ("job", "state", "robot", "prio", "done", "ETA", "what, and why")
_RIGHT: Final = {3, 5}  # columns of numbers


@dataclass(frozen=True, slots=True)
class QueueTable:
    """All jobs, as wide as the terminal.

    Parameters
    ----------
    reports : the jobs
    off_duty : robots that take no jobs
    trouble : why jobs cannot be kept; "" if they can
    host : host of the driver that gives the jobs; "" if it does not matter
    standby : hosts of drivers that would take over
    """

    reports: Sequence[JobReport]
    off_duty: Sequence[int] = ()
    trouble: str = ""
    host: str = ""
    standby: Sequence[str] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        ordered = sorted(self.reports, key=lambda one: (_ORDER.index(one.state), one.place, -one.priority))
        rows = [_HEADER, *map(_cells, ordered)] if ordered else []
        widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
        yield _cut(Text(self._headline(), style="bold"), options.max_width)
        for index, row in enumerate(rows):
            yield _cut(_line(row, widths, ordered[index - 1] if index else None), options.max_width)

    def _headline(self) -> str:
        counts = Counter(report.state for report in self.reports)
        parts = [f"{counts[state]} {state.value.lower()}" for state in _ORDER if counts[state]]
        text = ", ".join(parts) if parts else "no jobs"
        if self.off_duty:
            text += f" · off duty: {', '.join(map(str, self.off_duty))}"
        if self.standby:
            text += f" · given by host {self.host}, standby: host {', '.join(self.standby)}"
        return f"{text} · {self.trouble}" if self.trouble else text


def _cells(report: JobReport) -> tuple[str, ...]:
    why = f"{report.reason} {report.detail}".strip()
    return (
        report.job_id if len(report.job_id) <= _LONGEST_ID else f"{report.job_id[: _LONGEST_ID - 1]}…",
        report.state.value,
        str(report.robot_id) if report.robot_id else "any",
        str(report.priority),
        _bar(report),
        f"{report.eta_s:.0f}s" if report.eta_s >= 0.0 else "",
        f"{report.words}; {why}" if why else report.words,
    )


def _line(row: tuple[str, ...], widths: Sequence[int], report: JobReport | None) -> Text:
    text = Text()
    for column, width in enumerate(widths):
        cell = row[column].rjust(width) if column in _RIGHT else row[column].ljust(width)
        tone = _TONES.get(report.state) if report is not None and column in (1, 4) else None
        text.append(f"{cell} ", style="bold" if report is None else tone.terminal if tone else "")
    return text.append(row[-1], style="bold" if report is None else "")


def _cut(text: Text, width: int) -> Text:
    text.truncate(width, overflow="ellipsis")
    return text


def _bar(report: JobReport) -> str:
    if report.state is not JobState.EXECUTING:
        return ""
    filled = round(_BAR * report.progress)
    return "━" * filled + "─" * (_BAR - filled)
