"""Waypoints become lines and arcs within a tolerance; dense ones are a curve, sharp corners are turns on the spot."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from fleet.geometry import Pose2D
from fleet.paths.fitted_path import fitted_path
from fleet.paths.path import Path
from fleet.paths.pieces import Arc
from fleet.paths.polyline import Point, polyline
from fleet.paths.shapes import STAR_M, shape_path
from fleet.trajectories.limits import Limits
from fleet.trajectories.timing import plan_fastest
from thymio_base.parts import WorkInParts, finished

Array = NDArray[np.float64]

CORNER_M = 0.01
RADIUS_M = 0.6
FOLLOWING = Limits(
    speed_mps=0.14,
    acceleration_mps2=0.12,
    turn_radps=2.8,
    turn_acceleration_radps2=8.0,
    wheel_mps=0.155,
    wheel_acceleration_mps2=1.0,
    wheel_step_mps=0.05,
    lateral_mps2=1.0,
)


def fit(points_m: Sequence[Point], is_closed: bool = False, corner_m: float = CORNER_M) -> Path:
    path = finished(fitted_path(points_m, is_closed, corner_m))
    Path(path.pieces)  # no gap, and no kink
    return path


def quarter_circle(count: int) -> list[Point]:
    angles_rad = np.linspace(0.0, 0.94 / RADIUS_M, count)
    return [(RADIUS_M * math.sin(angle), RADIUS_M * (1.0 - math.cos(angle))) for angle in angles_rad.tolist()]


def moved(points_m: Sequence[Point], by_m: Array) -> list[Point]:
    return [(x_m, y_m) for x_m, y_m in (np.array(points_m) + by_m).tolist()]


def with_uniform_noise(points_m: Sequence[Point], size_m: float) -> list[Point]:
    return moved(points_m, np.random.default_rng(len(points_m)).uniform(-size_m, size_m, (len(points_m), 2)))


def with_normal_noise(points_m: Sequence[Point], std_m: float) -> list[Point]:
    return moved(points_m, np.random.default_rng(3).normal(0.0, std_m, (len(points_m), 2)))


def duration_s(path: Path) -> float:
    return plan_fastest(path, FOLLOWING).duration_s


def turns(path: Path) -> int:
    return sum(piece.length_m == 0.0 for piece in path.pieces)


def places_of(path: Path, step_m: float = 0.001) -> Array:
    along_m = np.linspace(0.0, path.length_m, 2 + math.ceil(path.length_m / step_m)).tolist()
    return np.array([(pose.x_m, pose.y_m) for pose in (path.sample(s_m).pose for s_m in along_m)])


def farthest_m(places: Array, others: Array) -> float:
    """Return how far the place that is farthest from others is from them; both in steps of a millimetre."""
    return max(
        float(
            np.hypot(*(places[first : first + 200, None, :] - others[None, :, :]).transpose(2, 0, 1)).min(axis=1).max()
        )
        for first in range(0, len(places), 200)
    )


ARC_S = duration_s(Path([Arc(Pose2D(0.0, 0.0, 0.0), 0.94, 1.0 / RADIUS_M)]))


@pytest.mark.parametrize("count", [5, 10, 20, 50, 100, 200])
def test_points_of_a_quarter_circle_take_as_long_as_the_arc(count: int) -> None:
    path = fit(quarter_circle(count))
    assert duration_s(path) <= 1.02 * ARC_S
    assert turns(path) == 0


@pytest.mark.parametrize("count", [10, 50, 200])
@pytest.mark.parametrize("size_m", [0.001, 0.003, 0.005])
def test_noise_of_recorded_points_does_not_make_a_curve_slow(count: int, size_m: float) -> None:
    path = fit(with_uniform_noise(quarter_circle(count), size_m))
    assert duration_s(path) <= 1.1 * ARC_S


def test_points_with_normal_noise_are_a_curve_too() -> None:
    path = fit(with_normal_noise(quarter_circle(100), 0.003))
    assert duration_s(path) <= 1.1 * ARC_S


@pytest.mark.parametrize(("name", "size_m"), [("circle", 0.1), ("circle", 0.6), ("eight", 0.4), ("eight", 1.0)])
@pytest.mark.parametrize("count", [20, 200])
def test_closed_points_of_a_shape_take_as_long_as_the_shape_and_can_be_driven_in_laps(
    name: str, size_m: float, count: int
) -> None:
    shape = shape_path(name, size_m)
    poses = [shape.sample(shape.length_m * index / count).pose for index in range(count)]
    lap = fit([(pose.x_m, pose.y_m) for pose in poses], is_closed=True)
    assert lap.is_closed
    assert duration_s(lap.repeated(3)) <= 1.1 * duration_s(shape.repeated(3))


@given(st.data())
@settings(max_examples=20, deadline=None)
def test_path_and_lines_are_close_to_each_other_everywhere(data: st.DataObject) -> None:
    steps_m = st.tuples(st.floats(-0.15, 0.15), st.floats(-0.15, 0.15)).filter(lambda step: math.hypot(*step) > 0.002)
    moves_m = np.array(data.draw(st.lists(steps_m, min_size=3, max_size=12)))
    points_m = [(x_m, y_m) for x_m, y_m in np.cumsum(moves_m, axis=0).tolist()]
    is_closed = data.draw(st.booleans()) and math.dist(points_m[0], points_m[-1]) > 0.002
    corner_m = data.draw(st.sampled_from([0.003, 0.01, 0.03]))
    driven, given_m = places_of(fit(points_m, is_closed, corner_m)), places_of(polyline(points_m, is_closed))
    assert farthest_m(driven, given_m) <= corner_m + 0.0006
    assert farthest_m(given_m, driven) <= corner_m + 0.0006


@pytest.mark.parametrize("is_closed", [True, False])
@pytest.mark.parametrize("gap_m", [0.0012, 0.00245])
def test_waypoint_just_after_a_stop_leaves_no_gap(gap_m: float, is_closed: bool) -> None:
    end_m = 0.375 + gap_m
    path = fit([(0.0, 0.125), (0.0, 0.25), (0.0, 0.375), (0.0, end_m), (0.0, 0.125 + gap_m)], is_closed, 0.03)
    assert abs(path.start.y_m - 0.125) < 1e-9
    closed = fit([(0.0, 0.125), (0.0, 0.25), (0.0, 0.375), (0.0, end_m)], True, 0.03)
    assert abs(closed.end.y_m - 0.125) < 1e-9


def test_noisy_points_remain_within_the_tolerance() -> None:
    points_m = with_normal_noise(quarter_circle(40), 0.005)
    driven, given_m = places_of(fit(points_m)), places_of(polyline(points_m, is_closed=False))
    assert max(farthest_m(driven, given_m), farthest_m(given_m, driven)) <= CORNER_M + 0.0006


@pytest.mark.parametrize("points_m", [[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], STAR_M])
def test_sharp_corners_of_long_edges_are_turns_on_the_spot_as_without_a_tolerance(points_m: Sequence[Point]) -> None:
    path, exact = fit(points_m, is_closed=True), polyline(points_m, is_closed=True)
    assert duration_s(path) == pytest.approx(duration_s(exact))
    assert places_of(path, 0.1) == pytest.approx(places_of(exact, 0.1), abs=1e-9)


@pytest.mark.parametrize("turn_deg", [20, 45, 65])
def test_corners_that_are_not_sharp_are_rounded_which_is_faster(turn_deg: int) -> None:
    turn_rad = math.radians(turn_deg)
    points_m = [(0.0, 0.0), (0.5, 0.0), (0.5 + 0.5 * math.cos(turn_rad), 0.5 * math.sin(turn_rad))]
    path = fit(points_m)
    assert turns(path) == 0
    assert duration_s(path) < 0.9 * duration_s(polyline(points_m, is_closed=False))
    assert fit(points_m, corner_m=0.0).pieces == polyline(points_m, is_closed=False).pieces


def test_dense_points_with_corners_keep_the_corners() -> None:
    side = [index / 25.0 for index in range(25)]
    points_m = [(x, 0.0) for x in side] + [(1.0, y) for y in side]
    points_m += [(1.0 - x, 1.0) for x in side] + [(0.0, 1.0 - y) for y in side]
    assert turns(fit(points_m, is_closed=True)) == 4
    noisy = with_uniform_noise(points_m, 0.001)
    assert turns(fit(noisy, is_closed=True)) == 4


def test_path_that_turns_back_stops_at_the_tip() -> None:
    there = [(0.01 * index, 0.0) for index in range(50)]
    path = fit([*there, *there[-2::-1]])
    assert turns(path) == 1
    assert path.length_m == pytest.approx(0.98)


def test_tight_bend_of_dense_points_is_driven_without_a_stop() -> None:
    bend = [(0.49 + 0.02 * math.sin(angle), 0.02 - 0.02 * math.cos(angle)) for angle in np.linspace(0.1, 3.14, 20)]
    points_m = (
        [(0.01 * index, 0.0) for index in range(50)] + bend + [(0.49 - 0.01 * index, 0.04) for index in range(50)]
    )
    assert turns(fit(points_m)) == 0


def test_points_in_a_row_are_one_line() -> None:
    assert len(fit([(0.01 * index, 0.0) for index in range(121)]).pieces) == 1


def test_repeated_points_count_once() -> None:
    points_m = quarter_circle(20)
    repeated = [point_m for point_m in points_m for _ in range(3)]
    assert fit(repeated).pieces == fit(points_m).pieces


def test_closed_path_with_a_small_tolerance_can_be_driven_in_laps() -> None:
    points_m = with_normal_noise([(0.2 * math.cos(0.7 * k), 0.3 * math.sin(0.7 * k)) for k in range(8)], 0.02)
    assert fit(points_m, is_closed=True, corner_m=0.001).is_closed


def test_path_smaller_than_the_tolerance_keeps_its_shape() -> None:
    points_m = [(0.0, 0.0), (0.01, 0.0), (0.01, 0.01), (0.0, 0.01)]
    driven, given_m = places_of(fit(points_m, True, 0.1), 0.0002), places_of(polyline(points_m, is_closed=True), 0.0002)
    assert farthest_m(given_m, driven) <= 0.0016


def test_same_points_give_the_same_path() -> None:
    points_m = with_normal_noise(quarter_circle(50), 0.003)
    assert fit(points_m).pieces == fit(points_m).pieces


def test_the_longest_path_takes_few_parts_and_leads_where_it_always_did() -> None:
    rows = [divmod(index, 12) for index in range(1000)]
    points = [
        (0.3 * (place if row % 2 == 0 else 11 - place) + 0.01 * (row % 7), 0.1 * (row % 13)) for row, place in rows
    ]
    work, parts = WorkInParts(fitted_path(points, is_closed=False, corner_m=0.01)), 1
    while work.do_part():
        parts += 1
    assert parts < 600
    assert (len(work.result.pieces), work.result.length_m) == (388, 289.849546691276)
    here = work.result.sample(200.0).pose
    assert (here.x_m, here.y_m) == (1.6173517105850381, 0.5000000000000002)
