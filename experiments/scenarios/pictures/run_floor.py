"""The floor of a run as a figure, with bodies, goals, legend and faults."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.text import Annotation

from experiments.scenarios.file.experiment import Experiment
from experiments.scenarios.pictures.contact_marks import ContactMark, object_outline_m
from experiments.scenarios.pictures.fault_marks import FaultMark
from experiments.scenarios.run.repetition import Run
from experiments.scenarios.run.results import followed
from fleet.tasks.legs import DriveLeg
from simulator.outlines.outline import box_corners, thymio
from simulator.world.config import LineConfig, WorldConfig
from thymio_base.drawing import floor_drawing
from thymio_base.drawing.floor_drawing import BodyKind
from thymio_base.drawing.scale_bar import scale_length_m
from thymio_base.palette import INK, LIGHT_GROUND, ORANGE, QUIET, VERMILION, Tone

_WIDTH_IN, _HIGHEST_IN = 8.0, 10.0
_LEFT_IN, _RIGHT_IN, _TOP_IN, _BOTTOM_IN = 0.6, 1.25, 0.4, 0.8
_SCALE_IN = 0.4  # distance of the scale bar below the floor
_FAULT_IN = 0.17  # height of a fault's line
_FAULT_COLUMNS = 3
_AT_HOME_M = 0.05  # a robot that ends this close to its home hides it
_SAME_PLACE_M = 0.1
_MOVED_M = 0.01  # an object that moves less is drawn once


def floor_axes(figure: Figure, experiment: Experiment, faults: Sequence[FaultMark]) -> Axes:
    """Return axes with the floor, its marks, walls and chargers, and the faults listed below."""
    world = experiment.world
    FigureCanvasAgg(figure)
    axes = figure.add_axes(_place(figure, world, faults))
    width_m, height_m = world.arena.width_m, world.arena.height_m
    axes.set(xlim=(0.0, width_m), ylim=(0.0, height_m), xlabel="x [m]", ylabel="y [m]")
    axes.set_title(experiment.title, loc="left", fontsize=10)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    floor_drawing.draw_floor(axes, [(0.0, 0.0), (width_m, 0.0), (width_m, height_m), (0.0, height_m)])
    for line in world.lines:
        floor_drawing.draw_floor_mark(axes, _line_corners(line), line.gray)
    for charger in world.chargers:
        corners = box_corners(charger.length_m, charger.width_m)
        pose = charger.x_m, charger.y_m, 0.0
        floor_drawing.draw_body(axes, floor_drawing.placed(corners, pose), BodyKind.CHARGER)
    known = experiment.fleet.floor
    floor_drawing.draw_configured_floor(axes, _ends(known.walls), known.keep_out)
    floor_drawing.draw_walls(axes, _ends(world.walls_m))
    _draw_footer(axes, faults)
    return axes


def _ends(
    walls_m: Iterable[tuple[float, float, float, float]],
) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    return [((x1_m, y1_m), (x2_m, y2_m)) for x1_m, y1_m, x2_m, y2_m in walls_m]


def draw_objects(axes: Axes, world: WorldConfig, run: Run, row: int, *, has_names: bool = False) -> list[Polygon]:
    """Draw the objects at their poses in a row of the recording; return their outlines."""
    bodies = []
    for index, config in enumerate(world.objects):
        pose = object_pose(run, len(world.robots) + index, row)
        kind = BodyKind.OBJECT if config.movable else BodyKind.FIXTURE
        corners, name = floor_drawing.placed(object_outline_m(config), pose), config.name if has_names else ""
        bodies.append(floor_drawing.draw_body(axes, corners, kind, name))
    return bodies


def draw_moved_objects(axes: Axes, world: WorldConfig, run: Run) -> None:
    """Draw the initial outlines of moved objects, dashed."""
    for index, config in enumerate(world.objects):
        start, end = (object_pose(run, len(world.robots) + index, row) for row in (0, -1))
        if math.dist(start[:2], end[:2]) > _MOVED_M:
            corners = floor_drawing.placed(object_outline_m(config), start)
            style: dict[str, Any] = {
                "edgecolor": BodyKind.OBJECT.value[1],
                "linewidth": 0.8,
                "linestyle": (0, (2.0, 2.0)),
            }
            axes.add_patch(Polygon(corners, facecolor="none", zorder=2.9, **style))


def object_pose(run: Run, body: int, row: int) -> list[float]:
    """Return the pose of a movable body in a row of the recording."""
    pose: list[float] = run.recording.movers[row, body].tolist()
    return pose


def draw_goals(axes: Axes, run: Run) -> None:
    """Draw the goals and paths of all tasks that were sent."""
    for assignment in run.assignments:
        course = followed(assignment.request)
        number = "" if assignment.robot_id is None else str(assignment.robot_id)
        if course is not None:
            axes.plot(*course.places.T, color=QUIET, linestyle=(0, (4, 3)), linewidth=0.9, zorder=2.2)
        for leg in assignment.request.legs if assignment.request is not None else ():
            if isinstance(leg, DriveLeg):
                goal = leg.goal
                floor_drawing.draw_goal(axes, (goal.x_m, goal.y_m, goal.heading_rad), number, Tone.BUSY)


def draw_stations(axes: Axes, experiment: Experiment) -> None:
    """Draw the fleet's stations."""
    for station in experiment.fleet.stations:
        floor_drawing.draw_station(axes, (station.pose.x_m, station.pose.y_m), station.name)


