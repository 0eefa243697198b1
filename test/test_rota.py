"""What is due once in a period comes once in a period, and as little of it as can be at each tick."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.rota import Rota


@given(count=st.integers(1, 300), ticks=st.integers(1, 40))
def test_each_member_comes_once_in_a_period_at_the_same_tick(count: int, ticks: int) -> None:
    rota = Rota(count, ticks)
    first = [list(rota.due(slot)) for slot in range(ticks)]
    assert sorted(member for members in first for member in members) == list(range(count))
    assert [list(rota.due(ticks + slot)) for slot in range(ticks)] == first


@given(count=st.integers(1, 300), ticks=st.integers(1, 40))
def test_members_are_spread_evenly(count: int, ticks: int) -> None:
    rota = Rota(count, ticks)
    assert max(len(list(rota.due(slot))) for slot in range(3 * ticks)) <= -(-count // ticks)


def test_a_period_of_no_whole_number_of_ticks_is_kept_on_average() -> None:
    rota = Rota(3, 2.5)
    due = [member for slot in range(100) for member in rota.due(slot)]
    assert [due.count(member) for member in range(3)] == pytest.approx([40, 40, 40], abs=1)


def test_what_was_due_at_a_tick_that_was_left_out_comes_at_the_next() -> None:
    rota = Rota(4, 4)
    assert list(rota.due(0)) == [0]
    assert list(rota.due(2)) == [1, 2]


def test_nobody_comes_twice_however_many_ticks_were_left_out() -> None:
    rota = Rota(4, 2)
    assert sorted(rota.due(99)) == [0, 1, 2, 3]
