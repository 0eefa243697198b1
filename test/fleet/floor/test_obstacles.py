import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.floor.obstacles import Area, Obstacles, Segment

SQUARE = Area([(1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0)])
NOTCHED = Area([(0.0, 0.0), (3.0, 0.0), (3.0, 3.0), (2.0, 3.0), (2.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)])

coordinates = st.floats(-5.0, 5.0)
segments = st.builds(Segment, coordinates, coordinates, coordinates, coordinates)


def least_of_samples(first: Segment, second: Segment, count: int = 60) -> float:
    shares = [index / count for index in range(count + 1)]
    return min(
        second.distance_m(first.x1_m + s * (first.x2_m - first.x1_m), first.y1_m + s * (first.y2_m - first.y1_m))
        for s in shares
    )


@pytest.mark.parametrize(
    ("x_m", "y_m", "expected_m"), [(0.5, 0.3, 0.3), (-0.3, 0.4, 0.5), (1.3, -0.4, 0.5), (0.2, 0.0, 0.0)]
)
def test_distance_from_a_segment_is_that_to_its_nearest_point(x_m: float, y_m: float, expected_m: float) -> None:
    assert Segment(0.0, 0.0, 1.0, 0.0).distance_m(x_m, y_m) == pytest.approx(expected_m)


def test_distance_from_a_segment_without_length_is_that_to_its_point() -> None:
    assert Segment(1.0, 1.0, 1.0, 1.0).distance_m(1.3, 1.4) == pytest.approx(0.5)


def test_segments_that_cross_have_no_gap() -> None:
    assert Segment(0.0, 0.0, 1.0, 1.0).gap_m(Segment(0.0, 1.0, 1.0, 0.0)) == 0.0


@given(segments, segments)
def test_gap_of_two_segments_is_the_least_distance_of_their_points(first: Segment, second: Segment) -> None:
    step_m = math.hypot(first.x2_m - first.x1_m, first.y2_m - first.y1_m) / 60
    least_m = least_of_samples(first, second)
    assert least_m - step_m - 1e-9 <= first.gap_m(second) <= least_m + 1e-9


@pytest.mark.parametrize(("x_m", "y_m", "inside"), [(1.5, 1.5, True), (0.5, 1.5, False), (2.5, 1.5, False)])
def test_area_contains_what_its_outline_encloses(x_m: float, y_m: float, inside: bool) -> None:
    assert SQUARE.contains(x_m, y_m) is inside


@pytest.mark.parametrize(
    ("x_m", "y_m", "inside"), [(0.5, 2.0, True), (1.5, 2.0, False), (2.5, 2.0, True), (1.5, 0.5, True)]
)
def test_area_may_have_a_notch(x_m: float, y_m: float, inside: bool) -> None:
    assert NOTCHED.contains(x_m, y_m) is inside


def test_clearance_is_infinite_without_obstacles() -> None:
    assert math.isinf(Obstacles().clearance_m(0.0, 0.0))


def test_clearance_inside_an_area_is_zero() -> None:
    assert Obstacles(areas=[SQUARE]).clearance_m(1.5, 1.5) == 0.0


def test_clearance_is_the_distance_to_the_nearest_obstacle() -> None:
    obstacles = Obstacles([Segment(0.0, 0.0, 4.0, 0.0)], [SQUARE])
    assert obstacles.clearance_m(1.5, 0.7) == pytest.approx(0.3)
    assert obstacles.clearance_m(3.0, 0.4) == pytest.approx(0.4)


def test_clearance_along_a_line_that_crosses_an_area_is_zero() -> None:
    assert Obstacles(areas=[SQUARE]).clearance_along_m(Segment(0.0, 1.5, 3.0, 1.5)) == 0.0


def test_clearance_along_a_line_inside_an_area_is_zero() -> None:
    assert Obstacles(areas=[SQUARE]).clearance_along_m(Segment(1.2, 1.5, 1.8, 1.5)) == 0.0


def test_clearance_along_a_line_that_passes_is_its_least_distance() -> None:
    assert Obstacles(areas=[SQUARE]).clearance_along_m(Segment(0.0, 0.8, 3.0, 0.8)) == pytest.approx(0.2)
