"""Pictures of a scene, in characters and in files."""

import math
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from fleet.geometry import Pose2D
from fleet.view.braille import Canvas
from fleet.view.drawing import save_picture
from fleet.view.scene import Material, Patch, Scene, SceneFloor
from fleet.view.terminal import terminal_picture

BORDER = (((0.0, 0.0), (2.0, 0.0)), ((2.0, 0.0), (2.0, 1.0)), ((2.0, 1.0), (0.0, 1.0)), ((0.0, 1.0), (0.0, 0.0)))
CRATE = Patch(Material.OBJECT, ((1.5, 0.4), (1.6, 0.4), (1.6, 0.5), (1.5, 0.5)))
LINE = Patch(Material.FLOOR, ((0.2, 0.1), (1.8, 0.1), (1.8, 0.14), (0.2, 0.14)), 0.0)


@pytest.fixture
def scene() -> Scene:
    drawn = Scene(SceneFloor(BORDER, (LINE, CRATE)), time_s=12.34)
    drawn.update_robot("1", Pose2D(0.5, 0.5, 0.0))
    drawn.update_robot("2", Pose2D(1.0, 0.8, 1.0))
    return drawn


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
    assert text.endswith("2 robots, 12.3 s of simulated time")


def test_empty_scene_has_a_picture(tmp_path: Path) -> None:
    assert terminal_picture(Scene(), 40, 10).plain.endswith("no robots yet")
    save_picture(Scene(), tmp_path / "empty.png")
    assert size_of(tmp_path / "empty.png")[0] > 100


def test_picture_has_the_shape_of_the_floor(scene: Scene, tmp_path: Path) -> None:
    save_picture(scene, tmp_path / "scene.png")
    width, height = size_of(tmp_path / "scene.png")
    margin = 2.0 * 0.03 * 2.0
    assert width / height == pytest.approx((2.0 + margin) / (1.0 + margin), rel=0.01)


def test_dots_of_the_picture_show_what_stands_there(scene: Scene, tmp_path: Path) -> None:
    save_picture(scene, tmp_path / "scene.png")
    with Image.open(tmp_path / "scene.png") as opened:
        picture = opened.convert("RGB")
    scale, margin_m = picture.width / 2.12, 0.06

    def dot(x_m: float, y_m: float) -> tuple[int, ...]:
        found = picture.getpixel((round((x_m + margin_m) * scale), picture.height - round((y_m + margin_m) * scale)))
        assert isinstance(found, tuple)
        return found

    assert dot(1.0, 0.12) == (0, 0, 0)
    assert dot(1.0, 0.3) == (255, 255, 255)
    assert dot(1.55, 0.45) == (0xD9, 0xA0, 0x66)


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


def test_body_is_as_long_and_wide_as_a_thymio() -> None:
    scene = Scene()
    scene.update_robot("1", Pose2D(0.0, 0.0, 0.0))
    xs, ys = zip(*scene.robots["1"].outline_m(), strict=True)
    assert (min(xs), max(xs)) == pytest.approx((-0.03, 0.08))
    assert (min(ys), max(ys)) == pytest.approx((-0.055, 0.055))
