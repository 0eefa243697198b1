"""Each member is due once a period, and each tick has as few of them as possible."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.service.staggered_schedule import StaggeredSchedule


@given(count=st.integers(1, 300), ticks=st.integers(1, 40))
def test_each_member_is_due_once_a_period_at_the_same_tick(count: int, ticks: int) -> None:
    schedule = StaggeredSchedule(count, ticks)
    first = [list(schedule.due(slot)) for slot in range(ticks)]
    assert sorted(member for members in first for member in members) == list(range(count))
    assert [list(schedule.due(ticks + slot)) for slot in range(ticks)] == first


@given(count=st.integers(1, 300), ticks=st.integers(1, 40))
def test_members_are_spread_evenly(count: int, ticks: int) -> None:
    schedule = StaggeredSchedule(count, ticks)
    assert max(len(list(schedule.due(slot))) for slot in range(3 * ticks)) <= -(-count // ticks)


def test_period_of_a_fractional_number_of_ticks_is_kept_on_average() -> None:
    schedule = StaggeredSchedule(3, 2.5)
    due = [member for slot in range(100) for member in schedule.due(slot)]
    assert [due.count(member) for member in range(3)] == pytest.approx([40, 40, 40], abs=1)


def test_members_due_at_a_skipped_tick_follow_at_the_next() -> None:
    schedule = StaggeredSchedule(4, 4)
    assert list(schedule.due(0)) == [0]
    assert list(schedule.due(2)) == [1, 2]


def test_no_member_is_due_twice_after_any_number_of_skipped_ticks() -> None:
    schedule = StaggeredSchedule(4, 2)
    assert sorted(schedule.due(99)) == [0, 1, 2, 3]
