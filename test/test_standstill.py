"""Stops and resumes of a fleet on several hosts."""

from hypothesis import given
from hypothesis import strategies as st

from fleet.standstill import Standstill

COUNTS = st.dictionaries(st.sampled_from("abc"), st.integers(0, 3))
STANDSTILLS = st.builds(Standstill, COUNTS, COUNTS)


def test_a_fleet_that_nobody_stopped_drives() -> None:
    assert not Standstill().is_stopped


def test_a_stop_holds_until_it_is_taken_back_and_another_one_holds_again() -> None:
    stopped = Standstill().stopped_by("a")
    resumed = stopped.taken_back()
    assert (stopped.is_stopped, resumed.is_stopped, resumed.stopped_by("b").is_stopped) == (True, False, True)


def test_a_stop_beyond_a_cut_network_outlives_a_resume_that_did_not_know_of_it() -> None:
    together = Standstill().stopped_by("a")
    here, there = together.taken_back(), together.stopped_by("b")
    assert here.joined(there).is_stopped


def test_news_of_an_old_stop_does_not_undo_a_resume() -> None:
    old = Standstill().stopped_by("a")
    assert not old.taken_back().joined(old).is_stopped


@given(STANDSTILLS, STANDSTILLS, STANDSTILLS)
def test_it_does_not_matter_who_hears_whom_first_nor_how_often(
    one: Standstill, other: Standstill, third: Standstill
) -> None:
    assert one.joined(other).joined(third) == third.joined(one.joined(other)).joined(one)
