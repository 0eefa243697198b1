"""Steps of the server follow the ticks of a driver."""

from collections.abc import Iterable, Iterator
from random import Random

import pytest

from fleet.dashboard.web.step_times import STEP_S, StepTimes

WORK_S = 0.003


def waits(published_s: Iterable[float], start_s: float, steps: int) -> Iterator[float | None]:
    """Yield how long the latest poses have waited at each step, None for a step without new ones."""
    messages, times, now_s = iter(published_s), StepTimes(start_s), start_s
    message_s = next(messages)
    for _ in range(steps):
        taken_s = None
        while message_s <= now_s:
            taken_s, message_s = message_s, next(messages)
        waited_s = None if taken_s is None else now_s - taken_s
        yield waited_s
        now_s += WORK_S + times.pause_s(now_s + WORK_S, waited_s)


@pytest.mark.parametrize("start_s", [0.0, 0.011, 0.029, 0.049])
def test_steps_take_poses_soon_after_they_arrive_whenever_they_started(start_s: float) -> None:
    random = Random(1)
    published_s = (STEP_S * tick + random.uniform(0.0, 0.01) for tick in range(10_000))
    late = [waited_s for waited_s in list(waits(published_s, 1.0 + start_s, 1_000))[200:] if waited_s is not None]
    assert len(late) == 800
    assert max(late) < 0.6 * STEP_S


def test_steps_follow_a_driver_whose_clock_is_fast() -> None:
    published_s = (0.999 * STEP_S * tick for tick in range(10_000))
    late = [waited_s for waited_s in list(waits(published_s, 1.0, 2_000))[200:] if waited_s is not None]
    assert max(late) < 0.6 * STEP_S


def test_steps_are_twenty_a_second_without_poses() -> None:
    times = StepTimes(0.0)
    assert times.pause_s(0.01, None) == pytest.approx(STEP_S - 0.01)
    assert times.pause_s(0.06, None) == pytest.approx(STEP_S - 0.01)


def test_nothing_is_made_up_for_after_a_long_step() -> None:
    times = StepTimes(0.0)
    assert times.pause_s(1.0, None) == 0.0
    assert times.pause_s(1.01, None) == pytest.approx(STEP_S - 0.01)
