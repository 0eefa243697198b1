import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fleet.timetable.motion import Interval, UniformMotion, departures_into, visit

APART_M = 0.2
places = st.floats(-1.0, 1.0).map(lambda value: round(value, 3))
speeds = st.floats(-0.15, 0.15).map(lambda value: round(value, 3))
starts = st.floats(0.0, 10.0).map(lambda value: round(value, 2))
lengths = st.floats(0.1, 8.0).map(lambda value: round(value, 2))


@st.composite
def motions(draw: st.DrawFn) -> UniformMotion:
    start_s = draw(starts)
    during = Interval(start_s, start_s + draw(lengths))
    return UniformMotion(during, draw(places), draw(places), draw(speeds), draw(speeds))


def least_distance_m(own: UniformMotion, other: UniformMotion, delay_s: float) -> float:
    """Return the least distance of the two discs while both are in their intervals; infinite if never."""
    from_s = max(own.start_s + delay_s, other.start_s)
    to_s = min(own.end_s + delay_s, other.end_s)
    if from_s > to_s:
        return math.inf
    dx = own.x_m - own.vx_mps * (own.start_s + delay_s) - other.x_m + other.vx_mps * other.start_s
    dy = own.y_m - own.vy_mps * (own.start_s + delay_s) - other.y_m + other.vy_mps * other.start_s
    vx, vy = own.vx_mps - other.vx_mps, own.vy_mps - other.vy_mps
    speed2 = vx * vx + vy * vy
    best_s = from_s if speed2 == 0.0 else min(max(-(dx * vx + dy * vy) / speed2, from_s), to_s)
    return math.hypot(dx + vx * best_s, dy + vy * best_s)


@given(motions(), motions(), st.floats(-20.0, 20.0))
def test_departures_found_bring_the_discs_too_near(own: UniformMotion, other: UniformMotion, delay_s: float) -> None:
    distance_m = least_distance_m(own, other, delay_s)
    assume(abs(distance_m - APART_M) > 1e-6)
    found = departures_into(own, other, APART_M)
    is_inside = found is not None and found.start_s < delay_s < found.end_s
    near_end = found is not None and min(abs(delay_s - found.start_s), abs(delay_s - found.end_s)) < 1e-6
    assert near_end or is_inside == (distance_m < APART_M)


def test_a_disc_that_never_moves_blocks_all_later_departures() -> None:
    own = UniformMotion(Interval(0.0, 5.0), 0.0, 0.0, 0.14, 0.0)
    other = UniformMotion(Interval(2.0, math.inf), 0.5, 0.0, 0.0, 0.0)
    found = departures_into(own, other, APART_M)
    assert found is not None
    assert found.end_s == math.inf
    assert found.start_s == pytest.approx(-3.0)  # it is still within reach when the other one appears


@given(motions(), places, places, st.floats(0.0, 1.0))
def test_visit_is_when_the_disc_is_too_near_to_the_place(
    motion: UniformMotion, x_m: float, y_m: float, share: float
) -> None:
    since_s = share * motion.duration_s
    time_s = motion.start_s + since_s
    distance_m = math.hypot(motion.x_m + motion.vx_mps * since_s - x_m, motion.y_m + motion.vy_mps * since_s - y_m)
    assume(abs(distance_m - APART_M) > 1e-6)
    found = visit(x_m, y_m, motion, APART_M)
    is_inside = found is not None and found.start_s - 1e-9 <= time_s <= found.end_s + 1e-9
    assert is_inside == (distance_m < APART_M)


def test_stationary_disc_elsewhere_never_visits() -> None:
    assert visit(1.0, 1.0, UniformMotion(Interval(0.0, math.inf), 0.0, 0.0, 0.0, 0.0), APART_M) is None
