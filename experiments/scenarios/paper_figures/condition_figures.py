"""Figures over all runs: trajectories, errors over time, distributions by condition, and throughput."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter
from numpy.typing import NDArray

from experiments.scenarios.paper_figures.drawn_figure import DrawnFigure, Row
from experiments.scenarios.paper_figures.figure_data import ShownRun, by_label
from experiments.scenarios.paper_figures.figure_style import (
    COLUMN_IN,
    MOST_SERIES,
    PAGE_IN,
    add_legend,
    colour,
    columns_for,
    dashes,
    face,
    figure_of,
    hatch,
)
from experiments.scenarios.statistics.study_statistics import MEASURES
from fleet.tasks.task import TaskState

Array = NDArray[np.float64]

_MOST_POINTS: Final = 400  # approximate number of points of a line
_PANELS: Final = 4  # most panels in a row
_BAND: Final = (0.1, 0.5, 0.9)  # quantiles over all runs
_ALPHA: Final = 0.15  # opacity of bands
_LETTER_IN: Final = 0.062  # width of a letter of a label
_LOG_RATIO: Final = 10.0  # ratio of medians above which an axis is logarithmic
_PEAK_RATIO: Final = 100.0  # ratio of a peak to the largest median, likewise
_MEASURES: Final = {"path_max_mm": "largest path error [mm]", "makespan_s": "time of all tasks [s]"}


def trajectories_figure(runs: Sequence[ShownRun]) -> DrawnFigure:
    """Draw the true trajectories of all runs, with a panel for each condition."""
    groups = by_label(runs)
    lines = math.ceil(len(groups) / _PANELS)
    columns = math.ceil(len(groups) / lines)
    width_in = COLUMN_IN if columns <= 1 else PAGE_IN
    everywhere = np.concatenate([one.places_m for run in runs for one in run.trajectories])
    x_span_m, y_span_m = np.maximum(np.ptp(everywhere, axis=0), 0.1).tolist()
    shape = min(max(y_span_m / x_span_m, 0.25), 1.6)
    figure = Figure(figsize=(width_in, lines * (shape * (width_in - 0.5) / columns + 0.2) + 0.35))
    grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    rows: list[Row] = []
    for axes, (label, group) in zip(grid.flat, groups.items(), strict=False):
        for run in group:
            for index, one in enumerate(run.trajectories):
                x_m, y_m = one.places_m[:: _step(len(one.times_s))].T
                name = f"robot {one.robot}" if run is group[0] else None
                axes.plot(x_m, y_m, color=colour(index), linestyle=dashes(index), linewidth=0.7, alpha=0.7, label=name)
                times_s = one.times_s[:: _step(len(one.times_s))]
                rows += [(label, run.number, one.robot, *point) for point in zip(times_s, x_m, y_m, strict=True)]
        axes.set_aspect("equal", adjustable="box")
        axes.annotate(label, (0.0, 1.0), xycoords="axes fraction", va="bottom", fontsize=7)
    for place in range(len(groups), lines * columns):
        grid.flat[place].set_visible(False)
        grid.flat[place - columns].tick_params(labelbottom=True)
    robots = [f"robot {one.robot}" for one in runs[0].trajectories]
    if len(robots) <= MOST_SERIES:
        add_legend(figure, grid[0, 0], columns_for(robots, width_in))
    figure.supxlabel("x [m]", fontsize=8)
    figure.supylabel("y [m]", fontsize=8)
    return DrawnFigure(figure, ("condition", "run", "robot", "time_s", "x_m", "y_m"), rows)


def error_figure(runs: Sequence[ShownRun]) -> DrawnFigure:
    """Draw the error over time for each condition: the median of all robots and runs, with a band from 10 to 90 %."""
    has_paths = any(not np.isnan(one.path_error_mm).all() for run in runs for one in run.trajectories)
    figure, axes = figure_of(COLUMN_IN, 2.4)
    groups = by_label(runs)
    rows: list[Row] = []
    medians, peaks = [], []
    for index, (label, group) in enumerate(groups.items()):
        times_s, low, median, high = _quantiles(group, has_paths=has_paths)
        axes.plot(times_s, median, color=colour(index), linestyle=dashes(index), label=label or "median")
        axes.fill_between(times_s, low, high, color=colour(index), alpha=_ALPHA, linewidth=0.0)
        rows += [(label, *values) for values in zip(times_s, low, median, high, strict=True)]
        medians.append(float(np.median(median)) if len(median) else 0.0)
        peaks.append(float(np.max(high, initial=0.0)))
    axes.set_xlabel("time [s]")
    axes.set_ylabel("path error [mm]" if has_paths else "error of the estimate [mm]")
    if _are_far_apart(medians) or (min(medians) > 0.0 and max(peaks) > _PEAK_RATIO * max(medians)):
        _make_logarithmic(axes)
        axes.set_ylim(bottom=0.1 * min(medians))
    else:
        axes.set_ylim(bottom=0.0)
    add_legend(figure, axes, columns_for(list(groups), COLUMN_IN))
    return DrawnFigure(figure, ("condition", "time_s", "q10_mm", "median_mm", "q90_mm"), rows)


def distribution_figure(runs: Sequence[ShownRun]) -> DrawnFigure:
    """Draw a box plot for each condition: quartiles, whiskers to 1.5 times their distance, and each run as a dot."""
    measured = (name for name in _MEASURES if any(MEASURES[name](run.result) is not None for run in runs))
    measure = next(measured, next(reversed(_MEASURES)))
    groups = {
        label: [value for run in group if (value := MEASURES[measure](run.result)) is not None]
        for label, group in by_label(runs).items()
    }
    width_in = COLUMN_IN if len(groups) <= 5 else PAGE_IN
    figure, axes = figure_of(width_in, 2.4)
    places = range(1, len(groups) + 1)
    drawn = axes.boxplot(
        list(groups.values()),
        positions=list(places),
        widths=0.55,
        patch_artist=True,
        showfliers=False,
        medianprops={"color": "#000000", "linewidth": 1.4},
    )
    for index, box in enumerate(drawn["boxes"]):
        box.set(facecolor=face(index), hatch=hatch(index), edgecolor="#444444")
    for place, values in zip(places, groups.values(), strict=True):
        shifts = 0.16 * np.sin(2.4 * np.arange(len(values)))  # reproducible jitter
        axes.plot(place + shifts, values, "o", color=colour(2), markersize=2.2, markeredgewidth=0.0, alpha=0.8)
    axes.set_xticks(list(places), [label.replace(", ", "\n") or "all runs" for label in groups])
    longest = max(len(word) for label in groups for word in label.split(", "))
    if _LETTER_IN * longest > (width_in - 0.6) / len(groups):
        for label in axes.get_xticklabels():
            label.set(rotation=30, ha="right", rotation_mode="anchor")
    axes.set_xlim(0.3, len(groups) + 0.7)
    axes.grid(visible=False, axis="x")
    axes.set_ylabel(_MEASURES[measure])
    if _are_far_apart([float(np.median(values)) for values in groups.values() if values]):
        _make_logarithmic(axes)
    rows = [(label, value) for label, values in groups.items() for value in values]
    return DrawnFigure(figure, ("condition", measure), rows)


def throughput_figure(runs: Sequence[ShownRun]) -> DrawnFigure:
    """Draw the number of successful tasks over time: the mean of each condition, with the range of its runs."""
    figure, axes = figure_of(COLUMN_IN, 2.2)
    groups = by_label(runs)
    rows: list[Row] = []
    for index, (label, group) in enumerate(groups.items()):
        ends = [_successes_s(run) for run in group]
        longest_s = max(run.result.duration_s for run in group)
        times_s = np.array(sorted({0.0, longest_s, *(time_s for one in ends for time_s in one)}))
        counts = np.array([np.searchsorted(one, times_s, side="right") for one in ends])
        mean, least, most = counts.mean(axis=0), counts.min(axis=0), counts.max(axis=0)
        axes.step(times_s, mean, where="post", color=colour(index), linestyle=dashes(index), label=label or "mean")
        axes.fill_between(times_s, least, most, step="post", color=colour(index), alpha=_ALPHA, linewidth=0.0)
        rows += [(label, *values) for values in zip(times_s, mean, least, most, strict=True)]
    axes.set_xlabel("time [s]")
    axes.set_ylabel("tasks done")
    axes.set_ylim(bottom=0.0)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    add_legend(figure, axes, columns_for(list(groups), COLUMN_IN))
    return DrawnFigure(figure, ("condition", "time_s", "mean", "least", "most"), rows)


def _step(count: int) -> int:
    return max(1, count // _MOST_POINTS)


def _quantiles(group: Sequence[ShownRun], *, has_paths: bool) -> tuple[Array, Array, Array, Array]:
    """Return times and quantiles of the errors, as long as at least half of the robots and runs have an error."""
    trajectories = [one for run in group for one in run.trajectories]
    errors_mm = [one.path_error_mm if has_paths else one.estimate_error_mm for one in trajectories]
    errors_mm = [one for one in errors_mm if not np.isnan(one).all()]
    longest = max(trajectories, key=lambda one: len(one.times_s)).times_s
    table = np.full((len(errors_mm), len(longest)), np.nan)
    for line, values in zip(table, errors_mm, strict=True):
        line[: len(values)] = values
    columns = np.flatnonzero((~np.isnan(table)).sum(axis=0) >= max(1.0, 0.5 * len(table)))
    columns = columns[:: _step(len(columns))]
    if not len(columns):
        return np.empty(0), np.empty(0), np.empty(0), np.empty(0)
    low, median, high = np.nanquantile(table[:, columns], _BAND, axis=0)
    return longest[columns], low, median, high


def _successes_s(run: ShownRun) -> list[float]:
    tasks = run.result.tasks
    return sorted(one.end_s for one in tasks if one.end_s is not None and one.state == TaskState.SUCCEEDED.value)


def _are_far_apart(medians: Sequence[float]) -> bool:
    """Return whether conditions differ so much that a linear axis would hide the smaller values."""
    return bool(medians) and min(medians) > 0.0 and max(medians) > _LOG_RATIO * min(medians)


def _make_logarithmic(axes: Axes) -> None:
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 1e3 * low else (1.0,)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
