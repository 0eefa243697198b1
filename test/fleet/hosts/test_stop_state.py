"""Stops and resumes of a fleet on several hosts."""

from hypothesis import given
from hypothesis import strategies as st

from fleet.hosts.stop_state import StopState

COUNTS = st.dictionaries(st.sampled_from("abc"), st.integers(0, 3))
STANDSTILLS = st.builds(StopState, COUNTS, COUNTS)


def test_fleet_that_was_never_stopped_may_drive() -> None:
    assert not StopState().is_stopped


def test_stop_holds_until_resumed_and_a_new_stop_holds_again() -> None:
    stopped = StopState().after_stop("a")
    resumed = stopped.after_resume()
    assert (stopped.is_stopped, resumed.is_stopped, resumed.after_stop("b").is_stopped) == (True, False, True)


def test_stop_across_a_partition_outlives_a_resume_that_did_not_know_of_it() -> None:
    together = StopState().after_stop("a")
    here, there = together.after_resume(), together.after_stop("b")
    assert here.merged_with(there).is_stopped


def test_news_of_an_old_stop_does_not_undo_a_resume() -> None:
    old = StopState().after_stop("a")
    assert not old.after_resume().merged_with(old).is_stopped


@given(STANDSTILLS, STANDSTILLS, STANDSTILLS)
def test_merging_is_independent_of_order_and_repetition(one: StopState, other: StopState, third: StopState) -> None:
    assert one.merged_with(other).merged_with(third) == third.merged_with(one.merged_with(other)).merged_with(one)
