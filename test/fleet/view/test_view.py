"""Pictures of a scene, in characters and in files."""

import math
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from fleet.geometry import Pose2D
from fleet.interface.seen_floor import Material, Patch, SceneFloor
from fleet.view.braille import Canvas
from fleet.view.drawing import save_picture
from fleet.view.scene import RobotDescription, Scene
from fleet.view.terminal import terminal_picture
from thymio_base.drawing.scale_bar import scale_length_m
from thymio_base.palette import INK, LIGHT_GROUND, OBJECT_FACE, Tone

BORDER = (((0.0, 0.0), (2.0, 0.0)), ((2.0, 0.0), (2.0, 1.0)), ((2.0, 1.0), (0.0, 1.0)), ((0.0, 1.0), (0.0, 0.0)))
CRATE = Patch(Material.OBJECT, ((1.5, 0.4), (1.6, 0.4), (1.6, 0.5), (1.5, 0.5)))
LINE = Patch(Material.FLOOR, ((0.2, 0.1), (1.8, 0.1), (1.8, 0.14), (0.2, 0.14)), 0.0)


@pytest.fixture
def scene() -> Scene:
    drawn = Scene(SceneFloor(BORDER, (LINE, CRATE)), time_s=12.34)
    drawn.update_robot("1", Pose2D(0.5, 0.5, 0.0))
    drawn.update_robot("2", Pose2D(1.0, 0.8, 1.0))
    return drawn


def color(text: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(text.removeprefix("#")))


def rows(canvas: Canvas) -> list[str]:
    return canvas.text().plain.split("\n")


def size_of(path: Path) -> tuple[int, int]:
    with Image.open(path) as picture:
        return picture.size


def test_line_along_the_top_is_the_upper_dots_of_the_first_row() -> None:
    canvas = Canvas(4, 2, (0.0, 0.0, 7.0, 7.0))
    canvas.line([(0.0, 7.0), (7.0, 7.0)], "white")
    assert rows(canvas) == ["⠉⠉⠉⠉"]


def test_y_points_up_and_both_axes_have_the_same_scale() -> None:
    canvas = Canvas(4, 2, (0.0, 0.0, 7.0, 7.0))
    canvas.points([(0.0, 0.0), (7.0, 7.0)], "white")
    assert rows(canvas) == ["   ⠈", "⡀   "]


def test_polygon_is_filled() -> None:
    canvas = Canvas(2, 1, (0.0, 0.0, 3.0, 3.0))
    canvas.fill([(0.0, -1.0), (3.0, -1.0), (3.0, 3.0), (0.0, 3.0)], "white")
    assert rows(canvas) == ["⣿⣿"]


def test_label_stays_inside() -> None:
    canvas = Canvas(6, 2, (0.0, 0.0, 11.0, 7.0))
    canvas.points([(0.0, 0.0)], "white")
    canvas.label((11.0, 7.0), "robot", "white")
    assert rows(canvas) == [" robot", "⡀     "]


@given(st.lists(st.tuples(st.floats(-9.0, 9.0), st.floats(-9.0, 9.0)), min_size=1))
def test_parts_outside_the_canvas_are_omitted(points: list[tuple[float, float]]) -> None:
    canvas = Canvas(5, 3, (0.0, 0.0, 1.0, 1.0))
    canvas.line(points, "white", closed=True)
    canvas.fill(points, "white")
    assert all(len(row) == 5 for row in rows(canvas))


def test_terminal_shows_names_and_the_time(scene: Scene) -> None:
    text = terminal_picture(scene, 60, 20).plain
    assert len(text.split("\n")) <= 20
    assert "1" in text
    assert "2" in text
    assert text.endswith("2 robots: 2 idle; 12.3 s of simulated time")
    assert "┤ 0.2 m" in text


def test_terminal_picture_has_numbers_goals_and_homes(scene: Scene) -> None:
    home = Pose2D(1.8, 0.2, 0.0)
    scene.describe("1", RobotDescription("17", Tone.ERROR, ((1.5, 0.8, 0.0),), home))
    text = terminal_picture(scene, 80, 30).plain
    assert "17◆" in text
    assert "◎17" in text
    assert "⌂17" in text
    assert text.endswith("2 robots: 1 idle, 1 error; 12.3 s of simulated time")


def test_robot_is_described_before_its_first_pose() -> None:
    scene = Scene()
    scene.describe("3", RobotDescription("17", Tone.BUSY))
    scene.update_robot("3", Pose2D(0.5, 0.5, 0.0))
    assert (scene.robots["3"].label, scene.robots["3"].tone) == ("17", Tone.BUSY)


def test_drive_is_planned_from_the_robot_and_a_path_is_not(scene: Scene) -> None:
    robot = scene.robots["1"]
    scene.describe("1", RobotDescription("1", plan=((1.0, 0.5, 0.0), (1.5, 0.8, 0.0))))
    assert robot.plan_m == [(0.5, 0.5), (1.0, 0.5), (1.5, 0.8)]
    assert len(robot.goals) == 2
    scene.describe("1", RobotDescription("1", plan=((1.0, 0.5), (1.5, 0.8))))
    assert robot.plan_m == [(1.0, 0.5), (1.5, 0.8)]
    assert robot.goals == [(1.5, 0.8)]


