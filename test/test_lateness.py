"""Benchmarks tell how late messages were."""

import pytest

from bench.lateness import lateness_s


def test_messages_at_their_rate_are_not_late() -> None:
    assert lateness_s([5.0, 5.1, 5.2, 5.3], 0.1) == pytest.approx([0.0] * 4)


def test_one_that_is_held_up_is_late_and_those_after_it_are_not() -> None:
    assert lateness_s([5.0, 5.13, 5.2], 0.1) == pytest.approx([0.0, 0.03, 0.0])


def test_a_first_one_that_is_held_up_is_late() -> None:
    assert lateness_s([5.04, 5.1, 5.2], 0.1) == pytest.approx([0.04, 0.0, 0.0])


def test_one_that_stays_away_counts_as_a_period_late() -> None:
    assert sorted(lateness_s([5.0, 5.2, 5.3], 0.1)) == pytest.approx([0.0, 0.0, 0.0, 0.1])
