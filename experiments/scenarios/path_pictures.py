"""Pictures of a run: the paths of all robots on the floor, and an animation of them.

Colours are those of Okabe and Ito, as in `experiments.control_study.pictures`.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib import animation, rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle
from numpy.typing import NDArray

from experiments.figures import STYLE, save
from experiments.scenarios.recorder import Recording
from experiments.scenarios.repetition import Run
from experiments.scenarios.results import followed
from simulator.outlines.outline import thymio
from simulator.world.config import WorldConfig

Array = NDArray[np.float64]

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999933", "#332288")
_LINES = ("-", (0, (6, 1.5)), (0, (3, 1.5, 1, 1.5)), (0, (1, 1)))  # for more robots than colours
_WALL, _PLAN, _FLOOR = "#333333", "#777777", "#fbfbf8"
_WIDTH_IN, _HEIGHTS_IN = 8.0, (3.5, 10.0)
_CARRIED_M = 0.05  # a robot that moves further between two records was carried
_LEGEND_IN = 1.0  # of the width
_SPEED_UP = 4.0  # of animations
_FRAMES_HZ = 10
_OUTLINE_M = thymio().vertices_m


class AnimationError(ValueError):
    """An animation cannot be written in this format."""


def draw_paths(file: Path, title: str, world: WorldConfig, run: Run) -> None:
    """Draw the paths of all robots, from start (a dot) to end, on the floor with its walls."""
    recording = run.recording
    with rc_context({**STYLE, "figure.constrained_layout.w_pad": 0.1}):
        figure = Figure(figsize=_size(world))
        axes = _floor(figure, title, world)
        _draw_plans(axes, run)
        for column, robot_id in enumerate(recording.robot_ids):
            track, colour = recording.truth[:, column], _colour(column)
            axes.plot(*_line_of(track).T, color=colour, linestyle=_line(column), linewidth=1.3, label=str(robot_id))
            axes.plot(track[0, 0], track[0, 1], "o", color=colour, markersize=4, markeredgecolor="white", zorder=4)
            axes.add_patch(_body(track[-1], colour))
            _name(axes, track[-1], robot_id)
        figure.legend(loc="outside right upper", title="robot", handlelength=1.8)
        save(figure, file)


def animate(file: Path, title: str, world: WorldConfig, run: Run) -> None:
    """Write an animation at four times real speed, as GIF, or in a format for which matplotlib has ffmpeg.

    Raises
    ------
    AnimationError
        The format cannot be written.
    """
    writer, recording = animation_writer(file), run.recording
    with rc_context({**STYLE, "figure.constrained_layout.w_pad": 0.1}):
        figure = Figure(figsize=_size(world))
        FigureCanvasAgg(figure)
        axes = _floor(figure, title, world)
        _draw_plans(axes, run)
        with writer.saving(figure, str(file), dpi=80):
            for _ in _frames(axes, recording):
                writer.grab_frame()


def animation_writer(file: Path) -> animation.AbstractMovieWriter:
    """Return the animation writer of a file; raises as `animate`."""
    if file.suffix == ".gif":
        return animation.PillowWriter(fps=_FRAMES_HZ)
    if file.suffix != ".mp4":
        raise AnimationError(f"{file}: animations are .gif or .mp4")
    if not animation.writers.is_available("ffmpeg"):
        raise AnimationError(f"{file}: without the program ffmpeg animations are .gif only")
    return animation.FFMpegWriter(fps=_FRAMES_HZ)


def _frames(axes: Axes, recording: Recording) -> Iterator[None]:
    """Move the axes' contents from picture to picture."""
    count = len(recording.robot_ids)
    paths = [axes.plot([], [], color=_colour(column), linewidth=1.2)[0] for column in range(count)]
    bodies = [_body(recording.truth[0, column], _colour(column)) for column in range(count)]
    for body in bodies:
        axes.add_patch(body)
    clock = axes.text(0.99, 1.01, "", transform=axes.transAxes, ha="right", va="bottom")
    end_s = float(recording.times_s[-1])
    for time_s in np.arange(0.0, end_s + 1e-9, _SPEED_UP / _FRAMES_HZ).tolist():
        row = int(np.searchsorted(recording.times_s, time_s + 1e-9)) - 1
        for column in range(count):
            paths[column].set_data(*_line_of(recording.truth[: row + 1, column]).T)
            bodies[column].set_xy(_outline(recording.truth[row, column]))
        clock.set_text(f"{time_s:.1f} s")
        yield


