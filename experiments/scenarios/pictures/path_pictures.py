"""Pictures of a run: the paths of all robots on the floor, and an animation of them.

Tracks and robots have the colours of their states; the numbers in the robots identify them.
"""

from collections.abc import Iterator
from io import BytesIO
from itertools import groupby
from pathlib import Path

import numpy as np
from matplotlib import animation, rc_context
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.text import Text
from numpy.typing import NDArray
from PIL import Image

from experiments.figures import STYLE, save
from experiments.scenarios.file.experiment import Experiment
from experiments.scenarios.pictures.contact_marks import contact_marks, object_outline_m
from experiments.scenarios.pictures.fault_marks import FaultMark, fault_marks
from experiments.scenarios.pictures.robot_tones import RobotTones
from experiments.scenarios.pictures.run_floor import (
    draw_contact,
    draw_faults,
    draw_goals,
    draw_homes,
    draw_legend,
    draw_moved_objects,
    draw_objects,
    draw_stations,
    floor_axes,
    object_pose,
)
from experiments.scenarios.pictures.wait_marks import wait_marks
from experiments.scenarios.run.repetition import Run
from simulator.outlines.outline import thymio
from thymio_base.drawing.floor_drawing import DrawnRobot, draw_waits, placed
from thymio_base.palette import LIGHT_GROUND, QUIET, TRACK, Tone

Array = NDArray[np.float64]

_CARRIED_M = 0.05  # larger movement between two records means that the robot was carried
_SPEED_UP = 4.0  # simulated seconds per second of an animation
_FRAMES_HZ = 10
_COLORS = 64  # colours of a GIF
_DPI = 80  # resolution of animations
_STYLE = {**STYLE, "figure.constrained_layout.use": False, "hatch.linewidth": 0.6}


class AnimationError(ValueError):
    """An animation cannot be written in this format."""


def draw_paths(file: Path, experiment: Experiment, run: Run) -> None:
    """Draw the tracks of all robots from start (a dot) to end on the floor, with waits, contacts and faults."""
    tones = RobotTones(run)
    faults, contacts = fault_marks(experiment.faults, run.recording), contact_marks(run.recording, experiment.world)
    with rc_context(_STYLE):
        figure = Figure()
        axes = floor_axes(figure, experiment, faults)
        draw_moved_objects(axes, experiment.world, run)
        draw_objects(axes, experiment.world, run, -1, has_names=True)
        draw_goals(axes, run)
        draw_stations(axes, experiment)
        has_homes = draw_homes(axes, experiment, run)
        shown = {tone for robot_id in run.recording.robot_ids for tone in _draw_track(axes, run, robot_id, tones)}
        waits = wait_marks(run.recording)
        draw_waits(axes, [(mark.x_m, mark.y_m) for mark in waits])
        for contact in contacts:
            draw_contact(axes, contact)
        draw_faults(axes, faults)
        draw_legend(axes, shown, run, contacts, has_homes=has_homes, has_waits=bool(waits))
        save(figure, file)


def animate(file: Path, experiment: Experiment, run: Run) -> None:
    """Write an animation at four times real speed, as .gif, or as .mp4 with ffmpeg.

    Raises
    ------
    AnimationError
        The format cannot be written.
    """
    writer = animation_writer(file)
    with rc_context(_STYLE):
        figure = Figure()
        frames = _Frames(figure, experiment, run)
        with writer.saving(figure, str(file), dpi=_DPI):
            frames.keep_surroundings()
            for time_s in frames.times_s():
                frames.show(time_s)
                writer.grab_frame()


def animation_writer(file: Path) -> animation.AbstractMovieWriter:
    """Return the animation writer of a file; raises as `animate`."""
    if file.suffix == ".gif":
        return _GifWriter(fps=_FRAMES_HZ)
    if file.suffix != ".mp4":
        raise AnimationError(f"{file}: animations are .gif or .mp4")
    if not animation.writers.is_available("ffmpeg"):
        raise AnimationError(f"{file}: without the program ffmpeg animations are .gif only")
    return animation.FFMpegWriter(fps=_FRAMES_HZ)


class _GifWriter(animation.PillowWriter):
    """Writes all frames in the colours of the last, so that frames contain only changes: a fifth of the size."""

    _frames: list[Image.Image]
    outfile: str

    def finish(self) -> None:
        """Write the file."""
        frames = [frame.convert("RGB") for frame in self._frames]
        palette = frames[-1].quantize(_COLORS)
        first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
        duration_ms = round(1000 / self.fps)
        first.save(self.outfile, save_all=True, append_images=others, duration=duration_ms, loop=0, optimize=True)


