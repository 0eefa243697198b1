import math

import pytest

from fleet.errors import PathError
from fleet.paths.shapes import SHAPES, circle, shape_path, star


@pytest.mark.parametrize(
    ("name", "length_m"),
    [
        ("straight", 2.0),
        ("square", 4.0),
        ("star", 11.344),
        ("circle", 0.6 * math.pi),
        ("eight", 2.622057554292119),
    ],
)
def test_paths_of_the_experiments_have_the_published_lengths(name: str, length_m: float) -> None:
    assert shape_path(name).length_m == pytest.approx(length_m, abs=1e-4)


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_is_closed_and_starts_at_the_origin(name: str) -> None:
    path = shape_path(name, 0.7)
    assert path.is_closed
    assert math.hypot(path.start.x_m, path.start.y_m) < 1e-12


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_grows_with_its_size(name: str) -> None:
    assert shape_path(name, 2.0).length_m == pytest.approx(2.0 * shape_path(name, 1.0).length_m)


def test_circle_has_constant_curvature() -> None:
    assert [circle(0.6).sample(s_m).curvature_per_m for s_m in (0.0, 0.5, 1.8)] == [pytest.approx(1.0 / 0.3)] * 3


def test_the_star_has_ten_corners() -> None:
    assert sum(piece.turn_rad != 0.0 for piece in star().pieces) == 10


def test_error_for_an_unknown_shape_lists_the_known_ones() -> None:
    with pytest.raises(PathError, match="no path 'cirle'; there are straight, square, star, circle, eight"):
        shape_path("cirle")


@pytest.mark.parametrize("size_m", [0.0, -1.0, math.inf, math.nan])
def test_shape_size_must_be_positive(size_m: float) -> None:
    with pytest.raises(PathError, match="the path eight cannot be"):
        shape_path("eight", size_m)
