from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.floor.obstacles import Obstacles, Segment
from fleet.geometry import Pose2D
from fleet.routing.roadmap import Roadmap
from fleet.settings.config import ArenaConfig
from harness.timed_ways import eastward

BOUNDS = ArenaConfig(0.1, 0.1, 1.9, 1.9)


def roadmap(*walls: Segment) -> Roadmap:
    return Roadmap(BOUNDS, Obstacles(walls), 0.085, 0.1)


def test_lattice_joins_each_inner_place_with_eight_others() -> None:
    found = roadmap()
    assert (len(found.xs_m), max(map(len, found.neighbours))) == (19 * 19, 8)


def test_no_place_is_nearer_to_a_wall_than_the_radius() -> None:
    wall = Segment(1.0, 0.0, 1.0, 1.5)
    found = roadmap(wall)
    assert min(wall.distance_m(x_m, y_m) for x_m, y_m in zip(found.xs_m, found.ys_m, strict=True)) >= 0.085


@pytest.mark.parametrize("gap_m", [0.24, 0.2])
def test_passage_that_fits_a_body_joins_both_sides(gap_m: float) -> None:
    middle_m = 1.03
    walls = [Segment(1.0, 0.0, 1.0, middle_m - 0.5 * gap_m), Segment(1.0, middle_m + 0.5 * gap_m, 1.0, 2.0)]
    assert roadmap(*walls).joins(eastward(0.3, 0.4), eastward(1.7, 0.4))


def test_passage_that_is_too_narrow_joins_nothing() -> None:
    walls = [Segment(1.0, 0.0, 1.0, 0.95), Segment(1.0, 1.1, 1.0, 2.0)]
    assert not roadmap(*walls).joins(eastward(0.3, 0.4), eastward(1.7, 0.4))


COORDINATE = st.floats(0.0, 2.0)


@given(
    places_m=st.lists(st.tuples(COORDINATE, COORDINATE), max_size=12),
    ends_m=st.lists(st.tuples(COORDINATE, COORDINATE, COORDINATE, COORDINATE), min_size=1, max_size=3),
)
def test_polyline_is_free_where_each_of_its_lines_is(
    places_m: list[tuple[float, float]], ends_m: list[tuple[float, float, float, float]]
) -> None:
    found = Roadmap(BOUNDS, Obstacles([Segment(*ends) for ends in ends_m]), 0.085, 0.5)
    are_free = [found.is_line_free(*start, *end) for start, end in pairwise(places_m)]
    assert found.is_polyline_free(places_m) == all(are_free)


def test_robot_too_near_to_a_wall_may_leave_it() -> None:
    found = roadmap(Segment(0.0, 0.5, 2.0, 0.5))
    start = Pose2D(1.0, 0.56, 0.0)
    assert found.is_line_free(start.x_m, start.y_m, 1.0, 1.0)
    assert found.joins(start, eastward(1.7, 1.7))
