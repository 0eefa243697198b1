import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.geometry import Pose2D
from fleet.paths.shapes import eight
from fleet.routing.chains import Chain
from fleet.timetable.occupancy import HORIZON_S
from fleet.timetable.way import Way
from fleet.trajectories.timing import plan_fastest
from harness.timed_ways import LIMITS, eastward, journey

places = st.floats(-1.0, 1.0)


@given(st.lists(st.tuples(places, places), max_size=4), st.floats(0.0, 1e5))
def test_all_motions_of_a_way_that_ends_within_the_horizon_are_known(
    corners: list[tuple[float, float]], start_s: float
) -> None:
    path = Chain(corners, journey(eastward(0, 0), eastward(0.3, 0.7))).path
    assert Way(plan_fastest(path, LIMITS), start_s).is_known


def test_long_way_is_known_as_far_as_it_was_extended() -> None:
    path = Chain([], journey(Pose2D(0.0, 0.0, 0.0), Pose2D(20.0, 0.0, 0.0))).path
    way = Way(plan_fastest(path, LIMITS), 0.1)
    assert not way.is_known
    assert way.known_s == 0.1 + HORIZON_S
    while not way.is_known:
        way.grow(200.0, since_s=0.0, count=1)
    assert way.known_s == pytest.approx(way.start_s + way.trajectory.duration_s)


def test_way_grows_by_all_new_motions_at_once_and_forgets_what_is_long_past() -> None:
    way = Way(plan_fastest(eight(0.8).repeated(20), LIMITS), 10.0)
    before = list(way.motions)
    way.grow(190.0, since_s=60.0, count=1)
    grown = [way.is_growing, way.motions == before]
    while way.is_growing:
        way.grow(190.0, since_s=60.0, count=1)
    assert grown == [True, True]
    assert way.known_s == pytest.approx(190.0)
    assert min(motion.end_s for motion in way.motions) > 60.0
    assert [motion.start_s for motion in way.motions[1:]] == pytest.approx([one.end_s for one in way.motions[:-1]])


def test_a_way_that_starts_later_has_the_same_motions_later() -> None:
    path = Chain([(0.4, 0.4)], journey(eastward(0.0, 0.0), eastward(0.9, 0.1))).path
    plan = plan_fastest(path, LIMITS)
    assert Way(plan, 3.0).later(4.0).motions == Way(plan, 7.0).motions