def draw_homes(axes: Axes, experiment: Experiment, run: Run | None) -> bool:
    """Draw homes, for a run only those of robots that do not end there; return whether there are any."""
    recording = run.recording if run is not None else None
    ends = {} if recording is None else dict(zip(recording.robot_ids, recording.truth[-1].tolist(), strict=True))
    has_homes = False
    for robot in experiment.fleet.robots:
        home = robot.home
        if robot.id not in ends or math.dist(ends[robot.id][:2], (home.x_m, home.y_m)) > _AT_HOME_M:
            pose = home.x_m, home.y_m, home.heading_rad
            floor_drawing.draw_home(axes, thymio().vertices_m.tolist(), pose, str(robot.id))
            has_homes = True
    return has_homes


def draw_contact(axes: Axes, mark: ContactMark) -> Artist:
    """Draw the place of a contact."""
    style: dict[str, Any] = {"color": VERMILION, "markersize": 7.0, "markeredgewidth": 1.6, "linestyle": "none"}
    return axes.plot([mark.x_m], [mark.y_m], marker="x", zorder=7.0, **style)[0]


def draw_faults(axes: Axes, marks: Sequence[FaultMark]) -> list[tuple[float, Annotation]]:
    """Draw the faults' letters next to the affected robots; return each with the time of its fault."""
    drawn: list[tuple[float, Annotation]] = []
    for mark in marks:
        for place in mark.places:
            beside = sum(math.dist(place, letter.xy) < _SAME_PLACE_M for _, letter in drawn)
            drawn.append((mark.at_s, _draw_letter(axes, mark.letter, place, beside)))
    return drawn


def _draw_letter(axes: Axes, letter: str, place: tuple[float, float], beside: int) -> Annotation:
    """Draw a letter, to the left of other letters at the same place."""
    box: dict[str, Any] = {
        "boxstyle": "round,pad=0.18",
        "facecolor": ORANGE,
        "edgecolor": LIGHT_GROUND,
        "linewidth": 0.6,
    }
    style: dict[str, Any] = {
        "textcoords": "offset points",
        "fontsize": 6.5,
        "fontweight": "bold",
        "color": INK,
        "bbox": box,
    }
    offset = -11.0 - 11.0 * beside, 9.0
    return axes.annotate(letter, place, xytext=offset, ha="center", va="center", zorder=6.5, **style)


def draw_legend(
    axes: Axes, tones: Iterable[Tone], run: Run, contacts: Sequence[ContactMark], *, has_homes: bool, has_waits: bool
) -> None:
    """Draw the legend to the right of the floor."""
    handles = [*floor_drawing.state_handles(tones), *([floor_drawing.home_handle()] if has_homes else [])]
    requests = [assignment.request for assignment in run.assignments if assignment.request is not None]
    if any(isinstance(leg, DriveLeg) for request in requests for leg in request.legs):
        handles.append(floor_drawing.goal_handle())
    if any(followed(request) is not None for request in requests):
        handles.append(Line2D([], [], color=QUIET, linestyle=(0, (4, 3)), linewidth=0.9, label="path"))
    handles.append(Line2D([], [], color=QUIET, marker="o", markersize=4.0, linestyle="none", label="start"))
    if has_waits:
        handles.append(floor_drawing.wait_handle())
    if contacts:
        style: dict[str, Any] = {"color": VERMILION, "markersize": 6.0, "markeredgewidth": 1.6, "linestyle": "none"}
        handles.append(Line2D([], [], marker="x", label=f"contact ({len(contacts)})", **style))
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8, borderpad=0.3)


def _place(figure: Figure, world: WorldConfig, faults: Sequence[FaultMark]) -> tuple[float, float, float, float]:
    """Set the size of the figure to fit the shape of the floor; return the floor's place in the figure."""
    bottom_in = _BOTTOM_IN + _FAULT_IN * math.ceil(len(faults) / _FAULT_COLUMNS)
    shape = world.arena.height_m / world.arena.width_m
    floor_in = min(_WIDTH_IN - _LEFT_IN - _RIGHT_IN, (_HIGHEST_IN - _TOP_IN - bottom_in) / shape)
    width_in, height_in = floor_in + _LEFT_IN + _RIGHT_IN, floor_in * shape + _TOP_IN + bottom_in
    figure.set_size_inches(width_in, height_in)
    return _LEFT_IN / width_in, bottom_in / height_in, floor_in / width_in, floor_in * shape / height_in


def _draw_footer(axes: Axes, faults: Sequence[FaultMark]) -> None:
    """Draw the scale bar and one entry for each fault below the floor."""
    low_m, high_m = axes.get_xlim()
    inch_m = floor_drawing.metres_per_inch(axes)
    floor_drawing.draw_scale(axes, high_m - scale_length_m(high_m - low_m), -_SCALE_IN * inch_m)
    for number, mark in enumerate(faults):
        row, column = divmod(number, _FAULT_COLUMNS)
        place = (
            low_m + column * (high_m - low_m + _RIGHT_IN * inch_m) / _FAULT_COLUMNS,
            -(0.6 + _FAULT_IN * row) * inch_m,
        )
        axes.text(*place, f"{mark.letter}  {mark.words}", fontsize=7, color=INK, va="center", clip_on=False)


def _line_corners(line: LineConfig) -> list[tuple[float, float]]:
    x1_m, y1_m, x2_m, y2_m = line.ends_m
    length_m, half_m = math.hypot(x2_m - x1_m, y2_m - y1_m), 0.5 * line.width_m
    pose = x1_m, y1_m, math.atan2(y2_m - y1_m, x2_m - x1_m)
    return floor_drawing.placed([(0.0, -half_m), (length_m, -half_m), (length_m, half_m), (0.0, half_m)], pose)
