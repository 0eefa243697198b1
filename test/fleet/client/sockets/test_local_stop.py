"""Stopping the drivers of this host, without ROS."""

import os
import resource
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from fleet.client.local_question import stop_local_drivers
from fleet.hosts.claims import DriverId
from fleet.hosts.local_drivers import STOP_ENDING, LocalDriver, answer_from
from fleet.ros.local_interface import LocalSocket
from harness.local_domain import DOMAIN

DEADLINE_S = 60.0  # for a busy machine


class ServingDriver:
    """A driver that serves its socket in a thread until it is closed; None is a program that answers nonsense."""

    def __init__(self, folder: Path, stopped: LocalDriver | None) -> None:
        self.stops = 0
        self._stopped = stopped
        self._is_over = threading.Event()
        self._socket = LocalSocket(folder / f"{stopped.driver.token if stopped else 'other'}{STOP_ENDING}", self._stop)
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        self._is_over.set()
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while not self._is_over.wait(0.005):
            self._socket.serve()

    def _stop(self) -> bytes:
        self.stops += 1
        return answer_from(self._stopped) if self._stopped else b"[]"


@pytest.fixture
def drivers(folder: Path) -> Iterator[list[ServingDriver]]:
    running = [
        ServingDriver(folder, LocalDriver(DriverId("h", f"/{name}", name), ids))
        for name, ids in (("a", (1, 2)), ("b", (7,)))
    ]
    yield running
    for driver in running:
        driver.close()


def test_every_driver_of_the_host_stops_and_confirms(drivers: list[ServingDriver]) -> None:
    found = stop_local_drivers(DOMAIN, DEADLINE_S)
    assert {stopped.driver.token: stopped.robot_ids for stopped in found} == {"a": (1, 2), "b": (7,)}
    assert [driver.stops for driver in drivers] == [1, 1]


def test_drivers_of_other_domains_drive_on(drivers: list[ServingDriver]) -> None:
    assert stop_local_drivers(DOMAIN + 1, DEADLINE_S) == []
    assert [driver.stops for driver in drivers] == [0, 0]


def test_socket_of_a_driver_that_was_killed_is_removed(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as killed:
        killed.bind(str(folder / f"killed{STOP_ENDING}"))
    assert stop_local_drivers(DOMAIN, DEADLINE_S) == []
    assert list(folder.iterdir()) == []


def test_driver_that_does_not_answer_is_not_reported(folder: Path) -> None:
    silent = LocalSocket(folder / f"silent{STOP_ENDING}", lambda: b"")
    assert stop_local_drivers(DOMAIN, 0.05) == []
    silent.close()


def test_driver_with_a_full_queue_does_not_hold_up_the_others(drivers: list[ServingDriver], folder: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as suspended:
        path = str(folder / f"a_first{STOP_ENDING}")
        suspended.bind(path)
        _fill(path)
        found = stop_local_drivers(DOMAIN, DEADLINE_S)
    assert {stopped.driver.token for stopped in found} == {"a", "b"}


def test_answer_of_another_program_is_ignored(folder: Path) -> None:
    other = ServingDriver(folder, None)
    assert stop_local_drivers(DOMAIN, 0.5) == []
    other.close()


@pytest.fixture
def open_files() -> Iterator[Callable[[int], None]]:
    """Return a function that opens a number of files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    files: list[int] = []
    yield lambda count: files.extend(os.open(os.devnull, os.O_RDONLY) for _ in range(count))
    for file in files:
        os.close(file)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_program_with_very_many_open_files_stops_drivers(
    drivers: list[ServingDriver], open_files: Callable[[int], None]
) -> None:
    open_files(1100)
    found = stop_local_drivers(DOMAIN, DEADLINE_S)
    assert {stopped.driver.token for stopped in found} == {"a", "b"}


def test_program_that_cannot_open_any_more_files_gets_no_answer(
    drivers: list[ServingDriver], open_files: Callable[[int], None]
) -> None:
    with suppress(OSError):
        open_files(10_000)
    assert stop_local_drivers(DOMAIN, DEADLINE_S) == []


def _fill(path: str) -> None:
    """Send datagrams until the queue of a socket is full: a sender may reach a limit of its own before."""
    while _send_many(path) > 0:
        pass


def _send_many(path: str) -> int:
    """Send datagrams from a new socket until one does not fit; return how many did."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.setblocking(False)
        sent = 0
        with suppress(BlockingIOError):
            while sender.sendto(b"stop", path):
                sent += 1
    return sent
