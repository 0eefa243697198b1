"""Ticks that begin late, or not at all, are counted."""

from fleet.punctuality import Punctuality

MS = 1_000_000


def test_ticks_on_time_have_slots_in_a_row_and_no_overrun() -> None:
    punctuality = Punctuality(0.05)
    assert [punctuality.on_tick(at_ms * MS) for at_ms in (1000, 1050, 1101, 1149, 1200)] == [0, 1, 2, 3, 4]
    assert (punctuality.ticks, punctuality.overruns) == (5, 0)


def test_a_tick_that_begins_more_than_half_a_period_late_overran() -> None:
    punctuality = Punctuality(0.05)
    for at_ms in (0, 76, 100):
        punctuality.on_tick(at_ms * MS)
    assert punctuality.overruns == 1


def test_a_tick_that_was_left_out_overran_and_leaves_its_slot_empty() -> None:
    punctuality = Punctuality(0.05)
    assert [punctuality.on_tick(at_ms * MS) for at_ms in (0, 150, 200)] == [0, 3, 4]
    assert punctuality.overruns == 2


def test_a_first_tick_that_came_late_does_not_hide_later_ones() -> None:
    punctuality = Punctuality(0.05)
    for at_ms in (40, 50, 100, 130):
        punctuality.on_tick(at_ms * MS)
    assert punctuality.overruns == 0
    punctuality.on_tick(230 * MS)
    assert punctuality.overruns == 1
