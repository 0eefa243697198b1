"""Many motions are compared by their times."""

import math

from hypothesis import given
from hypothesis import strategies as st

from fleet.paths.shapes import circle
from fleet.timetable.motion import Interval, UniformMotion, standing
from fleet.timetable.motions_by_time import MotionsByTime
from fleet.timetable.occupancy import Occupancy, is_in
from fleet.timetable.way import Way
from fleet.trajectories.timing import plan_fastest
from harness.timed_ways import LIMITS, eastward

times = st.floats(0.0, 100.0)


@given(st.lists(st.tuples(times, st.floats(0.0, 40.0)), max_size=30), times, st.floats(0.0, 30.0))
def test_motions_during_an_interval_are_found(spans: list[tuple[float, float]], from_s: float, lasts_s: float) -> None:
    motions = [UniformMotion(Interval(start_s, start_s + long_s), 0.0, 0.0, 0.0, 0.0) for start_s, long_s in spans]
    motions.append(standing(eastward(0.0, 0.0), 50.0, math.inf))
    found = MotionsByTime(motions).during(from_s, from_s + lasts_s)
    during = [motion for motion in motions if motion.start_s <= from_s + lasts_s and motion.end_s >= from_s]
    assert {id(motion) for motion in during} <= {id(motion) for motion in found}
    assert all(motion.start_s < from_s + lasts_s + 1e-5 and motion.end_s > from_s - 1e-5 for motion in found)


def test_long_ways_meet_with_the_same_delays_as_motion_by_motion() -> None:
    own = Way(plan_fastest(circle(1.0).repeated(8), LIMITS), 0.0)
    others = Way(plan_fastest(circle(1.0).moved(eastward(0.9, 0.4)).repeated(8), LIMITS), 2.0)
    occupancy = Occupancy(others.motions * 3, 0.2, 0.0)
    departures = occupancy.departures(own.motions[:-1])
    delays_s = [0.5 * half for half in range(-10, 30)]
    found = [occupancy.meets(own.motions[:-1], delay_s) for delay_s in delays_s]
    assert len(own.motions) * len(others.motions) * 3 > 20_000
    assert found == [is_in(departures, delay_s) for delay_s in delays_s]
    assert set(found) == {False, True}