class _Frames:
    """Draws the frames of an animation: robots, objects, contacts and faults at a time of the run.

    Parameters
    ----------
    figure : figure to draw on
    experiment, run : experiment and run to show
    """

    def __init__(self, figure: Figure, experiment: Experiment, run: Run) -> None:
        self._run = run
        self._world = experiment.world
        self._tones = RobotTones(run)
        self._faults = fault_marks(experiment.faults, run.recording)
        contacts = contact_marks(run.recording, experiment.world)
        self._figure = figure
        self._axes = axes = floor_axes(figure, experiment, self._faults)
        self._surroundings: list[Artist] = [axes.xaxis, axes.yaxis, *axes.lines, *axes.findobj(Text)]
        draw_goals(axes, run)
        draw_stations(axes, experiment)
        has_homes = draw_homes(axes, experiment, None)
        self._objects = draw_objects(axes, experiment.world, run, 0)
        outline_m = thymio().vertices_m.tolist()
        robot_ids = run.recording.robot_ids
        self._tracks = [axes.plot([], [], color=TRACK, linewidth=1.4, zorder=2.0)[0] for _ in robot_ids]
        self._robots = [DrawnRobot(axes, outline_m, str(robot_id)) for robot_id in robot_ids]
        waits = wait_marks(run.recording)
        self._waits = [(mark.time_s, artist) for mark in waits for artist in draw_waits(axes, [(mark.x_m, mark.y_m)])]
        self._contacts = [(mark.time_s, draw_contact(axes, mark)) for mark in contacts]
        self._letters = draw_faults(axes, self._faults)
        shown = {self._tones.at(robot_id, float(time_s)) for robot_id in robot_ids for time_s in run.recording.times_s}
        draw_legend(axes, shown, run, contacts, has_homes=has_homes, has_waits=bool(waits))
        legend = axes.get_legend()
        self._surroundings += [legend] if legend is not None else []
        self._clock = axes.text(1.0, 1.01, "", transform=axes.transAxes, ha="right", va="bottom")

    def keep_surroundings(self) -> None:
        """Draw the surroundings of the floor once, as an image behind all frames, since their texts take longest."""
        drawn = BytesIO()
        self._figure.savefig(drawn, format="rgba", dpi=_DPI)
        width = int(self._figure.get_figwidth() * _DPI)
        self._figure.figimage(np.frombuffer(drawn.getbuffer(), np.uint8).reshape(-1, width, 4), zorder=-1.0)
        self._figure.patch.set_visible(False)
        self._axes.patch.set_visible(False)
        for artist in self._surroundings:
            artist.set_visible(False)

    def times_s(self) -> Iterator[float]:
        """Yield the times of all frames."""
        end_s = float(self._run.recording.times_s[-1])
        yield from np.arange(0.0, end_s + 1e-9, _SPEED_UP / _FRAMES_HZ).tolist()

    def show(self, time_s: float) -> None:
        """Draw the run at a time."""
        recording = self._run.recording
        row = int(np.searchsorted(recording.times_s, time_s + 1e-9)) - 1
        for column, robot_id in enumerate(recording.robot_ids):
            self._tracks[column].set_data(*_line_of(recording.truth[: row + 1, column]).T)
            self._robots[column].update(recording.truth[row, column].tolist(), self._tones.at(robot_id, time_s))
        for index, (config, body) in enumerate(zip(self._world.objects, self._objects, strict=True)):
            pose = object_pose(self._run, len(self._world.robots) + index, row)
            body.set_xy(placed(object_outline_m(config), pose))
        for start_s, artist in (*self._waits, *self._contacts, *self._letters):
            artist.set_visible(start_s <= time_s)
        self._clock.set_text(_caption(self._faults, time_s))


def _caption(faults: list[FaultMark], time_s: float) -> str:
    """Return a caption with the time and the letters of present faults."""
    letters = " ".join(mark.letter for mark in faults if mark.at_s <= time_s < mark.until_s)
    return f"{f'fault {letters}   ' if letters else ''}{time_s:.1f} s"


def _draw_track(axes: Axes, run: Run, robot_id: int, tones: RobotTones) -> set[Tone]:
    """Draw a robot's track in the colours of its states, its start, and the robot at the end; return its states."""
    recording = run.recording
    truth = recording.truth[:, recording.column(robot_id)]
    states = [tones.at(robot_id, time_s) for time_s in recording.times_s.tolist()]
    parts: list[tuple[Tone, Array]] = []
    start = 0
    for tone, rows in groupby(states):
        end = start + len(list(rows))
        parts.append((tone, _line_of(truth[start : end + 1])))  # including the first point of the next part
        start = end
    parts.sort(key=lambda part: part[0].urgency)  # most urgent on top
    colors = [tone.light for tone, _ in parts]
    axes.add_collection(LineCollection([part for _, part in parts], colors=colors, linewidths=1.5, zorder=2.4))
    axes.plot(*truth[0, :2], "o", color=QUIET, markersize=4, markeredgecolor=LIGHT_GROUND, zorder=4)
    DrawnRobot(axes, thymio().vertices_m.tolist(), str(robot_id)).update(truth[-1].tolist(), states[-1])
    return set(states)


def _line_of(track: Array) -> Array:
    """Return the points of a track, shape (n, 2), with a gap where the robot was carried."""
    places = track[:, :2]
    jumps = np.flatnonzero(np.hypot(*np.diff(places, axis=0).T) > _CARRIED_M) + 1
    line: Array = np.insert(places, jumps, np.nan, axis=0)
    return line
