import math
from itertools import pairwise

import pytest
from hypothesis import given

from fleet.errors import PathError
from fleet.geometry import wrap_angle
from fleet.paths.pieces import Arc, Turn
from fleet.paths.polyline import Point, polyline, rounded_polyline, there_and_back
from harness.path_strategies import waypoints

SQUARE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


@given(waypoints)
def test_closed_path_through_waypoints_ends_as_it_starts(points_m: list[Point]) -> None:
    assert polyline(points_m, is_closed=True).is_closed


@given(waypoints)
def test_turns_of_a_closed_path_add_up_to_whole_revolutions(points_m: list[Point]) -> None:
    total_rad = sum(piece.turn_rad for piece in polyline(points_m, is_closed=True).pieces)
    assert abs(wrap_angle(total_rad)) < 1e-9


@given(waypoints)
def test_path_passes_its_waypoints_at_their_cumulative_distances(points_m: list[Point]) -> None:
    path = polyline(points_m, is_closed=False)
    s_m = 0.0
    for before, after in pairwise(points_m):
        s_m += math.dist(before, after)
        pose = path.sample(s_m).pose
        assert math.dist((pose.x_m, pose.y_m), after) < 1e-9


def test_robot_does_not_turn_at_collinear_waypoints() -> None:
    path = polyline([(0.0, 0.0), (0.5, 0.0), (1.0, 0.0)], is_closed=False)
    assert len(path.legs) == 1


def test_closed_path_of_two_waypoints_goes_back_and_forth_turning_left() -> None:
    turns = [piece.turn_rad for piece in polyline([(0.0, 0.0), (1.0, 0.3)], is_closed=True).pieces]
    assert turns == [0.0, pytest.approx(math.pi), 0.0, pytest.approx(math.pi)]


def test_single_waypoint_is_refused() -> None:
    with pytest.raises(PathError, match="needs 2 of them, not 1"):
        polyline([(0.0, 0.0)], is_closed=False)


def test_duplicate_waypoint_is_named() -> None:
    with pytest.raises(PathError, match="waypoints 3 and 0 are 0 m apart"):
        polyline([*SQUARE[:3], SQUARE[0]], is_closed=True)


def test_a_rounded_square_is_shorter_by_its_corners() -> None:
    path = rounded_polyline(SQUARE, is_closed=True, radius_m=0.1)
    assert path.length_m == pytest.approx(4.0 - 8 * 0.1 + math.tau * 0.1)
    assert path.is_closed
    assert len(path.legs) == 1


def test_rounded_corners_have_the_radius() -> None:
    path = rounded_polyline([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], is_closed=False, radius_m=0.1)
    assert [piece.curvature_per_m for piece in path.pieces if isinstance(piece, Arc)] == [pytest.approx(10.0)]
    assert not any(isinstance(piece, Turn) for piece in path.pieces)


def test_arc_at_a_right_angle_keeps_the_geometric_distance_to_the_corner() -> None:
    path = rounded_polyline(SQUARE[:3], is_closed=False, radius_m=0.2)
    foot = path.sample(path.project(1.0, 0.0, 1.0, 1.0)).pose
    assert math.dist((foot.x_m, foot.y_m), (1.0, 0.0)) == pytest.approx(0.2 * (math.sqrt(2.0) - 1.0))


def test_a_radius_that_just_fits_leaves_no_lines() -> None:
    path = rounded_polyline(SQUARE, is_closed=True, radius_m=0.5)
    assert path.length_m == pytest.approx(math.pi)


def test_a_radius_that_does_not_fit_is_refused_with_one_that_would() -> None:
    with pytest.raises(PathError, match=r"from waypoint 1, 1 m long.* radius of 0\.6 m.* up to 0\.5 m would fit"):
        rounded_polyline(SQUARE, is_closed=False, radius_m=0.6)


@pytest.mark.parametrize("radius_m", [0.0, -0.1, math.inf, math.nan])
def test_radius_must_be_positive(radius_m: float) -> None:
    with pytest.raises(PathError, match="cannot be rounded with a radius"):
        rounded_polyline(SQUARE, is_closed=True, radius_m=radius_m)


def test_a_corner_that_turns_back_cannot_be_rounded() -> None:
    with pytest.raises(PathError, match=r"waypoint 1, \(1, 0\), turns back"):
        rounded_polyline([(0.0, 0.0), (1.0, 0.0), (0.5, 0.0)], is_closed=False, radius_m=0.01)


@given(waypoints)
def test_there_and_back_is_closed_and_twice_as_long(points_m: list[Point]) -> None:
    path = there_and_back(polyline(points_m, is_closed=False), polyline(points_m[::-1], is_closed=False))
    assert path.is_closed
    assert path.length_m == pytest.approx(2.0 * polyline(points_m, is_closed=False).length_m)
