"""Periodic events on the simulation's clock."""

import pytest

from simulator.numbers.periodic_event import PeriodicEvent


@pytest.mark.parametrize("rate_hz", [1.0, 10.0, 30.0, 100.0])
def test_rate_is_the_number_of_events_per_second(rate_hz: float) -> None:
    times = PeriodicEvent(rate_hz)
    assert sum(times.is_due(tick * 0.01) for tick in range(1, 1001)) == 10 * rate_hz


def test_regular_events_continue_when_time_is_set_back() -> None:
    times = PeriodicEvent(10.0)
    assert times.is_due(100.0)
    assert times.is_due(0.01)
    assert sum(times.is_due(tick * 0.01) for tick in range(2, 101)) == 10
