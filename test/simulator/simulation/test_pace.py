"""The pace of simulated time, on a clock that the tests set."""

import math

import pytest

from simulator.simulation.pace import Pace

STEP_S = 0.01
SECOND_NS = 1_000_000_000


def steps_in_a_second(pace: Pace, now_ns: int = 0) -> int:
    """Run every step that is due within a second, on a machine that needs no time for steps."""
    count, end_ns = 0, now_ns + SECOND_NS
    while (due_ns := now_ns + round(pace.wait_s(now_ns) * 1e9)) < end_ns:
        now_ns = due_ns
        pace.step(now_ns)
        count += 1
    return count


@pytest.mark.parametrize("factor", [0.1, 0.5, 1.0, 2.0, 10.0, 1000.0])
def test_simulated_time_passes_faster_by_the_factor(factor: float) -> None:
    assert steps_in_a_second(Pace(STEP_S, factor, 0)) == pytest.approx(100.0 * factor)


def test_pace_as_fast_as_possible_never_waits() -> None:
    pace = Pace(STEP_S, math.inf, 0)
    for _ in range(1000):
        pace.step(5)
    assert pace.wait_s(5) == 0.0
    assert not pace.has_fallen_behind


def test_late_steps_are_made_up_for() -> None:
    pace = Pace(STEP_S, 1.0, 0)
    pace.step(0)
    for _ in range(10):
        assert pace.wait_s(SECOND_NS // 10) == 0.0
        pace.step(SECOND_NS // 10)
    assert pace.wait_s(SECOND_NS // 10) == pytest.approx(0.01)
    assert not pace.has_fallen_behind


def test_steps_far_behind_are_skipped() -> None:
    pace = Pace(STEP_S, 1.0, 0)
    pace.step(SECOND_NS)
    pace.step(SECOND_NS)
    assert pace.wait_s(SECOND_NS) == pytest.approx(0.01)
    assert pace.has_fallen_behind


def test_pause_is_not_made_up_for() -> None:
    pace = Pace(STEP_S, 1.0, 0)
    pace.restart(60 * SECOND_NS)
    assert steps_in_a_second(pace, 60 * SECOND_NS) == 100


def test_speed_factor_changes_at_run_time() -> None:
    pace = Pace(STEP_S, 1.0, 0)
    assert steps_in_a_second(pace) == 100
    pace.set_factor(3.0, SECOND_NS)
    assert steps_in_a_second(pace, SECOND_NS) == pytest.approx(300, abs=1)


@pytest.mark.parametrize("factor", [0.0, -1.0, 1e-320, math.nan, -math.inf, 1001.0])
def test_invalid_speed_factor_is_refused(factor: float) -> None:
    with pytest.raises(ValueError, match=f"speed factor {factor:g} is neither"):
        Pace(STEP_S, factor, 0)
