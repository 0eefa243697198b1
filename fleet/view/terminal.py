"""Draws a scene in a terminal."""

from rich.text import Text

from aseba_link.thymio.robot_outline import NOSE_M
from fleet.view.braille import Canvas
from fleet.view.scene import Material, Scene

_COLOURS = ("bright_cyan", "bright_magenta", "bright_green", "bright_yellow", "bright_red", "bright_blue")
_TRACKS = ("cyan", "magenta", "green", "yellow", "red", "blue")
_PATCHES = {
    Material.FLOOR: "grey42",
    Material.OBJECT: "orange3",
    Material.FIXTURE: "grey62",
    Material.CHARGER: "green3",
}
_LABEL_M = 0.06  # to the left of the axle's middle: not behind the nose of a neighbour
_BRIGHT = 0.7  # brighter marks are no more visible than the floor itself


def terminal_picture(scene: Scene, columns: int, rows: int) -> Text:
    """Return the scene as `columns` by `rows` characters; the last row is the caption."""
    canvas = Canvas(columns, rows - 1, scene.bounds_m())
    for patch in scene.ground.patches:
        if patch.material is not Material.FLOOR:
            canvas.line(patch.points_m, _PATCHES[patch.material], closed=True)
        elif patch.gray < _BRIGHT:
            canvas.fill(patch.points_m, _PATCHES[patch.material], every=2)
    for ends in scene.ground.walls_m:
        canvas.line(ends, "bold white")
    for index, robot in enumerate(scene.robots.values()):
        canvas.points(robot.track_m, _TRACKS[index % len(_TRACKS)])
    for index, robot in enumerate(scene.robots.values()):
        style = _COLOURS[index % len(_COLOURS)]
        canvas.line(robot.outline_m(), style, closed=True)
        canvas.line([robot.at(0.0, 0.0), robot.at(NOSE_M, 0.0)], style)
    for index, robot in enumerate(scene.robots.values()):
        canvas.label(
            (robot.pose.x_m + 0.1, robot.pose.y_m + _LABEL_M), robot.name, f"bold {_COLOURS[index % len(_COLOURS)]}"
        )
    return Text("\n").join([canvas.text(), Text(caption(scene), style="dim", no_wrap=True)])


def caption(scene: Scene) -> str:
    """Return the caption below a picture: how many robots it shows, and the time."""
    if not scene.robots:
        return "no robots yet"
    robots = f"{len(scene.robots)} robot{'' if len(scene.robots) == 1 else 's'}"
    return robots if scene.time_s is None else f"{robots}, {scene.time_s:.1f} s of simulated time"
