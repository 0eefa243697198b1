"""What the drivers of this host know about the fleet, asked without ROS."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from fleet.client.local_fleet import joined, local_fleet
from fleet.geometry import Pose2D
from fleet.hosts.claims import DriverId
from fleet.hosts.known_fleet import KnownFleet, KnownRobot, known_fleet_from_bytes, known_fleet_to_bytes
from fleet.hosts.local_drivers import FLEET_ENDING
from fleet.robots.status_level import Level
from fleet.ros.local_interface import LocalSocket
from harness.local_domain import DOMAIN
from thymio_base.fast_dds import discovery_settings

DEADLINE_S = 60.0  # for a busy machine
NOBODY = frozenset[str]()


def known(token: str, *robot_ids: int) -> KnownFleet:
    """Return what a driver knows that serves robots, and is alone."""
    robots = tuple(
        KnownRobot(robot_id, 1, "battery low", {"state": "idle"}, Pose2D(1.0, 2.0, 0.5), 0.25) for robot_id in robot_ids
    )
    driver = DriverId(f"host_{token}", "/driver", token)
    return KnownFleet(
        driver,
        discovery_settings(),
        is_settled=True,
        serves=robot_ids,
        waits_for=(),
        knows=(),
        foreign_ids=(),
        robots=robots,
    )


def alone() -> KnownFleet:
    """Return what a driver knows that serves robots 1 and 2, in the network of this process."""
    return known("a", 1, 2)


class AnsweringDrivers:
    """Drivers that answer with bytes, in one thread, until they are closed."""

    def __init__(self, folder: Path, *answers: bytes) -> None:
        self._is_over = threading.Event()
        self._sockets = [
            LocalSocket(folder / f"driver_{place}{FLEET_ENDING}", lambda answer=answer: answer)
            for place, answer in enumerate(answers)
        ]
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> "AnsweringDrivers":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()
        for one in self._sockets:
            one.close()

    def _serve(self) -> None:
        while not self._is_over.wait(0.005):
            for one in self._sockets:
                one.serve()


def test_known_fleet_survives_its_encoding() -> None:
    fleet = replace(alone(), waits_for=(3,), knows=("b",), foreign_ids=(9,))
    assert known_fleet_from_bytes(known_fleet_to_bytes(fleet)) == fleet


def test_robots_of_all_drivers_are_reported(folder: Path) -> None:
    fleets = known("a", 1, 2), known("b", 7)
    with AnsweringDrivers(folder, *map(known_fleet_to_bytes, fleets)):
        found = local_fleet(DOMAIN, DEADLINE_S)
    assert found.is_whole
    assert {robot_id: report.host for robot_id, report in found.reports.items()} == {
        1: "host_a",
        2: "host_a",
        7: "host_b",
    }
    report = found.reports[7]
    assert (report.level, report.message, report.pose, report.age_s) == (
        Level.WARN,
        "battery low",
        Pose2D(1.0, 2.0, 0.5),
        0.25,
    )


def test_fleet_that_fits_in_no_datagram_is_reported(folder: Path) -> None:
    answer = known_fleet_to_bytes(known("a", *range(1, 5001)))
    with AnsweringDrivers(folder, answer):
        assert len(local_fleet(DOMAIN, DEADLINE_S).reports) == 5000
    assert len(answer) > 300_000


def test_driver_with_another_network_does_not_count(folder: Path) -> None:
    elsewhere = replace(known("b", 7), network="another")
    with AnsweringDrivers(folder, *map(known_fleet_to_bytes, (alone(), elsewhere))):
        found = local_fleet(DOMAIN, DEADLINE_S)
    assert (found.is_whole, list(found.reports)) == (True, [1, 2])


@pytest.mark.parametrize("answer", [b"", b"[]", b"{}", b"\xff"])
def test_fleet_with_an_unreadable_answer_is_not_whole(folder: Path, answer: bytes) -> None:
    with AnsweringDrivers(folder, known_fleet_to_bytes(alone()), answer):
        assert not local_fleet(DOMAIN, DEADLINE_S).is_whole


def test_fleet_with_a_silent_driver_is_not_whole(folder: Path) -> None:
    silent = LocalSocket(folder / f"silent{FLEET_ENDING}", lambda: b"")
    with AnsweringDrivers(folder, known_fleet_to_bytes(alone())):
        found = local_fleet(DOMAIN, 0.2)
    silent.close()
    assert (found.is_whole, found.silent) == (False, frozenset({"silent"}))


def test_without_drivers_the_fleet_is_unknown() -> None:
    found = local_fleet(DOMAIN, DEADLINE_S)
    assert (found.is_whole, dict(found.reports), found.silent) == (False, {}, NOBODY)


@pytest.mark.parametrize(
    "fleets",
    [
        [replace(alone(), is_settled=False)],
        [replace(alone(), knows=("remote",))],
        [replace(alone(), foreign_ids=(9,))],
        [replace(alone(), serves=(1, 2, 3))],
        [replace(alone(), waits_for=(3,))],
        [alone(), known("b", 2)],
        [alone(), replace(known("b", 7), is_settled=False)],
    ],
    ids=["it has just started", "remote driver", "foreign server", "no status", "waiting", "served twice", "a new one"],
)
def test_fleet_of_which_something_may_be_unknown_is_not_whole(fleets: list[KnownFleet]) -> None:
    assert not joined(fleets, NOBODY).is_whole


def test_drivers_that_know_each_other_know_the_whole_fleet() -> None:
    waiting = replace(known("b", 7), waits_for=(2,), knows=("a",))
    found = joined([replace(alone(), knows=("b",)), waiting], NOBODY)
    assert found.is_whole
    assert found.reports[2].waiting_hosts == ["host_b"]


def test_robots_that_only_ros_may_find_are_named() -> None:
    assert joined([replace(alone(), foreign_ids=(9,), serves=(1, 2, 3))], NOBODY).missing_ids == {3, 9}


@pytest.mark.parametrize(
    ("robot_id", "may_serve", "may_locate"), [(3, True, True), (5, True, False), (7, False, False)]
)
def test_drivers_may_serve_the_robots_that_they_know(robot_id: int, may_serve: bool, may_locate: bool) -> None:
    local = replace(joined([known("one", 3)], NOBODY), missing_ids=frozenset({5}))
    assert (local.may_serve(robot_id), local.may_locate(robot_id)) == (may_serve, may_locate)


def test_silent_driver_may_serve_and_locate_any_robot() -> None:
    local = joined([known("one", 3)], frozenset({"busy"}))
    assert (local.may_serve(7), local.may_locate(7)) == (True, True)
