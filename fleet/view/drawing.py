"""Draws a scene into a file: SVG, PNG or PDF, by its extension."""

import math
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from aseba_link.thymio.robot_outline import OUTLINE_M
from fleet.interface.seen_floor import Material
from fleet.view.scene import Scene, SceneRobot, caption
from thymio_base.drawing import floor_drawing
from thymio_base.drawing.floor_drawing import BodyKind, DrawnRobot
from thymio_base.palette import PAPER, QUIET

_KINDS = {
    Material.OBJECT: BodyKind.OBJECT,
    Material.FIXTURE: BodyKind.FIXTURE,
    Material.CHARGER: BodyKind.CHARGER,
}
_LONGER_SIDE_IN = 9.0
_MARGIN_IN = 0.25
_FOOTER_IN = 0.45  # below the floor, with scale and legend
_LEGEND_SHARE = 0.7  # of the width; the rest is for the scale bar
_ENTRY_IN, _ENTRY_HEIGHT_IN = 0.85, 0.15  # of the legend
_FONT_POINTS, _LETTER_IN = 7.0, 0.056
_DOTS_PER_INCH = 150
_PIECE_POINTS = 12  # of a track, of the same age


def save_picture(scene: Scene, path: Path) -> None:
    """Draw the scene into a file.

    Raises
    ------
    OSError
        The file cannot be written.
    ValueError
        The file's extension is not that of a picture format.
    """
    style: dict[Any, Any] = {
        "svg.hashsalt": "thymio_fleet",
        "hatch.linewidth": 0.6,
    }  # the same scene gives the same file
    metadata = {"Date": None} if path.suffix.lower() == ".svg" else {}
    with rc_context(style):
        figure = _figure(scene)
        axes = figure.axes[0]
        _draw_ground(axes, scene)
        for name, place in scene.stations.items():
            floor_drawing.draw_station(axes, (place.x_m, place.y_m), name)
        for robot in scene.robots.values():
            _draw_robot(axes, robot)
        _draw_footer(axes, scene)
        figure.savefig(path, dpi=_DOTS_PER_INCH, facecolor=PAPER, metadata=metadata)


def _figure(scene: Scene) -> Figure:
    """Return a figure with axes of the scene's shape, and room for the footer."""
    x_min, y_min, x_max, y_max = scene.bounds_m()
    scale_in = (_LONGER_SIDE_IN - 2.0 * _MARGIN_IN) / max(x_max - x_min, y_max - y_min)
    width_in, height_in = scale_in * (x_max - x_min), scale_in * (y_max - y_min)
    rows = math.ceil(len(_legend_handles(scene)) / _legend_columns(width_in, 1.0))
    footer_in = _FOOTER_IN + max(rows - 1, 0) * _ENTRY_HEIGHT_IN
    size_in = width_in + 2.0 * _MARGIN_IN, height_in + _MARGIN_IN + footer_in
    figure = Figure(figsize=size_in, facecolor=PAPER)
    FigureCanvasAgg(figure)
    place = _MARGIN_IN / size_in[0], footer_in / size_in[1], width_in / size_in[0], height_in / size_in[1]
    axes = figure.add_axes(place)
    axes.set_axis_off()
    axes.set_xlim(x_min, x_max)
    axes.set_ylim(y_min, y_max)
    return figure


def _draw_ground(axes: Axes, scene: Scene) -> None:
    x_min, y_min, x_max, y_max = scene.bounds_m()
    floor_drawing.draw_floor(axes, [(x_min, y_min), (x_max, y_min), (x_max, y_max), (x_min, y_max)])
    for patch in scene.ground.patches:
        if patch.material is Material.FLOOR:
            floor_drawing.draw_floor_mark(axes, patch.points_m, patch.gray)
        else:
            floor_drawing.draw_body(axes, patch.points_m, _KINDS[patch.material], patch.name)
    floor_drawing.draw_walls(axes, scene.ground.walls_m)


def _draw_robot(axes: Axes, robot: SceneRobot) -> None:
    """Draw a robot's track, its home, its waiting places, its plan with goals, and its body."""
    _draw_track(axes, robot)
    if home := robot.free_home:
        floor_drawing.draw_home(axes, OUTLINE_M, (home.x_m, home.y_m, home.heading_rad), robot.label)
    if plan := robot.plan_m:
        floor_drawing.draw_plan(axes, plan, robot.tone)
    for goal in robot.goals:
        floor_drawing.draw_goal(axes, goal, robot.label, robot.tone)
    drawn = DrawnRobot(axes, OUTLINE_M, robot.label)
    drawn.update((robot.pose.x_m, robot.pose.y_m, robot.pose.heading_rad), robot.tone)


def _draw_track(axes: Axes, robot: SceneRobot) -> None:
    """Draw a robot's track, fading with age unless it is complete, and where it waited for others."""
    starts = range(0, len(robot.track_m), _PIECE_POINTS)
    pieces = [robot.track_m[start : start + _PIECE_POINTS + 1] for start in starts]
    least = 1.0 if robot.track_points is None else 0.1
    if pieces:
        shares = [least + (1.0 - least) * (index + 1) / len(pieces) for index in range(len(pieces))]
        floor_drawing.draw_tracks(axes, pieces, shares)
    floor_drawing.draw_waits(axes, robot.waits_m)


def _draw_footer(axes: Axes, scene: Scene) -> None:
    """Draw the scale bar and a legend below the floor, and the caption above it."""
    x_min, x_max = axes.get_xlim()
    y_min, y_max = axes.get_ylim()
    inch_m = floor_drawing.metres_per_inch(axes)
    floor_drawing.draw_scale(axes, x_min, y_min - 0.6 * _FOOTER_IN * inch_m)
    text = caption(scene)
    size = min(_FONT_POINTS, _FONT_POINTS * (x_max - x_min) / inch_m / (_LETTER_IN * len(text)))
    axes.text(x_max, y_max + 0.5 * _MARGIN_IN * inch_m, text, ha="right", va="center", fontsize=size, color=QUIET)
    style: dict[str, Any] = {"frameon": False, "fontsize": _FONT_POINTS, "handlelength": 1.8, "columnspacing": 1.2}
    place = x_max, y_min - (0.6 * _FOOTER_IN - 0.5 * _ENTRY_HEIGHT_IN) * inch_m
    style |= {
        "borderpad": 0.0,
        "borderaxespad": 0.0,
        "labelspacing": 0.4,
        "ncol": _legend_columns(x_max - x_min, inch_m),
    }
    if handles := _legend_handles(scene):
        axes.legend(handles=handles, loc="upper right", bbox_to_anchor=place, bbox_transform=axes.transData, **style)


def _legend_handles(scene: Scene) -> list[Artist]:
    """Return the legend's entries for what the picture contains."""
    robots = scene.robots.values()
    handles = floor_drawing.state_handles(robot.tone for robot in robots)
    if any(robot.goals for robot in robots):
        handles.append(floor_drawing.goal_handle())
    if any(robot.free_home for robot in robots):
        handles.append(floor_drawing.home_handle())
    if any(robot.waits_m for robot in robots):
        handles.append(floor_drawing.wait_handle())
    return handles


def _legend_columns(width_m: float, inch_m: float) -> int:
    """Return how many entries fit beside each other."""
    return max(1, int(_LEGEND_SHARE * width_m / inch_m / _ENTRY_IN))
