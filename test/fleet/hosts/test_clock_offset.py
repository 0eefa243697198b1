"""Clocks of two hosts that do not agree."""

from hypothesis import given
from hypothesis import strategies as st

from fleet.hosts.clock_offset import ClockOffset

SECOND = 1_000_000_000
LATE_MS = ((0, 5), (30, 80), (60, 9), (90, 2), (120, 40))  # stamps, delays


def offset_after(*messages: tuple[float, float]) -> float | None:
    """Return the offset in seconds after messages that are given as stamp and time of reception."""
    offset = ClockOffset()
    for stamp_s, received_s in messages:
        offset.note(round(stamp_s * SECOND), round(received_s * SECOND))
    return None if offset.offset_ns is None else offset.offset_ns / SECOND


def test_nothing_is_known_before_the_first_message() -> None:
    assert offset_after() is None


def test_message_with_the_shortest_delay_counts() -> None:
    assert offset_after((1.0, 101.3), (2.0, 102.01), (3.0, 103.2)) == 100.01


def test_old_message_does_not_count_once_a_new_one_has_come() -> None:
    assert offset_after((1.0, 131.0), (31.0, 131.02)) == 100.02


def test_clock_that_was_set_back_is_followed_within_ten_seconds() -> None:
    late = [(float(second), 100.0 + second + 5.0) for second in range(11)]
    assert offset_after((0.0, 100.0), *late) == 105.0


def test_clock_that_was_set_forward_is_followed_at_once() -> None:
    assert offset_after((1.0, 101.0), (7.0, 102.0)) == 95.0


def test_a_late_message_is_dated_by_its_stamp() -> None:
    offset = ClockOffset()
    sent_ms = [offset.sent_ns((100 + at) * 10**6, (500 + at + late) * 10**6) / 1e6 for at, late in LATE_MS]
    assert sent_ms == [505, 535, 565, 592, 622]


def test_a_message_without_a_stamp_is_dated_by_its_arrival() -> None:
    offset = ClockOffset()
    assert [offset.sent_ns(0, at_ns * SECOND) for at_ns in (5, 6, 7)] == [5 * SECOND, 6 * SECOND, 7 * SECOND]


def test_a_clock_that_is_set_back_is_followed_at_once() -> None:
    offset = ClockOffset()
    assert offset.sent_ns(5000 * SECOND, 10 * SECOND) == 10 * SECOND
    assert offset.sent_ns(1000 * SECOND, 11 * SECOND) == 11 * SECOND
    assert offset.sent_ns(1001 * SECOND, 12 * SECOND) == 12 * SECOND


@given(st.lists(st.tuples(st.integers(0, 2 * SECOND), st.integers(0, 3 * SECOND)), max_size=30))
def test_dates_ascend_and_are_never_later_than_the_arrival(steps: list[tuple[int, int]]) -> None:
    offset, stamp_ns, received_ns, latest_ns = ClockOffset(), 1, 1, 0
    for stamp_step_ns, received_step_ns in steps:
        stamp_ns, received_ns = stamp_ns + stamp_step_ns, received_ns + received_step_ns
        sent_ns = offset.sent_ns(stamp_ns, received_ns)
        assert latest_ns <= sent_ns <= received_ns
        latest_ns = sent_ns
