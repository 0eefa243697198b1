"""The summary of an experiment as tables, for a terminal and in Markdown."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from experiments.markdown_table import markdown_table, or_dash
from experiments.scenarios.summaries.summary import ExperimentSummary, RobotSummary, TaskSummary

_TASK_TITLES = ("time s", "time s", "path mm", "path mm", "end mm", "end mm", "end °")
_TASK_MEASURES = ("mean", "worst", "rms", "worst", "mean", "worst", "worst")
_ROBOT_TITLES = ("robot", "contacts", "least gap mm")
_TOTAL = "all"


def terminal_tables(found: ExperimentSummary) -> RenderableType:
    """Return tables of tasks and robots, and a line for each reason why tasks failed."""
    parts: list[RenderableType] = [_task_table(found.tasks), "", _robot_table(found)]
    failures = list(failure_lines(found.tasks))
    if failures:
        parts += ["", *(Text(line, style="red") for line in failures)]
    return Group(*parts)


def markdown_page(title: str, found: ExperimentSummary) -> str:
    """Return the same tables in Markdown, below a title."""
    titles = [f"{title} {measure}" for title, measure in zip(_TASK_TITLES, _TASK_MEASURES, strict=True)]
    tasks = ((row.task, _robot(row), row.kind, _share(row), *_numbers(row)) for row in found.tasks)
    parts = [
        f"# {title}",
        markdown_table(("task", "robot", "kind", "ok", *titles), tasks),
        markdown_table(_ROBOT_TITLES, _robot_rows(found)),
    ]
    failures = [f"- {line}" for line in failure_lines(found.tasks)]
    return "\n\n".join([*parts, *(["\n".join(failures)] if failures else [])]) + "\n"


def _task_table(rows: Sequence[TaskSummary]) -> Table:
    table = Table(box=None, pad_edge=False, collapse_padding=True, padding=(0, 2), header_style="bold")
    table.add_column("task\n", overflow="fold")
    table.add_column("robot\n", justify="right", no_wrap=True)
    table.add_column("ok\n", justify="right", no_wrap=True)
    for title, measure in zip(_TASK_TITLES, _TASK_MEASURES, strict=True):
        table.add_column(f"{title}\n{measure}", justify="right", no_wrap=True)
    for row in rows:
        style = "green" if row.succeeded == row.runs else "red"
        table.add_row(Text(row.task), _robot(row), Text(_share(row), style=style), *_numbers(row))
    return table


def _robot_table(found: ExperimentSummary) -> Table:
    table = Table(box=None, pad_edge=False, collapse_padding=True, padding=(0, 2), header_style="bold")
    for title in _ROBOT_TITLES:
        table.add_column(title, justify="right", no_wrap=True)
    for robot, contacts, gap in _robot_rows(found):
        table.add_row(robot, Text(contacts, style="" if contacts == "0" else "yellow"), gap)
    return table


def _robot_rows(found: ExperimentSummary) -> Iterator[tuple[str, str, str]]:
    for row in found.robots:
        yield (str(row.robot), *_closeness(row))
    yield (_TOTAL, *_closeness(found))


def _closeness(row: RobotSummary | ExperimentSummary) -> tuple[str, str]:
    return str(row.contacts), or_dash(row.least_gap_mm)


def _robot(row: TaskSummary) -> str:
    return "any" if row.robot is None else str(row.robot)


def _share(row: TaskSummary) -> str:
    return f"{row.succeeded}/{row.runs}"


def _numbers(row: TaskSummary) -> list[str]:
    """Return the cells of the columns `_TASK_TITLES`."""
    values = (row.duration_s, row.longest_s, row.rms_mm, row.max_mm, row.off_mm, row.worst_off_mm, row.worst_off_deg)
    return [or_dash(value) for value in values]


def failure_lines(rows: Sequence[TaskSummary]) -> Iterator[str]:
    """Yield a line for each reason why a task failed."""
    for row in rows:
        for words, count in row.failures.items():
            runs = f" in {count} of {row.runs} runs" if row.runs > 1 else ""
            robot = "any robot" if row.robot is None else f"robot {row.robot}"
            yield f"{row.task} ({robot}){runs}: {words}"
