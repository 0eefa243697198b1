"""Benchmarks report how late messages were."""

import pytest

from bench.instruments.lateness import lateness_s


def test_messages_at_their_rate_are_not_late() -> None:
    assert lateness_s([5.0, 5.1, 5.2, 5.3], 0.1) == pytest.approx([0.0] * 4)


def test_only_the_delayed_message_is_late() -> None:
    assert lateness_s([5.0, 5.13, 5.2], 0.1) == pytest.approx([0.0, 0.03, 0.0])


def test_message_right_before_the_next_is_late_and_the_next_is_not() -> None:
    late_s = lateness_s([5.0, 5.1, 5.299, 5.3, 5.4], 0.1)
    assert late_s == pytest.approx([0.0, 0.0, 0.099, 0.0, 0.0], abs=0.002)


def test_messages_after_a_long_pause_are_late_only_by_their_own_delay() -> None:
    late_s = lateness_s([5.0, 5.1, 5.36, 5.4, 5.5], 0.1)
    assert late_s == pytest.approx([0.0, 0.0, 0.06, 0.0, 0.0, 0.1])


def test_delayed_first_message_is_late() -> None:
    assert lateness_s([5.04, 5.1, 5.2], 0.1) == pytest.approx([0.04, 0.0, 0.0])


def test_missing_message_counts_as_a_period_late() -> None:
    assert sorted(lateness_s([5.0, 5.2, 5.3], 0.1)) == pytest.approx([0.0, 0.0, 0.0, 0.1])
