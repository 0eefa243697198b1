"""Pictures on the floor, as seen by ground sensors."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from simulator.sensors.floor import Floor, FloorImage, read_pixels

Array = NDArray[np.float64]

WINDOW_M = 0.004


def written(folder: Path, name: str, pixels: list[list[int]]) -> Path:
    path = folder / name
    Image.fromarray(np.array(pixels, dtype=np.uint8)).save(path)
    return path


def edge(pixel_m: float = 0.001) -> Floor:
    """Return a floor that is black for x below 0.1 m, and white beyond."""
    columns = round(0.2 / pixel_m)
    pixels = np.zeros((round(0.1 / pixel_m), columns))
    pixels[:, columns // 2 :] = 1.0
    return Floor(1.0, FloorImage(pixels, 0.0, 0.0, 0.2, 0.1))


def gray(floor: Floor, x_m: float, y_m: float) -> float:
    return float(floor.gray(np.array([x_m, y_m])))


@pytest.mark.parametrize("name", ["floor.png", "floor.pgm"])
def test_first_row_of_a_picture_is_at_the_top(tmp_path: Path, name: str) -> None:
    pixels = read_pixels(written(tmp_path, name, [[0, 0], [255, 255]]))
    floor = Floor(0.5, FloorImage(pixels, 0.0, 0.0, 0.4, 0.4))
    assert [gray(floor, 0.2, 0.35), gray(floor, 0.2, 0.05)] == pytest.approx([0.0, 1.0], abs=0.01)


def test_colours_become_gray_and_transparent_pixels_white(tmp_path: Path) -> None:
    image = Image.new("RGBA", (2, 1))
    image.putpixel((0, 0), (255, 0, 0, 255))
    image.save(tmp_path / "floor.png")
    assert read_pixels(tmp_path / "floor.png")[0].tolist() == pytest.approx([76 / 255, 1.0])


@settings(deadline=None)
@given(st.floats(-0.015, 0.015))
def test_floor_edge_is_blurred_by_the_window(x_m: float) -> None:
    share = 0.5 * (1.0 + math.erf(x_m / WINDOW_M / math.sqrt(2.0)))
    assert gray(edge(), 0.1 + x_m, 0.05) == pytest.approx(share, abs=0.01)


def test_large_pixels_have_sharp_edges() -> None:
    floor = Floor(1.0, FloorImage(np.array([[0.0, 1.0]]), 0.0, 0.0, 0.4, 0.2))
    assert [gray(floor, 0.18, 0.1), gray(floor, 0.2, 0.1), gray(floor, 0.22, 0.1)] == pytest.approx(
        [0.0, 0.5, 1.0], abs=0.01
    )


def test_floor_beyond_the_picture_is_bare() -> None:
    floor = Floor(0.3, FloorImage(np.zeros((50, 50)), 0.5, 0.5, 0.1, 0.1))
    assert [gray(floor, 0.55, 0.55), gray(floor, 0.2, 0.55), gray(floor, 0.55, 5.0)] == pytest.approx([0.0, 0.3, 0.3])


def test_edge_of_the_picture_is_blurred_as_well() -> None:
    floor = Floor(1.0, FloorImage(np.zeros((100, 100)), 0.5, 0.5, 0.1, 0.1))
    assert gray(floor, 0.5, 0.55) == pytest.approx(0.5, abs=0.01)


def test_picture_of_one_pixel_fills_its_area() -> None:
    floor = Floor(1.0, FloorImage(np.zeros((1, 1)), 0.0, 0.0, 1.0, 1.0))
    assert gray(floor, 0.5, 0.5) == pytest.approx(0.0, abs=0.01)


def test_floor_without_a_picture_has_one_gray() -> None:
    assert Floor(0.7, None).gray(np.zeros((3, 2, 2))).tolist() == [[0.7, 0.7]] * 3


def test_pixels_of_a_large_picture_are_averaged(tmp_path: Path) -> None:
    image = Image.new("1", (8000, 1002), 1)
    image.paste(0, (0, 0, 8000, 501))
    image.save(tmp_path / "floor.png")
    pixels = read_pixels(tmp_path / "floor.png")
    assert pixels.shape == (501, 4000)
    assert pixels[[0, 249, 250, 500], 7].tolist() == pytest.approx([0.0, 0.0, 0.5, 1.0], abs=0.01)


def test_file_that_is_not_a_picture_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "floor.png"
    path.write_text("no picture")
    with pytest.raises(ValueError, match="not an image"):
        read_pixels(path)


def test_missing_picture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="No such file"):
        read_pixels(tmp_path / "floor.png")
