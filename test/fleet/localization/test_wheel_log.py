import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.localization.wheel_log import Roll, WheelLog


def log(*rolls: Roll) -> WheelLog:
    subject = WheelLog()
    for roll in rolls:
        subject.add(roll)
    return subject


def test_rolls_are_popped_up_to_an_instant_and_split_there() -> None:
    subject = log(Roll(0, 100, 1.0, 2.0), Roll(100, 200, 4.0, -4.0))
    assert subject.pop_until(125) == [Roll(0, 100, 1.0, 2.0), Roll(100, 125, 1.0, -1.0)]
    assert subject.rolls == [Roll(125, 200, 3.0, -3.0)]


def test_nothing_is_popped_before_the_first_roll_starts() -> None:
    assert log(Roll(50, 100, 1.0, 1.0)).pop_until(50) == []


def test_roll_without_duration_is_not_split() -> None:
    assert log(Roll(50, 50, 1.0, 1.0)).pop_until(50) == [Roll(50, 50, 1.0, 1.0)]


@given(st.lists(st.integers(1, 399), max_size=20))
def test_nothing_is_lost_by_splitting(instants: list[int]) -> None:
    subject = log(*(Roll(100 * k, 100 * (k + 1), 0.01, 0.02) for k in range(4)))
    popped = [roll for instant in sorted(instants) for roll in subject.pop_until(instant)]
    assert sum(roll.left_m for roll in [*popped, *subject.rolls]) == pytest.approx(0.04)
    assert sum(roll.rolled_m for roll in [*popped, *subject.rolls]) == pytest.approx(0.12)
