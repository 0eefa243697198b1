"""Wheel speeds are sent when they change, and otherwise as a keep-alive."""

import pytest

from fleet.service.keep_alive import KeepAlive

MS = 1_000_000
PERIOD_S = 0.1


def sent(speeds_raw: tuple[int, int], at_ms: int = 1000) -> KeepAlive:
    keep_alive = KeepAlive(PERIOD_S)
    keep_alive.on_sent(speeds_raw, at_ms * MS)
    return keep_alive


@pytest.mark.parametrize("speeds_raw", [(0, 0), (100, -100)])
def test_first_speeds_are_due_at_once(speeds_raw: tuple[int, int]) -> None:
    assert KeepAlive(PERIOD_S).is_due(speeds_raw, 1)


@pytest.mark.parametrize("speeds_raw", [(101, 100), (100, 101), (0, 0)])
def test_changed_speeds_are_due_at_once(speeds_raw: tuple[int, int]) -> None:
    assert sent((100, 100)).is_due(speeds_raw, 1000 * MS)


@pytest.mark.parametrize(("speeds_raw", "period_ms"), [((100, 100), 100), ((0, 100), 100), ((0, 0), 1000)])
def test_unchanged_speeds_are_due_after_a_period_which_is_longer_at_rest(
    speeds_raw: tuple[int, int], period_ms: int
) -> None:
    keep_alive = sent(speeds_raw)
    due_ms = [ms for ms in range(1000, 2002) if keep_alive.is_due(speeds_raw, ms * MS)]
    assert due_ms[0] == 1000 + period_ms


def test_speeds_that_could_not_be_sent_stay_due() -> None:
    keep_alive = sent((100, 100))
    assert keep_alive.is_due((50, 50), 1001 * MS)
    assert keep_alive.is_due((50, 50), 1002 * MS)
