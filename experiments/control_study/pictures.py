"""Pictures of the control study: tracks and errors along each path, all laws side by side, and going to poses."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from experiments.control_study.go_to import NEAR_M, Arrival
from experiments.control_study.plant_run import RECORD_S
from experiments.control_study.tracking_trials import WARM_UP_S, TrackingRow
from experiments.figures import STYLE, save
from experiments.lab.courses import Course
from thymio_base.palette import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION

Array = NDArray[np.float64]

_BLUE, _RED, _GREY = BLUE, VERMILION, "#666666"
_LAW_COLOURS = (VERMILION, ORANGE, PURPLE, GREEN, SKY, BLUE)
_MARKERS = ("o", "s", "^", "D", "v", "P")


@dataclass(frozen=True, slots=True)
class Track:
    """The poses of one robot under a law, every 20 ms, (times, 3)."""

    law: str
    poses: Array


def draw_tracks(file: Path, title: str, course: Course, baseline: Track, best: Track) -> None:
    """Draw a path and two robots' tracks, and their distances from the path over time."""
    with rc_context(STYLE):
        figure = Figure(figsize=(9.0, 4.2))
        grid = figure.add_gridspec(2, 2, width_ratios=(1.0, 1.15))
        _draw_plan(figure.add_subplot(grid[:, 0]), course, baseline, best)
        upper = figure.add_subplot(grid[0, 1])
        lower = figure.add_subplot(grid[1, 1], sharex=upper)
        _draw_error(upper, course, baseline, _RED)
        _draw_error(lower, course, best, _BLUE)
        upper.tick_params(labelbottom=False)
        lower.set_xlabel("time [s]")
        figure.suptitle(title)
        save(figure, file)


def draw_laws(file: Path, title: str, rows: Sequence[TrackingRow]) -> None:
    """Draw the largest deviation of every law on every path, at one level."""
    laws, paths = list(dict.fromkeys(row.law for row in rows)), list(dict.fromkeys(row.path for row in rows))
    with rc_context(STYLE):
        figure = Figure(figsize=(9.0, 3.4))
        axes = figure.add_subplot()
        for number, law in enumerate(laws):
            places = [paths.index(row.path) + 0.11 * (number - 0.5 * (len(laws) - 1)) for row in rows if row.law == law]
            largest_mm = [row.max_mm for row in rows if row.law == law]
            axes.plot(places, largest_mm, _MARKERS[number], color=_LAW_COLOURS[number], label=law)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_xticks(range(len(paths)), paths)
        axes.set_ylabel("largest distance from the path [mm]")
        axes.grid(visible=False, axis="x")
        figure.legend(loc="outside right center")
        figure.suptitle(title)
        save(figure, file)


def draw_arrivals(file: Path, title: str, arrivals: Sequence[Arrival]) -> None:
    """Draw the robots' times to their goals against the least time, and their errors at the end."""
    with rc_context(STYLE):
        figure = Figure(figsize=(9.0, 3.6))
        times, errors = figure.subplots(1, 2)
        _draw_times(times, arrivals)
        _draw_errors(errors, arrivals)
        figure.suptitle(title)
        save(figure, file)


def _draw_plan(axes: Axes, course: Course, baseline: Track, best: Track) -> None:
    axes.plot(*course.places.T, color=_GREY, linestyle=(0, (4, 3)), linewidth=1.0, label="path", zorder=3)
    for track, colour in ((baseline, _RED), (best, _BLUE)):
        axes.plot(track.poses[:, 0], track.poses[:, 1], color=colour, linewidth=1.4, label=track.law)
    axes.plot(*course.places[0], "o", color="black", markersize=5, label="start", zorder=4)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=4, columnspacing=1.2, handlelength=1.6)


def _draw_error(axes: Axes, course: Course, track: Track, colour: str) -> None:
    times_s = RECORD_S * np.arange(len(track.poses))
    off_mm = 1000.0 * course.distances(track.poses[:, :2])
    axes.axvspan(0.0, WARM_UP_S, color="#eeeeee", linewidth=0.0)
    axes.plot(times_s, off_mm, color=colour, linewidth=1.0)
    axes.set_title(track.law, loc="left", color=colour, fontsize=9)
    axes.set_ylabel("from path [mm]")
    axes.set_ylim(bottom=0.0)
    axes.set_xlim(0.0, times_s[-1])


def _draw_times(axes: Axes, arrivals: Sequence[Arrival]) -> None:
    bounds_s = [arrival.bound_s for arrival in arrivals]
    longest_s = max(bounds_s)
    axes.plot(bounds_s, [arrival.time_s for arrival in arrivals], "o", color=_BLUE, markersize=3.5, label="robots")
    axes.plot([0.0, longest_s], [0.0, longest_s], color="black", linewidth=1.0, label="least time")
    axes.plot(
        [0.0, longest_s], [0.0, 1.3 * longest_s], color=_RED, linestyle="--", linewidth=1.0, label="1.3 times that"
    )
    axes.set_xlabel("least time that any controller needs [s]")
    axes.set_ylabel("time taken [s]")
    axes.set_xlim(left=0.0)
    axes.set_ylim(bottom=0.0)
    axes.legend(loc="upper left")


def _draw_errors(axes: Axes, arrivals: Sequence[Arrival]) -> None:
    positions_mm = [1000.0 * arrival.off_m for arrival in arrivals]
    headings_deg = np.degrees([arrival.off_rad for arrival in arrivals])
    axes.plot(positions_mm, headings_deg, "o", color=_BLUE, markersize=3.5)
    axes.set_xlabel("position error at the end [mm]")
    axes.set_ylabel("heading error at the end [°]")
    axes.set_xlim(0.0, max(1000.0 * NEAR_M, *positions_mm) * 1.05)
    axes.set_ylim(0.0, max(2.0, *headings_deg) * 1.05)
