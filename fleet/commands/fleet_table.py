"""Tables that show a fleet in a terminal, one line for each robot; longer messages follow below."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions
from rich.table import Table
from rich.text import Text

from fleet.client.robot_report import RobotReport
from fleet.robots.status_level import Level
from fleet.view.robot_columns import COLUMNS, Column
from thymio_base.number_text import count_text
from thymio_base.palette import Tone
from thymio_base.ros.ros_domain import ros_domain_id

if TYPE_CHECKING:  # it loads ROS, which a report of the drivers of this host does not need
    from fleet.client.fleet_client import FleetClient

_LEVELS = {
    Level.OK: Tone.BUSY.terminal,
    Level.WARN: Tone.WARNING.terminal,
    Level.ERROR: f"bold {Tone.ERROR.terminal}",
}
_SHORTEST_NOTE = 16  # shorter parts of a message say nothing
_UNCUT = 10_000  # characters of a line
_WIDE = 100  # terminals from this width on have two blanks between columns


@dataclass(frozen=True, slots=True)
class FleetTable:
    """Everything about a fleet, as wide as the terminal: a headline, then the robots, the most urgent first.

    Parameters
    ----------
    reports : one for each robot
    domain : the ROS domain
    rows : largest number of lines; None for no limit
    """

    reports: Sequence[RobotReport]
    domain: str
    rows: int | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        yield from fleet_lines(self.reports, self.domain, options.max_width, self.rows)


def fleet_table(client: "FleetClient", robot_ids: Sequence[int], rows: int | None = None) -> FleetTable:
    """Return the table of the robots' latest statuses and poses."""
    return FleetTable([client.report(robot_id) for robot_id in robot_ids], str(ros_domain_id()), rows)


def table_console() -> Console:
    """Return the console for tables; into a pipe or a file, nothing is cut."""
    return Console() if sys.stdout.isatty() else Console(width=_UNCUT)


