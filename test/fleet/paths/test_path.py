import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet.errors import PathError
from fleet.geometry import Pose2D
from fleet.paths.path import Path
from fleet.paths.pieces import Arc, Line, Turn
from fleet.paths.shapes import eight, square, star, straight
from harness.budgets import examples
from harness.path_strategies import paths, poses

ORIGIN = Pose2D(0.0, 0.0, 0.0)
CORNER = Path([Line(ORIGIN, 1.0), Turn(Pose2D(1.0, 0.0, 0.0), math.pi / 2), Line(Pose2D(1.0, 0.0, math.pi / 2), 1.0)])


def test_a_path_without_pieces_is_refused() -> None:
    with pytest.raises(PathError, match="without any piece"):
        Path([])


def test_a_gap_between_pieces_is_refused() -> None:
    with pytest.raises(PathError, match=r"gap of 0\.5 m between pieces 0 and 1"):
        Path([Line(ORIGIN, 1.0), Line(Pose2D(1.5, 0.0, 0.0), 1.0)])


def test_a_kink_between_pieces_is_refused() -> None:
    with pytest.raises(PathError, match=r"kink of 0\.1 rad between pieces 0 and 1"):
        Path([Line(ORIGIN, 1.0), Line(Pose2D(1.0, 0.0, 0.1), 1.0)])


def test_sample_at_a_corner_is_after_the_turn_unless_arriving() -> None:
    assert CORNER.sample(1.0).pose.heading_rad == pytest.approx(math.pi / 2)
    assert CORNER.sample(1.0, arriving=True).pose.heading_rad == 0.0


def test_samples_beyond_a_path_are_its_ends() -> None:
    assert CORNER.sample(-1.0).pose == CORNER.start
    assert CORNER.sample(9.0).pose == CORNER.end


def test_legs_lie_between_turns_on_the_spot() -> None:
    assert [(leg.turn_rad, leg.from_s_m, leg.to_s_m) for leg in CORNER.legs] == [
        (0.0, 0.0, 1.0),
        (math.pi / 2, 1.0, 2.0),
    ]


def test_line_and_the_arc_after_it_are_one_leg() -> None:
    path = Path([Line(ORIGIN, 1.0), Arc(Pose2D(1.0, 0.0, 0.0), 0.5, 2.0)])
    assert [leg.length_m for leg in path.legs] == [1.5]


def test_a_change_of_direction_ends_a_leg() -> None:
    path = Path([Line(ORIGIN, 1.0), Line(Pose2D(1.0, 0.0, 0.0), 0.4, is_backward=True)])
    assert [(leg.is_backward, leg.length_m) for leg in path.legs] == [(False, 1.0), (True, pytest.approx(0.4))]


def test_a_turn_at_the_end_is_a_leg_without_length() -> None:
    last = square(1.0).legs[-1]
    assert (last.turn_rad, last.length_m) == (pytest.approx(math.pi / 2), 0.0)


def test_a_path_that_only_turns_has_a_leg() -> None:
    assert [leg.turn_rad for leg in Path([Turn(ORIGIN, 2.0)]).legs] == [2.0]


def test_laps_follow_each_other() -> None:
    three = square(1.0).repeated(3)
    assert three.length_m == pytest.approx(12.0)
    assert three.sample(9.5).pose.x_m == pytest.approx(1.0)


def test_open_path_cannot_be_repeated() -> None:
    with pytest.raises(PathError, match="not closed cannot be driven 2 times"):
        CORNER.repeated(2)


def test_path_needs_at_least_one_lap() -> None:
    with pytest.raises(PathError, match="cannot be driven 0 times"):
        CORNER.repeated(0)


@settings(deadline=None, max_examples=examples(60))
@given(paths(), st.floats(0.0, 1.0))
def test_point_on_the_path_projects_to_itself(path: Path, share: float) -> None:
    s_m = share * path.length_m
    pose = path.sample(s_m).pose
    assert path.project(pose.x_m, pose.y_m, s_m, 0.01) == pytest.approx(s_m, abs=2e-6)


@settings(deadline=None, max_examples=examples(60))
@given(paths(), poses, st.floats(0.0, 1.0), st.floats(0.0, 0.2))
def test_a_projection_stays_within_its_window_and_on_the_path(
    path: Path, place: Pose2D, share: float, window_m: float
) -> None:
    near_m = share * path.length_m
    s_m = path.project(place.x_m, place.y_m, near_m, window_m)
    assert max(0.0, near_m - window_m) - 1e-12 <= s_m <= min(path.length_m, near_m + window_m) + 1e-12


@settings(deadline=None, max_examples=examples(60))
@given(paths(), poses)
def test_no_point_of_a_path_is_closer_than_the_projection(path: Path, place: Pose2D) -> None:
    foot = path.sample(path.project(place.x_m, place.y_m, 0.0, path.length_m)).pose
    nearest_m = min(path.sample(path.length_m * index / 200).pose.distance_to(place) for index in range(201))
    assert foot.distance_to(place) <= nearest_m + 1e-5


def test_at_a_crossing_the_projection_stays_on_its_branch() -> None:
    path = eight(1.0)
    half_m = 0.5 * path.length_m
    assert path.project(0.0, 0.0, half_m - 0.03, 0.1) == pytest.approx(half_m, abs=1e-9)
    assert path.project(0.0, 0.0, 0.02, 0.1) == pytest.approx(0.0, abs=1e-9)


def test_projection_on_overlapping_branches_prefers_the_nearer_arc_length() -> None:
    path = straight(1.0)
    assert path.project(0.97, 0.0, 0.96, 0.2) == pytest.approx(0.97)
    assert path.project(0.97, 0.0, 1.04, 0.2) == pytest.approx(1.03)


def test_walking_along_the_star_never_leaves_the_branch() -> None:
    path = star()
    s_m = 0.0
    for step in range(1, 2001):
        true_m = path.length_m * step / 2001
        pose = path.sample(true_m).pose
        s_m = max(s_m, path.project(pose.x_m + 0.002, pose.y_m - 0.002, s_m + 0.005, 0.01))
        assert abs(s_m - true_m) < 0.02


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(60))
@given(paths(), poses, st.floats(0.0, 1.0))
def test_moved_path_is_the_path_in_another_frame(path: Path, frame: Pose2D, share: float) -> None:
    here, there = path.sample(share * path.length_m), path.moved(frame).sample(share * path.length_m)
    expected = frame.compose(here.pose)
    assert there.pose.distance_to(expected) < 1e-9
    assert abs(there.pose.heading_error_to(expected)) < 1e-7
    assert there.curvature_per_m == pytest.approx(here.curvature_per_m, abs=1e-4)


@settings(deadline=None, max_examples=examples(60))
@given(paths(), st.floats(0.0, 1.0))
def test_heading_changes_with_curvature_and_position_along_the_heading(path: Path, share: float) -> None:
    step_m = 1e-5
    s_m = share * path.length_m
    before, here, after = path.sample(s_m - step_m), path.sample(s_m), path.sample(s_m + step_m)
    knots_m = {round(edge, 9) for leg in path.legs for edge in (leg.from_s_m, leg.to_s_m)}
    if min(abs(knot_m - s_m) for knot_m in knots_m) <= step_m:
        return
    sense = -1.0 if here.is_backward else 1.0
    moved = after.pose.relative_to(before.pose)
    assert moved.x_m == pytest.approx(sense * 2.0 * step_m, rel=1e-3)
    low, high = sorted((before.curvature_per_m, after.curvature_per_m))
    assert 2.0 * step_m * low - 1e-6 <= moved.heading_rad <= 2.0 * step_m * high + 1e-6
