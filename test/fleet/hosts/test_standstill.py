"""Stops and resumes of a fleet on several hosts."""

from hypothesis import given
from hypothesis import strategies as st

from fleet.hosts.standstill import Standstill

COUNTS = st.dictionaries(st.sampled_from("abc"), st.integers(0, 3))
STANDSTILLS = st.builds(Standstill, COUNTS, COUNTS)


def test_fleet_that_was_never_stopped_may_drive() -> None:
    assert not Standstill().is_stopped


def test_stop_holds_until_resumed_and_a_new_stop_holds_again() -> None:
    stopped = Standstill().stopped_by("a")
    resumed = stopped.taken_back()
    assert (stopped.is_stopped, resumed.is_stopped, resumed.stopped_by("b").is_stopped) == (True, False, True)


def test_stop_across_a_partition_outlives_a_resume_that_did_not_know_of_it() -> None:
    together = Standstill().stopped_by("a")
    here, there = together.taken_back(), together.stopped_by("b")
    assert here.joined(there).is_stopped


def test_news_of_an_old_stop_does_not_undo_a_resume() -> None:
    old = Standstill().stopped_by("a")
    assert not old.taken_back().joined(old).is_stopped


@given(STANDSTILLS, STANDSTILLS, STANDSTILLS)
def test_merging_is_independent_of_order_and_repetition(one: Standstill, other: Standstill, third: Standstill) -> None:
    assert one.joined(other).joined(third) == third.joined(one.joined(other)).joined(one)
