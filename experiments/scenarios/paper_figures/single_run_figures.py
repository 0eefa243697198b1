"""Figures of one run: positions over time, a Gantt chart, and charges."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from experiments.scenarios.paper_figures.drawn_figure import DrawnFigure, Row
from experiments.scenarios.paper_figures.figure_data import Array, Flags, RobotTrajectory, ShownRun
from experiments.scenarios.paper_figures.figure_style import (
    COLUMN_IN,
    MOST_SERIES,
    PAGE_IN,
    add_legend,
    colour,
    columns_for,
    dashes,
    figure_of,
)

_MOST_POINTS: Final = 600  # approximate number of points of a line
_LETTER_IN: Final = 0.058  # width of a letter of a label in a bar
_ROW_IN: Final = 0.22  # height of a robot's row
_NEAR_SHARE: Final = 0.03  # share of the height within which ends of lines share a text
_LEAST_SPAN_PERCENT: Final = 1.0  # smallest span of the charge axis
_FACES: Final = ("#dbe7f0", "#f2e2c4")  # alternating colours of bars: distinct in grey, with readable text


def space_time_figure(run: ShownRun) -> DrawnFigure:
    """Draw the robots' positions along the longer side of their floor over time; waits are thick and gray."""
    everywhere = np.concatenate([one.places_m for one in run.trajectories])
    axis = int(np.argmax(np.ptp(everywhere, axis=0)))
    name = "xy"[axis]
    figure, axes = figure_of(COLUMN_IN, max(2.5, 0.13 * len(run.trajectories)))
    rows: list[Row] = []
    for index, one in enumerate(run.trajectories):
        kept = slice(None, None, _step(one))
        times_s, along_m, waits = one.times_s[kept], one.places_m[kept, axis], one.is_waiting[kept]
        axes.plot(times_s, np.where(waits, along_m, np.nan), color="#bbbbbb", linewidth=3.6, solid_capstyle="butt")
        _draw(axes, index, one, times_s, along_m, has_name=len(run.trajectories) <= MOST_SERIES)
        rows += [(run.number, one.robot, *values) for values in zip(times_s, along_m, waits, strict=True)]
    if any(one.is_waiting.any() for one in run.trajectories):
        axes.plot([], [], color="#bbbbbb", linewidth=3.6, label="waits for others")
    if len(run.trajectories) > MOST_SERIES:
        _name_ends(axes, run.trajectories, axis)
    axes.set_xlabel("time [s]")
    axes.set_ylabel(f"{name} [m]")
    add_legend(figure, axes, columns_for(axes.get_legend_handles_labels()[1], COLUMN_IN))
    return DrawnFigure(figure, ("run", "robot", "time_s", f"{name}_m", "is_waiting"), rows)


def gantt_figure(run: ShownRun) -> DrawnFigure:
    """Draw a bar for each task in the row of its robot, hatched while the robot waits for others."""
    figure, axes = figure_of(PAGE_IN, 0.75 + _ROW_IN * len(run.trajectories))
    rows: list[Row] = []
    duration_s = run.result.duration_s
    letters_per_s = (PAGE_IN - 0.8) / duration_s / _LETTER_IN
    places = {one.robot: place for place, one in enumerate(run.trajectories)}
    for number, task in enumerate(run.result.tasks):
        if task.start_s is None or task.robot not in places:
            continue
        lasted_s = (duration_s if task.end_s is None else task.end_s) - task.start_s
        shade = _FACES[number % len(_FACES)]
        axes.barh(places[task.robot], lasted_s, 0.74, task.start_s, color=shade, edgecolor="#333333", linewidth=0.5)
        words = task.task if len(task.task) < letters_per_s * lasted_s else ""
        at_s, at, ground = (
            task.start_s + 0.5 * lasted_s,
            places[task.robot],
            {"facecolor": shade, "lw": 0.0, "pad": 0.8},
        )
        if words:
            axes.text(at_s, at, words, ha="center", va="center", fontsize=6.5, bbox=ground, zorder=5)
        rows.append((run.number, task.robot, task.task, task.start_s, task.end_s, task.state))
    for one in run.trajectories:
        for start_s, end_s in _spans(one, one.is_waiting):
            at = places[one.robot]
            axes.barh(at, end_s - start_s, 0.74, start_s, fill=False, hatch="/////", edgecolor="#555555", linewidth=0.0)
            rows.append((run.number, one.robot, "", start_s, end_s, "waiting"))
    axes.set_yticks(list(places.values()), [f"robot {robot}" for robot in places])
    axes.set_ylim(len(places) - 0.4, -0.6)
    axes.set_xlim(0.0, duration_s)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("time [s]")
    if any(one.is_waiting.any() for one in run.trajectories):
        waits = Patch(fill=False, hatch="/////", edgecolor="#555555", label="waits for others")
        figure.legend(handles=[waits], loc="outside upper right", borderaxespad=0.2)
    return DrawnFigure(figure, ("run", "robot", "task", "start_s", "end_s", "state"), rows)