def hosts_table(reports: Sequence[RobotReport]) -> Table:
    """Return the table of hosts and the robots that they serve."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("robot", "host", "driver", "level", "message"):
        table.add_column(heading)
    for report in reports:
        table.add_row(str(report.robot_id), *map(_known, (report.host, report.driver_node)), *_level(report))
    return table


def fleet_lines(reports: Sequence[RobotReport], domain: str, width: int, rows: int | None = None) -> Iterator[Text]:
    """Yield the lines of the table, none of which is wider than `width` characters."""
    ordered = sorted(reports, key=lambda report: (-min(report.tone.urgency, Tone.ERROR.urgency), report.robot_id))
    gap = 2 if width >= _WIDE else 1
    columns = _chosen(ordered, width, gap)
    widths = _widths(columns, ordered, width, gap)
    shown = ordered if rows is None or len(ordered) + 2 <= rows else ordered[: max(rows - 3, 0)]
    yield _cut(headline(ordered, domain, width), width)
    yield _line([column.header(size) for column, size in zip(columns, widths, strict=True)], gap, width)
    lines = [_robot_line(report, columns, widths, gap, width) for report in shown]
    yield from lines
    if len(shown) < len(ordered):
        yield _cut(Text(_rest(ordered[len(shown) :]), style="dim"), width)
    cut_off = [report for report, line in zip(shown, lines, strict=True) if report.note not in line.plain]
    messages = [Text(line) for report in cut_off for line in _message_lines(report, width)]
    yield from messages if rows is None else messages[: max(rows - 2 - len(ordered), 0)]


def headline(reports: Sequence[RobotReport], domain: str, width: int) -> Text:
    """Return the state of the whole fleet; the least important parts are left out to fit in `width`."""
    ages_s = [report.age_s for report in reports if report.age_s is not None]
    is_stopped = any(report.word == "stopped" for report in reports)
    count = count_text(len(reports), "robot")
    robots = f"{count}: {counts(reports)}" if reports else count
    parts = ["STOPPED", robots] if is_stopped else [robots, "not stopped"]
    parts += [f"domain {domain}", *([f"{max(ages_s):.0f} s old"] if ages_s else [])]
    while len(parts) > 1 + is_stopped and len(" · ".join(parts)) > width:
        parts.pop()
    return Text(" · ".join(parts), style="bold", no_wrap=True)


def counts(reports: Sequence[RobotReport]) -> str:
    """Return how many robots are in trouble, busy, stopped and idle, without zeros."""
    found = Counter(_kind(report) for report in reports)
    if len(found) == 1:
        return f"all {next(iter(found))}"
    return ", ".join(f"{found[kind]} {kind}" for kind in ("driving", "idle", "stopped", "in trouble") if found[kind])


def _kind(report: RobotReport) -> str:
    if report.is_in_trouble:
        return "in trouble"
    return {Tone.STOPPED: "stopped", Tone.BUSY: "driving"}.get(report.tone, "idle")


def _rest(reports: Sequence[RobotReport]) -> str:
    text = counts(reports)
    return f"... and {len(reports)} more{', ' if text.startswith('all') else ': '}{text}"


def _chosen(reports: Sequence[RobotReport], width: int, gap: int) -> list[Column]:
    """Return the columns that fit in `width`, taken by importance, in the order of the table.

    Optional columns are added only where all others show everything.
    """
    chosen: list[Column] = []
    for column in sorted(COLUMNS, key=lambda column: column.rank):
        if column.is_optional and not any(column.cell(report).plain for report in reports):
            continue
        sizes = [one.wanted(reports) if column.is_optional else one.least(reports) for one in chosen]
        if chosen and sum(sizes) + gap * len(sizes) + column.least(reports) > width:
            break
        chosen.append(column)
    return [column for column in COLUMNS if column in chosen]


def _widths(columns: Sequence[Column], reports: Sequence[RobotReport], width: int, gap: int) -> list[int]:
    """Return the columns' widths: at least what they need, and the rest for those that have more to show."""
    if width >= _UNCUT:
        return [column.whole(reports) for column in columns]
    widths = [column.least(reports) for column in columns]
    spare = width - sum(widths) - gap * (len(columns) - 1)
    for index, column in sorted(enumerate(columns), key=lambda item: item[1].rank):
        more = min(max(spare, 0), column.wanted(reports) - widths[index])
        widths[index] += more
        spare -= more
    return widths


def _robot_line(report: RobotReport, columns: Sequence[Column], widths: Sequence[int], gap: int, width: int) -> Text:
    """Return a robot's line; without a column for messages, its message replaces the text after the task."""
    cells = [column.fitted(report, size) for column, size in zip(columns, widths, strict=True)]
    titles = [column.title for column in columns]
    if report.note and "message" not in titles and "task" in titles:
        kept = titles.index("task") + (1 if report.task else 0)
        if width - sum(widths[:kept]) - gap * kept >= _SHORTEST_NOTE:
            cells = [*cells[:kept], Text(report.note)]
    return _line(cells, gap, width)


def _message_lines(report: RobotReport, width: int) -> list[str]:
    """Return the message of a robot in as many lines as it needs."""
    return wrap(f"robot {report.robot_id}: {report.note}", width, subsequent_indent="  ")


def _line(cells: Sequence[Text], gap: int, width: int) -> Text:
    line = Text(" " * gap).join(cells)
    line.rstrip()
    return _cut(line, width)


def _cut(line: Text, width: int) -> Text:
    line.no_wrap = True
    line.truncate(width, overflow="ellipsis")
    return line


def _known(text: str) -> Text:
    return Text(text) if text else Text("-", style="dim")


def _level(report: RobotReport) -> tuple[Text, str]:
    others = "".join(f"; also claimed by {host}" for host in report.waiting_hosts)
    if report.level is None:
        return Text("no status yet", style="dim"), others.removeprefix("; ")
    level = Text("STALE", style="dim") if report.is_stale else Text(report.level.name, style=_LEVELS[report.level])
    return level, f"{report.message}{others}"
