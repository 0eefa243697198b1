"""Ticks that start late, or not at all, are counted."""

from fleet.service.punctuality import Punctuality

MS = 1_000_000


def test_punctual_ticks_fill_consecutive_slots_without_overruns() -> None:
    punctuality = Punctuality(0.05)
    assert [punctuality.on_tick(at_ms * MS) for at_ms in (1000, 1050, 1101, 1149, 1200)] == [0, 1, 2, 3, 4]
    assert (punctuality.ticks, punctuality.overruns) == (5, 0)


def test_tick_more_than_half_a_period_late_is_an_overrun() -> None:
    punctuality = Punctuality(0.05)
    for at_ms in (0, 76, 100):
        punctuality.on_tick(at_ms * MS)
    assert punctuality.overruns == 1


def test_skipped_ticks_are_overruns_and_leave_their_slots_empty() -> None:
    punctuality = Punctuality(0.05)
    assert [punctuality.on_tick(at_ms * MS) for at_ms in (0, 150, 200)] == [0, 3, 4]
    assert punctuality.overruns == 2


def test_next_tick_is_due_one_period_after_the_last_due_time() -> None:
    punctuality = Punctuality(0.05)
    due_ms = []
    for at_ms in (1000, 1057, 1100, 1290):
        punctuality.on_tick(at_ms * MS)
        due_ms.append(punctuality.due_ns // MS)
    assert due_ms == [1050, 1100, 1150, 1300]


def test_late_first_tick_does_not_hide_later_overruns() -> None:
    punctuality = Punctuality(0.05)
    for at_ms in (40, 50, 100, 130):
        punctuality.on_tick(at_ms * MS)
    assert punctuality.overruns == 0
    punctuality.on_tick(230 * MS)
    assert punctuality.overruns == 1


def test_latest_tick_is_reported_once() -> None:
    punctuality = Punctuality(0.05)
    for at_ms in (0, 53, 100, 150):
        punctuality.on_tick(at_ms * MS)
    assert punctuality.pop_latest_ns() == 3 * MS
    assert punctuality.pop_latest_ns() == 0