def battery_figure(run: ShownRun) -> DrawnFigure:
    """Draw the charge of each robot's battery over time."""
    figure, axes = figure_of(COLUMN_IN, 2.2)
    rows: list[Row] = []
    for index, one in enumerate(run.trajectories):
        kept = slice(None, None, _step(one))
        percent = 100.0 * one.charge[kept]
        _draw(axes, index, one, one.times_s[kept], percent, has_name=len(run.trajectories) <= MOST_SERIES)
        rows += [(run.number, one.robot, *values) for values in zip(one.times_s[kept], percent, strict=True)]
    if len(run.trajectories) > MOST_SERIES:
        mean_percent = 100.0 * np.mean([one.charge for one in run.trajectories], axis=0)
        axes.plot(run.trajectories[0].times_s, mean_percent, color="#000000", linewidth=1.8, label="mean")
        axes.plot([], [], color="#888888", linewidth=0.7, label=f"each of {len(run.trajectories)} robots")
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, high - _LEAST_SPAN_PERCENT), high)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("charge [%]")
    add_legend(figure, axes, columns_for(axes.get_legend_handles_labels()[1], COLUMN_IN))
    return DrawnFigure(figure, ("run", "robot", "time_s", "charge_percent"), rows)


def _draw(axes: Axes, index: int, one: RobotTrajectory, times_s: Array, values: Array, *, has_name: bool) -> None:
    """Draw the line of a robot, with or without a name in the legend."""
    if has_name:
        axes.plot(times_s, values, color=colour(index), linestyle=dashes(index), label=f"robot {one.robot}")
    else:
        axes.plot(times_s, values, color=colour(index), linewidth=0.7)


def _name_ends(axes: Axes, trajectories: Sequence[RobotTrajectory], axis: int) -> None:
    """Write the robots' numbers at the ends of their lines; robots with close ends share a text."""
    ends_m = sorted((float(one.places_m[-1, axis]), one.robot) for one in trajectories)
    near_m = _NEAR_SHARE * (ends_m[-1][0] - ends_m[0][0])
    groups: list[list[tuple[float, int]]] = []
    for end in ends_m:
        if groups and end[0] - groups[-1][0][0] <= near_m:
            groups[-1].append(end)
        else:
            groups.append([end])
    for group in groups:
        place = (float(trajectories[0].times_s[-1]), group[0][0])
        words = ", ".join(str(robot) for _, robot in group)
        axes.annotate(words, place, xytext=(3, 0), textcoords="offset points", fontsize=5.5, va="center")


def _step(one: RobotTrajectory) -> int:
    return max(1, len(one.times_s) // _MOST_POINTS)


def _spans(one: RobotTrajectory, flags: Flags) -> Iterator[tuple[float, float]]:
    """Yield start and end of each time span in which a flag is set."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(int), [0]))))
    for first, after in edges.reshape(-1, 2).tolist():
        yield float(one.times_s[first]), float(one.times_s[min(after, len(one.times_s) - 1)])
