"""Short runs of the benchmark of one floor that two drivers share; messages are counted as ROS would send them."""

import pytest

from bench.traffic.hosts import HostsOrder, HostsRow, rows


@pytest.fixture(scope="module")
def measured() -> dict[tuple[int, str], HostsRow]:
    orders = [
        HostsOrder(4, drivers, trouble, duration_s, 1)
        for drivers, trouble, duration_s in ((1, "none", 20.0), (2, "none", 20.0), (2, "cut", 32.0), (2, "death", 52.0))
    ]
    return {(row.drivers, row.trouble): row for row in rows(orders, 1)}


@pytest.mark.parametrize("trouble", ["none", "cut", "death"])
def test_robots_of_two_drivers_arrive_without_contact(measured: dict[tuple[int, str], HostsRow], trouble: str) -> None:
    row = measured[2, trouble]
    assert (row.contacts, row.ended) == (0, {})
    assert row.arrived > 4


def test_row_of_two_drivers_is_compared_with_the_row_of_one(measured: dict[tuple[int, str], HostsRow]) -> None:
    one, two = measured[1, "none"], measured[2, "none"]
    assert one.to_one_driver == 1.0
    assert two.to_one_driver == pytest.approx(two.sum_ratio / one.sum_ratio, abs=2e-3)


def test_messages_between_drivers_are_counted(measured: dict[tuple[int, str], HostsRow]) -> None:
    assert [measured[drivers, "none"].known_hz > 0.0 for drivers in (1, 2)] == [False, True]
    assert measured[2, "none"].poses_hz == pytest.approx(40.0, rel=0.1)


def test_new_driver_drives_the_robots_of_one_that_was_killed(measured: dict[tuple[int, str], HostsRow]) -> None:
    assert measured[2, "death"].asked > measured[2, "none"].asked
