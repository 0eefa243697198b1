"""Things that happen at a rate on the simulation's clock."""

import pytest

from simulator.regular import Regular


@pytest.mark.parametrize("rate_hz", [1.0, 10.0, 30.0, 100.0])
def test_as_many_come_in_a_second_as_the_rate_says(rate_hz: float) -> None:
    times = Regular(rate_hz)
    assert sum(times.comes(tick * 0.01) for tick in range(1, 1001)) == 10 * rate_hz


def test_they_go_on_when_time_is_set_back() -> None:
    times = Regular(10.0)
    assert times.comes(100.0)
    assert times.comes(0.01)
    assert sum(times.comes(tick * 0.01) for tick in range(2, 101)) == 10
