import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.trajectories.profile import Phase, Profile
from fleet.trajectories.ramp import rest_to_rest

JERKS = st.just(math.inf) | st.floats(0.1, 100.0)
profiles = st.builds(rest_to_rest, st.floats(0.0, 5.0), st.floats(0.01, 3.0), st.floats(0.05, 10.0), JERKS)


def test_long_trapezoid_lasts_its_distance_at_cruise_speed_plus_one_ramp() -> None:
    assert rest_to_rest(1.0, 0.1, 0.2).duration_s == pytest.approx(1.0 / 0.1 + 0.1 / 0.2)


def test_a_short_trapezoid_is_a_triangle() -> None:
    profile = rest_to_rest(0.02, 0.1, 0.2)
    assert profile.duration_s == pytest.approx(2.0 * math.sqrt(0.02 / 0.2))
    assert profile.sample(0.5 * profile.duration_s)[1] == pytest.approx(math.sqrt(0.02 * 0.2))


def test_limited_jerk_adds_the_time_that_the_acceleration_takes_to_rise() -> None:
    assert rest_to_rest(1.0, 0.1, 0.2, 1.0).duration_s == pytest.approx(1.0 / 0.1 + 0.1 / 0.2 + 0.2 / 1.0)


def test_short_distance_with_limited_jerk_has_only_jerk_phases() -> None:
    # four phases of T = (D / 2 j)^(1/3)
    assert rest_to_rest(0.001, 0.1, 0.2, 1.0).duration_s == pytest.approx(4.0 * math.cbrt(0.001 / 2.0))


def test_no_distance_takes_no_time() -> None:
    assert rest_to_rest(0.0, 0.1, 0.2).duration_s == 0.0
    assert rest_to_rest(0.0, 0.1, 0.2).sample(0.0) == (0.0, 0.0, 0.0)


@given(profiles)
def test_profile_is_at_rest_at_both_ends(profile: Profile) -> None:
    assert profile.sample(-1.0) == (0.0, 0.0, 0.0)
    assert profile.sample(profile.duration_s + 1.0) == (profile.distance, 0.0, 0.0)


@given(profiles)
def test_phases_end_at_the_distance_and_at_rest(profile: Profile) -> None:
    covered = math.fsum(phase.at(phase.duration_s)[0] for phase in profile.phases)
    assert covered == pytest.approx(profile.distance, abs=1e-9)
    assert all(phase.speed >= 0.0 for phase in profile.phases)


@given(profiles, st.floats(0.0, 1.0))
def test_speed_and_acceleration_are_derivatives_of_distance(profile: Profile, share: float) -> None:
    step_s = 1e-4 * profile.duration_s
    time_s = share * profile.duration_s
    before, here, after = (profile.sample(at_s) for at_s in (time_s - step_s, time_s, time_s + step_s))
    assert here[1] * 2 * step_s == pytest.approx(after[0] - before[0], abs=1e-3 * profile.distance)
    top = max((abs(phase.acceleration) for phase in profile.phases), default=0.0)
    assert abs(after[1] - before[1]) <= 2 * step_s * 20.0 * (top + 1.0)


@given(st.floats(1e-6, 5.0), st.floats(0.01, 3.0), st.floats(0.05, 10.0), st.floats(0.1, 100.0), st.floats(0.0, 1.0))
def test_no_limit_is_exceeded(distance: float, speed: float, acceleration: float, jerk: float, share: float) -> None:
    profile = rest_to_rest(distance, speed, acceleration, jerk)
    _, here, slope = profile.sample(share * profile.duration_s)
    assert 0.0 <= here <= speed * (1 + 1e-9)
    assert abs(slope) <= acceleration * (1 + 1e-9)
    assert all(abs(phase.jerk) <= jerk for phase in profile.phases)


@given(st.floats(1e-6, 5.0), st.floats(0.01, 3.0), st.floats(0.05, 10.0), st.floats(0.1, 100.0), st.floats(0.0, 1.0))
def test_the_acceleration_of_a_jerk_limited_profile_is_continuous(
    distance: float, speed: float, acceleration: float, jerk: float, share: float
) -> None:
    profile = rest_to_rest(distance, speed, acceleration, jerk)
    time_s = share * profile.duration_s
    change = profile.sample(time_s + 1e-7)[2] - profile.sample(time_s)[2]
    assert abs(change) <= 1.01e-7 * jerk + 1e-6 * acceleration


@given(profiles, st.floats(0.0, 1.0))
def test_profile_covers_a_distance_at_the_time_it_predicts(profile: Profile, share: float) -> None:
    distance = share * profile.distance
    assert profile.sample(profile.time_at(distance))[0] == pytest.approx(distance, abs=1e-9)


@given(profiles)
def test_jerk_limit_never_shortens_a_profile(profile: Profile) -> None:
    if profile.phases:
        top = max(max(phase.speed, phase.at(phase.duration_s)[1]) for phase in profile.phases)
        steepest = max(max(abs(phase.acceleration), abs(phase.at(phase.duration_s)[2])) for phase in profile.phases)
        assert rest_to_rest(profile.distance, top, steepest).duration_s <= profile.duration_s * (1 + 1e-9)


def test_empty_phases_are_omitted() -> None:
    assert len(Profile([Phase(0.0, 0.0, 1.0), Phase(1.0, 1.0, 0.0)], 1.0).phases) == 1
