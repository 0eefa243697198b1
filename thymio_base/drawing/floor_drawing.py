"""Draws floors, bodies and robots with matplotlib: one appearance for all pictures of the world.

Coordinates are metres in the frame of the axes; points are sequences of (x, y). Colour shows a robot's state; its
number is inside it. Poses are x [m], y [m], heading [rad].
"""

import math
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Polygon
from matplotlib.text import Text

from thymio_base.drawing.scale_bar import scale_length_m
from thymio_base.palette import (
    CHARGER_EDGE,
    CHARGER_FACE,
    FIXTURE_EDGE,
    FIXTURE_FACE,
    INK,
    LIGHT_GROUND,
    OBJECT_EDGE,
    OBJECT_FACE,
    QUIET,
    TRACK,
    Tone,
)

Point = Sequence[float]

GOAL_M = 0.045  # radius of a goal's mark
_LIGHTEN = 0.25  # share of its blackness that a floor mark keeps, so that walls are darker
_NUMBER_HEIGHT_M = 0.055  # of a robot's number
_SIGN_M = 0.07  # distance of a sign from the axle's centre, to the right and up
_STATION_M = 0.03  # half the size of a station's mark
_MIDDLE_M = 0.022  # from a robot's axle forward to the middle of its body
_POINTS_PER_INCH = 72.0
_WAIT: dict[str, Any] = {
    "color": Tone.BUSY.light,
    "marker": "o",
    "markersize": 4.5,
    "markerfacecolor": "none",
    "markeredgewidth": 1.2,
    "linestyle": "none",
}
_STYLES: dict[Tone, dict[str, Any]] = {
    Tone.IDLE: {"linewidth": 1.2},
    Tone.BUSY: {"linewidth": 2.0},
    Tone.STOPPED: {"linewidth": 1.2, "hatch": "//////"},
    Tone.WARNING: {"linewidth": 2.0, "linestyle": (0, (3.0, 1.2))},
    Tone.ERROR: {"linewidth": 2.6},
    Tone.LOST: {"linewidth": 1.6, "linestyle": (0, (1.0, 1.0))},
}


class BodyKind(Enum):
    """The meaning of a filled outline, as the colours of its face and edge."""

    OBJECT = (OBJECT_FACE, OBJECT_EDGE)  # can be pushed
    FIXTURE = (FIXTURE_FACE, FIXTURE_EDGE)  # never moves
    CHARGER = (CHARGER_FACE, CHARGER_EDGE)  # charges the robots on it


def draw_floor(axes: Axes, corners: Sequence[Point]) -> None:
    """Draw the ground."""
    axes.add_patch(Polygon(_pairs(corners), facecolor=LIGHT_GROUND, edgecolor="none", zorder=0.3))


def draw_floor_mark(axes: Axes, corners: Sequence[Point], gray: float) -> None:
    """Draw a flat mark on the floor, lighter than walls; gray is 0 for black and 1 for white."""
    axes.add_patch(Polygon(_pairs(corners), facecolor=str(1.0 - _LIGHTEN * (1.0 - gray)), edgecolor="none", zorder=1.0))


def draw_walls(axes: Axes, walls: Iterable[Sequence[Point]]) -> None:
    """Draw walls, each between its two ends."""
    lines = LineCollection([_pairs(ends) for ends in walls], colors=INK, linewidths=2.6, capstyle="round", zorder=3.5)
    axes.add_collection(lines)


def draw_configured_floor(axes: Axes, walls: Iterable[Sequence[Point]], areas: Iterable[Sequence[Point]]) -> None:
    """Draw the walls known to a fleet, dashed, and the areas that its robots avoid."""
    dashes: Any = (0, (1.5, 1.5))
    lines = LineCollection(
        [_pairs(ends) for ends in walls], colors=QUIET, linewidths=1.2, linestyles=[dashes], zorder=3.4
    )
    axes.add_collection(lines)
    for corners in areas:
        style: dict[str, Any] = {"facecolor": "none", "edgecolor": QUIET, "linewidth": 0.8, "linestyle": dashes}
        axes.add_patch(Polygon(_pairs(corners), **style, hatch="..", zorder=1.1))


def draw_body(axes: Axes, corners: Sequence[Point], kind: BodyKind, name: str = "") -> Polygon:
    """Draw an object or charger with its name below; return its outline."""
    face, edge = kind.value
    hatch = "xxx" if kind is BodyKind.FIXTURE else None
    zorder = 1.2 if kind is BodyKind.CHARGER else 3.0
    body = Polygon(_pairs(corners), facecolor=face, edgecolor=edge, linewidth=1.0, hatch=hatch, zorder=zorder)
    axes.add_patch(body)
    if name:
        xs, ys = zip(*_pairs(corners), strict=True)
        place = 0.5 * (min(xs) + max(xs)), min(ys)
        offset: dict[str, Any] = {"xytext": (0.0, -1.5), "textcoords": "offset points"}
        axes.annotate(name, place, **offset, ha="center", va="top", fontsize=5.5, color=QUIET, zorder=6.0)
    return body


