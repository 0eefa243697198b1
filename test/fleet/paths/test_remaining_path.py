import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.geometry import Pose2D
from fleet.paths.path import Path
from fleet.paths.piece_part import highest_mps
from fleet.paths.pieces import Line, Turn
from fleet.paths.remaining_path import remaining_path, with_speeds
from fleet.paths.shapes import shape_path, square
from fleet.trajectories.limits import Limits
from fleet.trajectories.timing import plan_fastest
from harness.path_strategies import limits, paths, poses


@given(paths(), st.floats(0.0, 0.95), st.floats(0.01, 0.99))
def test_remaining_path_leads_where_the_path_leads(path: Path, done: float, share: float) -> None:
    s_m = done * path.length_m
    rest = remaining_path(path, s_m)
    ahead_m = share * rest.length_m
    expected, found = path.sample(s_m + ahead_m), rest.sample(ahead_m)
    assert rest.length_m == pytest.approx(path.length_m - s_m, abs=1e-8)
    assert found.pose.distance_to(expected.pose) < 1e-6
    assert found.is_backward == expected.is_backward
    assert rest.end.distance_to(path.end) < 1e-9
    assert abs(rest.end.heading_error_to(path.end)) < 1e-9


@given(paths(), poses, st.floats(0.05, 0.95))
def test_moving_a_path_commutes_with_cutting_its_start_off(path: Path, frame: Pose2D, done: float) -> None:
    s_m = done * path.length_m
    one, other = remaining_path(path, s_m).moved(frame), remaining_path(path.moved(frame), s_m)
    middle_m = 0.5 * one.length_m
    assert one.sample(middle_m).pose.distance_to(other.sample(middle_m).pose) < 1e-6


spans = st.lists(st.tuples(st.floats(0.0, 1.2), st.sampled_from([0.02, 0.05, math.inf])), min_size=1, max_size=5)


@given(paths(), spans, st.floats(0.0, 1.0))
def test_path_with_speeds_keeps_its_places_and_uses_those_speeds(path: Path, spans, share: float) -> None:
    ordered = [(share_m * path.length_m, speed_mps) for share_m, speed_mps in sorted(spans)]
    found = Path(with_speeds(path.pieces, ordered))
    assert found.length_m == pytest.approx(path.length_m, abs=1e-9)
    assert [piece.turn_rad for piece in found.pieces if piece.length_m == 0.0] == [
        piece.turn_rad for piece in path.pieces if piece.length_m == 0.0
    ]
    s_m = share * path.length_m
    assert found.sample(s_m).pose.distance_to(path.sample(s_m).pose) < 1e-6
    for start_m, piece in zip(found.starts_m, found.pieces, strict=True):
        middle_m = start_m + 0.5 * piece.length_m
        if piece.length_m > 1e-6:
            here = next((speed for end_m, speed in ordered[:-1] if middle_m < end_m), ordered[-1][1])
            assert highest_mps(piece) == here


@pytest.mark.parametrize("name", ["star", "circle", "eight"])
def test_closest_point_of_the_rest_is_that_of_the_path(name: str) -> None:
    path = shape_path(name)
    s_m = 0.3 * path.length_m
    beside = path.sample(s_m + 0.05).pose.compose(Pose2D(0.0, 0.01, 0.0))
    assert remaining_path(path, s_m).project(beside.x_m, beside.y_m, 0.05, 0.03) == pytest.approx(
        path.project(beside.x_m, beside.y_m, s_m + 0.05, 0.03) - s_m, abs=1e-6
    )


@pytest.mark.slow
@given(paths(), st.floats(0.05, 0.95), limits)
def test_remaining_path_can_be_timed_to_its_end(path: Path, done: float, within: Limits) -> None:
    rest = remaining_path(path, done * path.length_m)
    plan = plan_fastest(rest, within)
    assert plan.sample(plan.duration_s).pose.distance_to(path.end) < 1e-6


def test_all_of_the_path_remains_before_its_start() -> None:
    assert remaining_path(square(1.0), -0.1).length_m == 4.0


def test_rest_at_a_corner_starts_after_the_turn() -> None:
    path = Path([Line(Pose2D(0.0, 0.0, 0.0), 1.0), Turn(Pose2D(1.0, 0.0, 0.0), 2.0), Line(Pose2D(1.0, 0.0, 2.0), 1.0)])
    assert remaining_path(path, 1.0).start == Pose2D(1.0, 0.0, 2.0)


def test_only_the_final_heading_remains_beyond_the_path() -> None:
    path = Path([Line(Pose2D(0.0, 0.0, 0.0), 1.0), Turn(Pose2D(1.0, 0.0, 0.0), 2.0)])
    assert remaining_path(path, 1.5).start == remaining_path(path, 1.5).end == Pose2D(1.0, 0.0, 2.0)
