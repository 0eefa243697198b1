"""The columns of the fleet's table: their contents, and their importance."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.text import Text

from fleet.client.robot_report import SILENT_S, RobotReport
from thymio_base.heading import whole_degrees
from thymio_base.palette import Tone

_MINUTE_S, _HOUR_S = 60.0, 3600.0


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Parameters
    ----------
    title : its header
    cell : its content for a robot, in full
    fit : its content within a width; None cuts off the rest
    rank : importance, 0 is the highest; narrow terminals omit columns of high rank
    width, longest : smallest and largest width, in characters
    is_right : whether cells are aligned to the right
    is_optional : whether it is omitted if it would be empty
    """

    title: str
    cell: Callable[[RobotReport], Text]
    rank: int
    width: int
    longest: int
    fit: Callable[[RobotReport, int], Text] | None = None
    is_right: bool = False
    is_optional: bool = False

    def least(self, reports: Sequence[RobotReport]) -> int:
        """Return the smallest useful width: that of its cells, if all are similar."""
        return self.wanted(reports) if self.width == self.longest else self.width

    def wanted(self, reports: Sequence[RobotReport]) -> int:
        """Return the width that shows every cell in full, within the column's limit."""
        needed = max((self.cell(report).cell_len for report in reports), default=0)
        limit = max(self.longest, needed) if self.width == self.longest else self.longest
        return max(len(self.title), self.width, min(needed, limit))

    def whole(self, reports: Sequence[RobotReport]) -> int:
        """Return the width that shows every cell in full, however wide that is."""
        return max(self.wanted(reports), *(self.cell(report).cell_len for report in reports), 0)

    def header(self, width: int) -> Text:
        """Return the header, fitted to a width."""
        return self._sized(Text(self.title, style="bold"), width)

    def fitted(self, report: RobotReport, width: int) -> Text:
        """Return a robot's cell, cut to a width."""
        return self._sized(self.fit(report, width) if self.fit else self.cell(report), width)

    def _sized(self, text: Text, width: int) -> Text:
        text.truncate(width, overflow="ellipsis")
        blanks = width - text.cell_len
        if self.is_right:
            text.pad_left(blanks)
        else:
            text.pad_right(blanks)
        return text


def _task(report: RobotReport, width: int) -> Text:
    """Return a robot's task; only the last of several goals if there is no room."""
    first, *others = report.task.split(" > ")
    is_short = len(report.task) <= width or not others
    return Text(report.task if is_short else f"{first.split(' ')[0]} > {others[-1]}")


def _bar(report: RobotReport, width: int) -> Text:
    """Return a task's progress in the colour of the robot's state; nothing without a task or its progress."""
    if report.progress is None:
        return Text()
    done = round(report.progress * width)
    return Text.assemble(("━" * done, report.tone.terminal), ("─" * (width - done), "dim"))


def _state(report: RobotReport) -> Text:
    style = report.tone.terminal
    return Text(f"{report.tone.sign} {report.word}", style=f"bold {style}" if report.is_in_trouble else style)


def _place(report: RobotReport) -> Text:
    if report.pose is None:
        return Text("-", style="dim")
    pose = report.pose
    text = f"{pose.x_m:.2f} {pose.y_m:.2f} {whole_degrees(pose.heading_rad):4d}°"
    return Text(text, style="dim" if report.tone is Tone.LOST else "")


def _battery(report: RobotReport) -> Text:
    tone = Tone.ERROR if report.battery_is_critical else Tone.WARNING
    return Text(report.battery, style=tone.terminal if report.battery_is_low else "")


def _eta(report: RobotReport) -> Text:
    return Text() if report.eta_s is None else Text(duration(report.eta_s))


def _age(report: RobotReport) -> Text:
    if report.age_s is None:
        return Text("-", style="dim")
    return Text(duration(report.age_s), style=Tone.LOST.terminal if report.age_s > SILENT_S else "dim")


def _task_id(report: RobotReport) -> Text:
    task_id = report.values.get("assigned_task", "")
    return Text("" if task_id == report.task else task_id, style="dim")


def duration(time_s: float) -> str:
    """Return a duration in seconds, minutes or hours, in few characters."""
    if time_s < 100.0:
        return f"{time_s:.0f}s"
    return f"{time_s / _MINUTE_S:.0f}min" if time_s < 100.0 * _MINUTE_S else f"{time_s / _HOUR_S:.0f}h"


COLUMNS = (
    Column("robot", lambda report: Text(str(report.robot_id)), 0, 5, 5, is_right=True),
    Column("state", _state, 1, 10, 10),
    Column("x y heading", _place, 3, 11, 11, is_right=True),
    Column("task", lambda report: Text(report.task), 2, 18, 48, fit=_task),
    Column("done", lambda report: _bar(report, 12), 4, 6, 16, fit=_bar),
    Column("battery", _battery, 5, 7, 7, is_right=True),
    Column("ETA", _eta, 6, 3, 3, is_right=True),
    Column("age", _age, 7, 3, 3, is_right=True),
    Column("message", lambda report: Text(report.note), 8, 24, 80, is_optional=True),
    Column("host", lambda report: Text(report.host, style="dim"), 9, 8, 16, is_optional=True),
    Column("task id", _task_id, 10, 14, 24, is_optional=True),
)