def draw_tracks(axes: Axes, tracks: Sequence[Sequence[Point]], alphas: Sequence[float] | None = None) -> None:
    """Draw the tracks that robots have driven."""
    lines = LineCollection([_pairs(track) for track in tracks], colors=TRACK, linewidths=1.6, alpha=alphas, zorder=2.0)
    axes.add_collection(lines)


def draw_waits(axes: Axes, places: Sequence[Point]) -> Sequence[Artist]:
    """Draw the places where robots waited for others; return what was drawn."""
    if not places:
        return ()
    xs, ys = zip(*_pairs(places), strict=True)
    return axes.plot(xs, ys, **_WAIT, zorder=2.8)


def draw_plan(axes: Axes, places: Sequence[Point], tone: Tone) -> None:
    """Draw a robot's planned path, dashed."""
    xs, ys = zip(*_pairs(places), strict=True)
    axes.plot(xs, ys, color=tone.light, linewidth=0.9, linestyle=(0, (4.0, 2.5)), alpha=0.8, zorder=2.2)


def draw_goal(axes: Axes, pose: Sequence[float], number: str, tone: Tone) -> None:
    """Draw a goal: a circle with the robot's number and, if it has a heading, a pointer along it."""
    x_m, y_m, *heading_rad = pose
    style: dict[str, Any] = {"facecolor": LIGHT_GROUND, "edgecolor": tone.light, "linewidth": 1.0, "alpha": 0.9}
    axes.add_patch(Circle((x_m, y_m), GOAL_M, **style, zorder=2.6))
    for angle_rad in heading_rad:
        ends = [(x_m + r_m * math.cos(angle_rad), y_m + r_m * math.sin(angle_rad)) for r_m in (GOAL_M, 1.9 * GOAL_M)]
        axes.plot(*zip(*ends, strict=True), color=tone.light, linewidth=1.2, solid_capstyle="butt", zorder=2.6)
    size = _number_points(axes, number) * 0.85
    axes.text(x_m, y_m, number, ha="center", va="center_baseline", fontsize=size, color=tone.light, zorder=2.7)


def draw_home(axes: Axes, outline_m: Sequence[Point], pose: Sequence[float], number: str) -> None:
    """Draw a robot's home: the robot's outline, dashed and quiet, with its number."""
    style: dict[str, Any] = {"edgecolor": QUIET, "linewidth": 0.8, "linestyle": (0, (2.0, 2.0)), "facecolor": "none"}
    axes.add_patch(Polygon(placed(outline_m, pose), **style, zorder=1.6))
    middle = placed([(_MIDDLE_M, 0.0)], pose)[0]
    size = _number_points(axes, number) * 0.85
    axes.text(*middle, number, ha="center", va="center_baseline", fontsize=size, color=QUIET, zorder=1.6, clip_on=True)


def draw_station(axes: Axes, place: Point, name: str) -> None:
    """Draw a station: a small square on its corner, with its name below."""
    x_m, y_m = place
    style: dict[str, Any] = {"facecolor": "none", "edgecolor": QUIET, "linewidth": 0.8}
    corners = [(x_m + _STATION_M, y_m), (x_m, y_m + _STATION_M), (x_m - _STATION_M, y_m), (x_m, y_m - _STATION_M)]
    axes.add_patch(Polygon(corners, **style, zorder=1.5))
    axes.text(
        x_m, y_m - 1.4 * _STATION_M, name, ha="center", va="top", fontsize=5.5, color=QUIET, zorder=1.5, clip_on=True
    )