def test_way_is_drawn_from_the_robot_on(scene: Scene) -> None:
    way_m = ((0.3, 0.5), (0.8, 0.5), (0.8, 0.9), (1.5, 0.9))
    scene.describe("1", RobotDescription("1", plan=((1.5, 0.9, 0.0),), way_m=way_m))
    robot = scene.robots["1"]
    assert robot.plan_m == [(0.5, 0.5), (0.8, 0.5), (0.8, 0.9), (1.5, 0.9)]
    robot.move_to(Pose2D(0.81, 0.7, 1.5))
    assert robot.plan_m == [(0.81, 0.7), (0.8, 0.9), (1.5, 0.9)]
    assert robot.goals == [(1.5, 0.9, 0.0)]


def test_robot_hides_its_own_home(scene: Scene) -> None:
    scene.describe("1", RobotDescription("1", home=Pose2D(0.5, 0.52, 0.0)))
    assert scene.robots["1"].free_home is None


def test_empty_scene_has_a_picture(tmp_path: Path) -> None:
    assert terminal_picture(Scene(), 60, 10).plain.endswith("no robots yet: try thymio-fleet up")
    save_picture(Scene(), tmp_path / "empty.png")
    assert size_of(tmp_path / "empty.png")[0] > 100


def test_picture_has_the_shape_of_the_floor(scene: Scene, tmp_path: Path) -> None:
    save_picture(scene, tmp_path / "scene.png")
    width, height = size_of(tmp_path / "scene.png")
    assert (width - 0.5 * 150) / (height - 0.7 * 150) == pytest.approx(2.0, rel=0.01)


def test_dots_of_the_picture_show_objects_at_their_places(scene: Scene, tmp_path: Path) -> None:
    save_picture(scene, tmp_path / "scene.png")
    with Image.open(tmp_path / "scene.png") as opened:
        picture = opened.convert("RGB")
    scale = (picture.width - 0.5 * 150) / 2.0

    def dot(x_m: float, y_m: float) -> tuple[int, ...]:
        place = round(0.25 * 150 + x_m * scale), picture.height - round(0.45 * 150 + y_m * scale)
        found = picture.getpixel(place)
        assert isinstance(found, tuple)
        return found

    assert dot(1.0, 0.12) == (191, 191, 191)  # a black line is lighter than walls
    assert dot(0.0, 0.5) == color(INK)
    assert dot(1.0, 0.3) == color(LIGHT_GROUND)
    assert dot(1.55, 0.45) == color(OBJECT_FACE)


def test_picture_shows_the_state_of_a_robot(scene: Scene, tmp_path: Path) -> None:
    found = []
    for tone in Tone:
        scene.describe("1", RobotDescription("1", tone, ((1.5, 0.8, 0.0),), Pose2D(1.8, 0.2, 0.0)))
        save_picture(scene, tmp_path / "scene.png")
        with Image.open(tmp_path / "scene.png") as opened:
            colors = opened.convert("RGB").getcolors(1 << 20)
        found.append(color(tone.light) in {shown for _, shown in colors})
    assert all(found)


def test_the_same_scene_is_the_same_svg(scene: Scene, tmp_path: Path) -> None:
    for name in ("one.svg", "other.svg"):
        save_picture(scene, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()


def test_track_has_a_point_every_centimetre_and_drops_its_oldest() -> None:
    scene = Scene()
    for number in range(20_000):
        scene.update_robot("1", Pose2D(0.001 * number, 0.0, 0.0))
    track = scene.robots["1"].track_m
    steps_m = [math.dist(one, other) for one, other in pairwise(track)]
    assert min(steps_m) >= 0.01
    assert len(track) == 400
    assert track[-1][0] == pytest.approx(20.0, abs=0.02)


def test_removed_robot_is_forgotten(scene: Scene) -> None:
    scene.retain(["2"])
    assert list(scene.robots) == ["2"]


def test_scale_bar_has_a_round_length() -> None:
    assert [scale_length_m(width_m) for width_m in (0.1, 1.0, 5.0, 30.0)] == [0.05, 0.2, 1.0, 5.0]


def test_body_is_as_long_and_wide_as_a_thymio() -> None:
    scene = Scene()
    scene.update_robot("1", Pose2D(0.0, 0.0, 0.0))
    xs, ys = zip(*scene.robots["1"].outline_m(), strict=True)
    assert (min(xs), max(xs)) == pytest.approx((-0.03, 0.08))
    assert (min(ys), max(ys)) == pytest.approx((-0.055, 0.055))


def test_robot_that_waits_at_a_place_for_long_has_one_mark_there(scene: Scene) -> None:
    robot = scene.robots["1"]
    robot.wait()
    robot.wait()
    robot.move_to(Pose2D(0.7, 0.5, 0.0))
    robot.wait()
    assert robot.waits_m == [(0.5, 0.5), (0.7, 0.5)]


def test_whole_tracks_keep_every_point() -> None:
    scene = Scene(track_points=None)
    for step in range(500):
        scene.update_robot("1", Pose2D(0.02 * step, 0.0, 0.0))
    assert len(scene.robots["1"].track_m) == 500


def test_legend_names_waits_only_where_there_are_any(scene: Scene, tmp_path: Path) -> None:
    before, after = tmp_path / "before.svg", tmp_path / "after.svg"
    save_picture(scene, before)
    scene.robots["1"].wait()
    save_picture(scene, after)
    assert ("waited" in before.read_text(encoding="utf-8"), "waited" in after.read_text(encoding="utf-8")) == (
        False,
        True,
    )


def test_picture_shows_stations_with_their_names(tmp_path: Path) -> None:
    scene = Scene()
    scene.update_robot("1", Pose2D(0.5, 0.5, 0.0))
    scene.stations["press"] = Pose2D(0.9, 0.6, 0.0)
    save_picture(scene, tmp_path / "picture.svg")
    assert "press" in (tmp_path / "picture.svg").read_text(encoding="utf-8")
