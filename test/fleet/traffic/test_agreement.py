"""Which of our ways the other drivers know."""

import math

import pytest

from fleet.hosts.claims import DriverId
from fleet.timetable.shared_ways import KnownWays, SharedWays
from fleet.timetable.way import Way
from fleet.traffic.agreement import Agreement, OwnState
from harness.timed_ways import eastward, straight_way

BENCH, DESK, LAB = (DriverId(host, "/driver", f"token of {host}") for host in ("bench", "desk", "lab"))
WAY = straight_way(eastward(0.0, 0.0), eastward(1.0, 0.0))
SILENT_S = 5.0


def ways_of(driver: DriverId, number: int = 1, *, is_leaving: bool = False) -> SharedWays:
    return SharedWays(driver, number, 0, 0.08, 0.15, 0.2, is_leaving=is_leaving)


def knows(driver: DriverId, other: DriverId, number: int) -> KnownWays:
    return KnownWays(driver, 0, {other.token: number})


def agreement(own: DriverId, *others: DriverId) -> Agreement:
    found = Agreement(own, SILENT_S)
    for other in others:
        found.note_ways(ways_of(other), 0.0)
    found.publish(1, {1: OwnState(WAY, math.inf, is_roaming=False)}, 0.0)
    return found


def is_known(found: Agreement, now_s: float, way: Way = WAY) -> bool:
    return math.isinf(found.known_until_s(1, way, now_s)) and found.known_until_s(1, way, now_s) > 0.0


def test_driver_alone_needs_no_other_driver() -> None:
    assert not agreement(BENCH).is_needed


def test_way_is_known_once_all_others_have_confirmed_it() -> None:
    found = agreement(BENCH, DESK, LAB)
    found.note_known(knows(DESK, BENCH, 1), 0.1)
    assert not is_known(found, 0.1)
    found.note_known(knows(LAB, BENCH, 1), 0.1)
    assert is_known(found, 0.1)


def test_another_way_of_the_same_robot_is_not_known() -> None:
    found = agreement(BENCH, DESK)
    found.note_known(knows(DESK, BENCH, 1), 0.1)
    assert not is_known(found, 0.1, straight_way(eastward(0.0, 0.0), eastward(1.0, 0.0)))


def test_way_stays_known_when_something_else_is_published() -> None:
    found = agreement(BENCH, DESK)
    found.note_known(knows(DESK, BENCH, 1), 0.1)
    found.publish(2, {1: OwnState(WAY, math.inf, is_roaming=False)}, 0.2)
    assert is_known(found, 0.3)


def test_way_that_was_given_up_is_not_known_any_more() -> None:
    found = agreement(BENCH, DESK)
    found.publish(2, {1: OwnState(None, 0.0, is_roaming=False)}, 0.2)
    found.note_known(knows(DESK, BENCH, 2), 0.3)
    assert not is_known(found, 0.3)


def test_first_of_two_drivers_does_without_the_other_after_a_while() -> None:
    found = agreement(BENCH, DESK)
    assert [is_known(found, now_s) for now_s in (0.5 * SILENT_S, 1.1 * SILENT_S)] == [False, True]


def test_second_of_two_drivers_waits() -> None:
    assert not is_known(agreement(DESK, BENCH), 1e6)


def test_second_driver_does_without_the_first_once_that_has_left_or_is_dropped() -> None:
    found = agreement(DESK, BENCH, LAB)
    found.note_ways(ways_of(BENCH, is_leaving=True), 1.0)
    found.drop(LAB.token)
    assert not found.is_needed


def test_new_ways_of_another_driver_and_its_leaving_are_news_once() -> None:
    found = agreement(DESK)
    said = [ways_of(BENCH), ways_of(BENCH), ways_of(BENCH, 2), *[ways_of(BENCH, 3, is_leaving=True)] * 2]
    assert [found.note_ways(one, 1.0) for one in said] == [True, False, True, True, False]


def test_drivers_that_do_not_confirm_are_named() -> None:
    found = agreement(BENCH, DESK, LAB)
    found.note_known(knows(LAB, BENCH, 1), 0.1)
    assert (found.unheard(0.5), found.unheard(3.0)) == ([], [DESK])


def roaming(own: DriverId, other: DriverId) -> Agreement:
    found = agreement(own, other)
    found.publish(2, {1: OwnState(None, 0.0, is_roaming=True)}, 0.2)
    found.note_known(knows(other, own, 2), 0.3)
    return found


@pytest.mark.parametrize(("own", "other"), [(BENCH, DESK), (DESK, BENCH)])
def test_robot_without_a_way_drives_only_while_all_drivers_hear_each_other(own: DriverId, other: DriverId) -> None:
    found = roaming(own, other)
    assert [found.may_roam(1, now_s) for now_s in (0.4, 10.0)] == [True, False]


def test_unconfirmed_messages_do_not_pile_up() -> None:
    found = agreement(DESK, BENCH)
    for number in range(2, 1000):
        found.publish(number, {1: OwnState(WAY, math.inf, is_roaming=False)}, float(number))
    found.note_known(knows(BENCH, DESK, 999), 1000.0)
    assert is_known(found, 1000.0)
