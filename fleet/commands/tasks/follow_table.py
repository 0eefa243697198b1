"""The display of robots that follow paths: a bar for each, and a final table."""

import math
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from fleet.client.fleet_client import FleetClient
from fleet.goals.sent_goal import GoalState, SentGoal
from thymio_base.palette import Tone

_COLUMNS = ("{task.description}", "{task.fields[off]}", "{task.fields[lap]}", "{task.fields[eta]}")


class FollowProgress:
    """A bar for each goal with cross-track error, lap and time to go; use it in a `with` statement."""

    def __init__(self, goals: Sequence[SentGoal]) -> None:
        name, off, lap, eta = (TextColumn(column) for column in _COLUMNS)
        self._bars = Progress(
            name,
            BarColumn(complete_style=Tone.BUSY.terminal, finished_style=Tone.BUSY.terminal, style="dim"),
            off,
            lap,
            eta,
            TimeElapsedColumn(),
            transient=True,
            disable=not Console().is_terminal,
        )
        self._goals: list[tuple[TaskID, SentGoal]] = [
            (self._bars.add_task(f"robot {goal.robot_id}", total=None, off="", lap="", eta=""), goal) for goal in goals
        ]

    def __enter__(self) -> "FollowProgress":
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def update(self) -> None:
        """Show the goals' latest feedback."""
        for bar, goal in self._goals:
            if goal.state.is_final:
                self._bars.update(bar, off=goal.state.value, lap="", eta="")
                self._bars.stop_task(bar)
            elif goal.feedback is not None:
                self._bars.update(
                    bar,
                    total=1.0,
                    completed=goal.feedback.progress,
                    off=f"{1e3 * goal.feedback.cross_track_m:+6.1f} mm",
                    lap=f"lap {goal.feedback.lap}" if goal.feedback.lap else "",
                    eta=f"{goal.feedback.eta_s:.0f} s to go",
                )


def result_table(client: FleetClient, goals: Sequence[SentGoal]) -> Table:
    """Return how well each robot followed its path, by its own estimate."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("robot", "result", "seconds", "max mm", "rms mm"):
        table.add_column(heading, justify="left" if heading == "result" else "right")
    for goal in goals:
        table.add_row(str(goal.robot_id), _outcome(client, goal), *_figures(goal))
    return table


def _outcome(client: FleetClient, goal: SentGoal) -> str:
    if not goal.state.is_final:
        return f"{goal.state.value}, no end"
    reason = "" if goal.state is GoalState.CANCELED else client.reason(goal).partition(": ")[0]
    return f"{goal.state.value} ({reason})" if reason else goal.state.value


def _figures(goal: SentGoal) -> tuple[str, str, str]:
    if goal.result is None:
        return "-", "-", "-"
    return (
        f"{goal.result.duration_s:.1f}",
        _millimetres(goal.result.max_cross_track_m),
        _millimetres(goal.result.rms_cross_track_m),
    )


def _millimetres(value_m: float) -> str:
    return "-" if math.isnan(value_m) else f"{1e3 * value_m:.1f}"