class DrawnRobot:
    """A movable robot in a picture: its body in the colour and style of its state, its number inside.

    Parameters
    ----------
    axes : where it is drawn; set their limits and the figure's size first
    outline_m : corners in the robot's frame
    number : shown inside
    """

    def __init__(self, axes: Axes, outline_m: Sequence[Point], number: str) -> None:
        self._outline_m = _pairs(outline_m)
        self._nose_m = max(x_m for x_m, _ in self._outline_m)
        self._body = Polygon(self._outline_m, joinstyle="round", zorder=5.0)
        self._nose = Polygon([(0.0, 0.0)] * 3, edgecolor="none", zorder=5.1)
        for patch in (self._body, self._nose):
            axes.add_patch(patch)
        style: dict[str, Any] = {
            "ha": "center",
            "va": "center_baseline",
            "fontweight": "bold",
            "clip_on": True,
            "zorder": 6.0,
        }
        self._number: Text = axes.text(0.0, 0.0, number, fontsize=_number_points(axes, number), **style)
        self._sign = axes.text(0.0, 0.0, "", ha="center", va="center", fontsize=8.0, clip_on=True, zorder=6.1)

    def update(self, pose: Sequence[float], tone: Tone) -> None:
        """Move to a pose and show a state."""
        x_m, y_m, _ = pose
        self._body.set_xy(placed(self._outline_m, pose))
        nose_m = self._nose_m
        self._nose.set_xy(placed([(nose_m - 0.018, 0.014), (nose_m - 0.004, 0.0), (nose_m - 0.018, -0.014)], pose))
        self._number.set_position(placed([(_MIDDLE_M, 0.0)], pose)[0])
        self._sign.set_position((x_m + _SIGN_M, y_m + _SIGN_M))
        self._paint(tone)

    def _paint(self, tone: Tone) -> None:
        style = _STYLES[tone]
        self._body.set(facecolor=LIGHT_GROUND if tone is not Tone.LOST else "none", edgecolor=tone.light)
        self._body.set(linewidth=style["linewidth"], linestyle=style.get("linestyle", "-"), hatch=style.get("hatch"))
        self._nose.set_facecolor(tone.light)
        self._number.set_color(tone.light)
        cover = {"facecolor": LIGHT_GROUND, "edgecolor": "none", "pad": 0.8}  # hides hatches and tracks
        self._number.set_bbox(cover if tone in (Tone.STOPPED, Tone.LOST) else None)
        is_marked = tone.urgency >= Tone.WARNING.urgency
        self._sign.set(text=tone.sign if is_marked else "", color=tone.light)


def draw_scale(axes: Axes, x_m: float, y_m: float) -> None:
    """Draw a scale bar of a round length, starting at a point and extending to the right."""
    left_m, right_m = axes.get_xlim()
    length_m = scale_length_m(right_m - left_m)
    style: dict[str, Any] = {"color": INK, "linewidth": 1.2, "clip_on": False, "zorder": 6.0}
    axes.plot([x_m, x_m + length_m], [y_m, y_m], marker="|", markersize=5.0, **style)
    offset: dict[str, Any] = {"xytext": (5.0, 0.0), "textcoords": "offset points"}
    axes.annotate(
        f"{length_m:g} m", (x_m + length_m, y_m), **offset, va="center", fontsize=7, color=INK, annotation_clip=False
    )


def state_handles(tones: Iterable[Tone]) -> list[Artist]:
    """Return the legend entries of states, from the least to the most urgent."""
    handles: list[Artist] = []
    for tone in sorted(set(tones), key=lambda tone: tone.urgency):
        style: dict[str, Any] = {"facecolor": LIGHT_GROUND, "edgecolor": tone.light, **_STYLES[tone]}
        sign = f" {tone.sign}" if tone.urgency >= Tone.WARNING.urgency else ""
        handles.append(Polygon([(0.0, 0.0)], label=f"{tone.label}{sign}", **style))
    return handles


def goal_handle() -> Artist:
    """Return the legend entry of goals and plans."""
    style: dict[str, Any] = {
        "markerfacecolor": LIGHT_GROUND,
        "markersize": 7.0,
        "linewidth": 0.9,
        "linestyle": (0, (4.0, 2.5)),
    }
    return Line2D([], [], color=Tone.BUSY.light, marker="o", label="goal", **style)


def home_handle() -> Artist:
    """Return the legend entry of homes."""
    style: dict[str, Any] = {"facecolor": "none", "edgecolor": QUIET, "linewidth": 0.8, "linestyle": (0, (2.0, 2.0))}
    return Polygon([(0.0, 0.0)], label="home", **style)


def wait_handle() -> Artist:
    """Return the legend entry of places where robots waited for others."""
    return Line2D([], [], **_WAIT, label="waited")


def placed(points_m: Iterable[Point], pose: Sequence[float]) -> list[tuple[float, float]]:
    """Return points in a body's own frame in the frame of its pose."""
    x_m, y_m, heading_rad = pose
    cosine, sine = math.cos(heading_rad), math.sin(heading_rad)
    return [(x_m + cosine * a_m - sine * b_m, y_m + sine * a_m + cosine * b_m) for a_m, b_m in points_m]


def metres_per_inch(axes: Axes) -> float:
    """Return the scale of axes whose limits and figure have their final sizes."""
    low_m, high_m = axes.get_xlim()
    return float((high_m - low_m) * axes.figure.dpi / axes.bbox.width)


def _number_points(axes: Axes, number: str) -> float:
    """Return the font size at which a number fits into a robot, but stays readable in large worlds."""
    height_points = _NUMBER_HEIGHT_M * _POINTS_PER_INCH / metres_per_inch(axes)
    return float(min(max(height_points / (1.0 + 0.32 * (len(number) - 1)) * 1.2, 5.5), 12.0))


def _pairs(points: Sequence[Point]) -> list[tuple[float, float]]:
    return [(float(point[0]), float(point[1])) for point in points]
