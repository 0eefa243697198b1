from hypothesis import given
from hypothesis import strategies as st

from fleet.geometry import Pose2D
from fleet.routing.chain_timing import chain_path
from fleet.timetable.occupancy import HORIZON_S
from fleet.timetable.way import Way
from fleet.trajectories.timing import plan_fastest
from harness.timed_ways import LIMITS, eastward, journey

places = st.floats(-1.0, 1.0)


@given(st.lists(st.tuples(places, places), max_size=4), st.floats(0.0, 1e5))
def test_all_motions_of_a_way_that_ends_within_the_horizon_are_known(
    corners: list[tuple[float, float]], start_s: float
) -> None:
    path = chain_path(corners, journey(eastward(0, 0), eastward(0.3, 0.7)))
    assert Way(plan_fastest(path, LIMITS), start_s).is_known


def test_long_way_is_known_as_far_as_it_was_extended() -> None:
    path = chain_path([], journey(Pose2D(0.0, 0.0, 0.0), Pose2D(20.0, 0.0, 0.0)))
    way = Way(plan_fastest(path, LIMITS), 0.1)
    assert not way.is_known
    assert way.known_s == 0.1 + HORIZON_S
    way.extend(200.0)
    assert way.is_known
