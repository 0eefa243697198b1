"""Draws a scene into a file: SVG, PNG or PDF, by its extension."""

from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from aseba_link.thymio.events import AXLE_LENGTH_M
from fleet.view.scene import Material, Scene, SceneRobot
from fleet.view.terminal import caption

_COLOURS = ("#0e7c86", "#b5179e", "#2d7d46", "#c77700", "#c1292e", "#3f5bd9", "#6f4e37", "#566573")
_FLOOR, _PAPER, _WALL, _INK = "#ffffff", "#f3f1ec", "#2f3437", "#2f3437"
_FACES = {Material.OBJECT: "#d9a066", Material.FIXTURE: "#b9bec4", Material.CHARGER: "#8fd19e"}
_EDGES = {Material.OBJECT: "#8a5a24", Material.FIXTURE: "#6b727a", Material.CHARGER: "#2d7d46"}
_LONGER_SIDE_IN = 9.0
_MARGIN = 0.03  # of the longer side
_WHEELS_M = ((-0.025, 0.025, 0.5 * AXLE_LENGTH_M), (-0.025, 0.025, -0.5 * AXLE_LENGTH_M))  # from, to, aside
_DOTS_PER_INCH = 150
_PIECE_POINTS = 12  # of a track, of the same age


def save_picture(scene: Scene, path: Path) -> None:
    """Draw the scene into a file.

    Raises
    ------
    OSError
        The file cannot be written.
    ValueError
        The extension of the file is not that of a picture format.
    """
    x_min, y_min, x_max, y_max = scene.bounds_m()
    margin_m = _MARGIN * max(x_max - x_min, y_max - y_min)
    width_m, height_m = x_max - x_min + 2.0 * margin_m, y_max - y_min + 2.0 * margin_m
    inches = _LONGER_SIDE_IN / max(width_m, height_m)
    figure = Figure(figsize=(width_m * inches, height_m * inches), facecolor=_PAPER)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(x_min - margin_m, x_max + margin_m)
    axes.set_ylim(y_min - margin_m, y_max + margin_m)
    axes.add_patch(
        Polygon([(x_min, y_min), (x_max, y_min), (x_max, y_max), (x_min, y_max)], facecolor=_FLOOR, zorder=0)
    )
    _draw_ground(axes, scene)
    for index, robot in enumerate(scene.robots.values()):
        _draw_robot(axes, robot, _COLOURS[index % len(_COLOURS)])
    axes.text(x_max, y_min - 0.75 * margin_m, caption(scene), ha="right", va="center", fontsize=7, color=_INK)
    metadata = {"Date": None} if path.suffix.lower() == ".svg" else {}
    with rc_context({"svg.hashsalt": "thymio_fleet"}):  # the same scene gives the same file
        figure.savefig(path, dpi=_DOTS_PER_INCH, facecolor=_PAPER, metadata=metadata)


def _draw_ground(axes: Axes, scene: Scene) -> None:
    for patch in scene.ground.patches:
        if patch.material is Material.FLOOR:
            axes.add_patch(Polygon(patch.points_m, facecolor=str(patch.gray), edgecolor="none", zorder=1))
        else:
            face, edge = _FACES[patch.material], _EDGES[patch.material]
            axes.add_patch(Polygon(patch.points_m, facecolor=face, edgecolor=edge, linewidth=1.2, zorder=3))
    axes.add_collection(LineCollection(scene.ground.walls_m, colors=_WALL, linewidths=2.6, capstyle="round", zorder=4))


def _draw_robot(axes: Axes, robot: SceneRobot, colour: str) -> None:
    """Draw a robot's track, fading with age, and its body, wheels, nose and name."""
    pieces = [robot.track_m[start : start + _PIECE_POINTS + 1] for start in range(0, len(robot.track_m), _PIECE_POINTS)]
    fading = [0.05 + 0.75 * (index + 1) / len(pieces) for index in range(len(pieces))]
    tracks = LineCollection(pieces, colors=colour, linewidths=1.6, alpha=fading or None, capstyle="butt", zorder=2)
    axes.add_collection(tracks)
    axes.add_patch(
        Polygon(robot.outline_m(), facecolor="white", edgecolor=colour, linewidth=1.8, joinstyle="round", zorder=5)
    )
    for rear_m, front_m, aside_m in _WHEELS_M:
        xs, ys = zip(robot.at(rear_m, aside_m), robot.at(front_m, aside_m), strict=True)
        axes.plot(xs, ys, color=_INK, linewidth=2.6, solid_capstyle="butt", zorder=6)
    nose = [robot.at(0.03, 0.022), robot.at(0.066, 0.0), robot.at(0.03, -0.022)]
    axes.add_patch(Polygon(nose, facecolor=colour, edgecolor="none", zorder=6))
    axes.annotate(
        robot.name,
        (robot.pose.x_m, robot.pose.y_m),
        xytext=(0.0, 15.0),
        textcoords="offset points",
        ha="center",
        fontsize=9,
        fontweight="bold",
        color=colour,
        zorder=7,
        bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.6},
    )