def _size(world: WorldConfig) -> tuple[float, float]:
    """Return the size of a picture in which the floor fills the width."""
    height_in = (_WIDTH_IN - _LEGEND_IN) * world.arena.height_m / world.arena.width_m + 0.6
    low_in, high_in = _HEIGHTS_IN
    return _WIDTH_IN, min(max(height_in, low_in), high_in)


def _floor(figure: Figure, title: str, world: WorldConfig) -> Axes:
    axes = figure.add_subplot()
    size_m = world.arena.width_m, world.arena.height_m
    axes.add_patch(Rectangle((0.0, 0.0), *size_m, facecolor=_FLOOR, zorder=0.3))
    axes.add_patch(Rectangle((0.0, 0.0), *size_m, fill=False, edgecolor=_WALL, linewidth=2.5, zorder=3))
    lines = [((line.ends_m[:2]), (line.ends_m[2:])) for line in world.lines]
    axes.add_collection(LineCollection(lines, colors=[str(line.gray) for line in world.lines], linewidths=2.0))
    walls = [((wall.ends_m[:2]), (wall.ends_m[2:])) for wall in world.walls]
    axes.add_collection(LineCollection(walls, colors=_WALL, linewidths=2.5, zorder=3))
    margin_m = 0.02 * max(size_m)
    axes.set_xlim(-margin_m, size_m[0] + margin_m)
    axes.set_ylim(-margin_m, size_m[1] + margin_m)
    axes.set_aspect("equal")
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.set_title(title, loc="left")
    return axes


def _draw_plans(axes: Axes, run: Run) -> None:
    """Draw the planned paths of the robots."""
    for assignment in run.assignments:
        course = followed(assignment.request)
        if course is not None:
            axes.plot(*course.places.T, color=_PLAN, linestyle=(0, (4, 3)), linewidth=0.9, zorder=1.5)


def _line_of(track: Array) -> Array:
    """Return the points of a path, (n, 2), with a gap where the robot was carried."""
    places = track[:, :2]
    jumps = np.flatnonzero(np.hypot(*np.diff(places, axis=0).T) > _CARRIED_M) + 1
    line: Array = np.insert(places, jumps, np.nan, axis=0)
    return line


def _name(axes: Axes, pose: Array, robot_id: int) -> None:
    x_m, y_m, heading_rad = pose.tolist()
    middle = (x_m + 0.025 * np.cos(heading_rad), y_m + 0.025 * np.sin(heading_rad))
    axes.text(*middle, str(robot_id), ha="center", va="center", fontsize=7, color="white", zorder=6, clip_on=True)


def _body(pose: Array, colour: str) -> Polygon:
    return Polygon(_outline(pose), facecolor=colour, edgecolor="white", linewidth=0.8, alpha=0.9, zorder=5)


def _outline(pose: Array) -> Array:
    x_m, y_m, heading_rad = pose.tolist()
    cosine, sine = np.cos(heading_rad), np.sin(heading_rad)
    outline: Array = _OUTLINE_M @ np.array([[cosine, sine], [-sine, cosine]]) + (x_m, y_m)
    return outline


def _colour(column: int) -> str:
    return _COLOURS[column % len(_COLOURS)]


def _line(column: int) -> str | tuple[float, tuple[float, ...]]:
    return _LINES[column // len(_COLOURS) % len(_LINES)]
