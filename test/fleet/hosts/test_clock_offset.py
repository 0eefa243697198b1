"""Clocks of two hosts that do not agree."""

from fleet.hosts.clock_offset import ClockOffset

SECOND = 1_000_000_000


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
