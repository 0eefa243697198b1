"""Draws a scene in a terminal."""

import math
from itertools import pairwise

from rich.text import Text

from aseba_link.thymio.robot_outline import NOSE_M, REAR_M
from fleet.interface.seen_floor import Material
from fleet.view.braille import Canvas
from fleet.view.scene import Scene, SceneRobot, caption
from thymio_base.drawing.scale_bar import scale_length_m
from thymio_base.palette import Tone

_PATCHES = {
    Material.FLOOR: "grey50",
    Material.OBJECT: "orange3",
    Material.FIXTURE: "grey62",
    Material.CHARGER: "dark_sea_green4",
}
_BRIGHT = 0.7  # brighter marks are no more visible than the floor itself
_MIDDLE_M = 0.5 * (NOSE_M - REAR_M)  # of a body, ahead of its axle
_DASH_M = 0.07  # between the dots of a plan


def terminal_picture(scene: Scene, columns: int, rows: int) -> Text:
    """Return the scene as `columns` by `rows` characters; the last row is the caption."""
    canvas = Canvas(columns, rows - 1, scene.bounds_m())
    for patch in scene.ground.patches:
        if patch.material is not Material.FLOOR:
            canvas.line(patch.points_m, _PATCHES[patch.material], closed=True)
        elif patch.gray < _BRIGHT:
            canvas.fill(patch.points_m, _PATCHES[patch.material], every=2)
    for ends in scene.ground.walls_m:
        canvas.line(ends, "bold")
    for draw in (_draw_way, _draw_body, _draw_labels):
        for robot in scene.robots.values():
            draw(canvas, robot)
    return Text("\n").join([canvas.text(), _bottom(scene, canvas, columns)])


def _draw_way(canvas: Canvas, robot: SceneRobot) -> None:
    """Draw a robot's track, its plan, and its home."""
    canvas.points(robot.track_m, "grey50")
    plan = robot.plan_m
    for (x1_m, y1_m), (x2_m, y2_m) in pairwise(plan):
        count = max(1, round(math.hypot(x2_m - x1_m, y2_m - y1_m) / _DASH_M))
        shares = [step / count for step in range(count + 1)]
        canvas.points([(x1_m + s * (x2_m - x1_m), y1_m + s * (y2_m - y1_m)) for s in shares], robot.tone.terminal)
    home = robot.free_home
    if home is not None:
        canvas.label((home.x_m, home.y_m), f"⌂{robot.label}", Tone.IDLE.terminal, is_centered=True)
    for x_m, y_m, *_ in robot.goals:
        canvas.label((x_m, y_m), f"◎{robot.label}", robot.tone.terminal, is_centered=True)


def _draw_body(canvas: Canvas, robot: SceneRobot) -> None:
    canvas.line(robot.outline_m(), robot.tone.terminal, closed=True)
    canvas.line([robot.at(0.0, 0.0), robot.at(NOSE_M, 0.0)], robot.tone.terminal)


def _draw_labels(canvas: Canvas, robot: SceneRobot) -> None:
    """Write a robot's number inside it, with the sign of its state if it needs attention."""
    sign = robot.tone.sign if robot.tone.urgency >= Tone.WARNING.urgency else ""
    canvas.label(robot.at(_MIDDLE_M, 0.0), f"{robot.label}{sign}", f"bold {robot.tone.terminal}", is_centered=True)


def _bottom(scene: Scene, canvas: Canvas, columns: int) -> Text:
    """Return the last line: a scale bar and the caption."""
    length_m = scale_length_m(canvas.width_m)
    inner = max(round(length_m * canvas.characters_per_m) - 2, 0)
    line = Text(f"├{'─' * inner}┤ {length_m:g} m   {caption(scene)}", style="dim", no_wrap=True)
    line.truncate(columns, overflow="ellipsis")
    return line
