"""Lets programs on this host stop and query the fleet at once, without waiting for ROS to discover the driver."""

import os
import socket
import time
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from rclpy.node import Node

from fleet.hosts.claims import Claims
from fleet.hosts.known_fleet import KnownFleet, KnownRobot, known_fleet_to_bytes
from fleet.hosts.local_drivers import FLEET_ENDING, STOP_ENDING, LocalDriver, answer_from, domain_folder
from fleet.interface.graph import ForeignRobots
from fleet.interface.names import DRIVERS_TOPIC
from thymio_base.fast_dds import discovery_settings

_QUERY_S: Final = 0.5  # between two queries of the whole graph
_REQUEST_BYTES: Final = 64
_REQUESTS_A_TICK: Final = 4


class LocalSocket:
    """A datagram socket in a folder of this user, for one kind of request; the content of requests does not matter.

    Parameters
    ----------
    path : the socket's path; its folder exists
    handle : handles a request, and returns the answer

    Raises
    ------
    OSError
        The socket cannot be created.
    """

    def __init__(self, path: Path, handle: Callable[[], bytes]) -> None:
        self._path = path
        self._handle = handle
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        try:
            self._socket.bind(str(self._path))
        except OSError:
            self._socket.close()
            raise

    def serve(self) -> None:
        """Answer the requests that wait, all with one answer; never waits itself."""
        senders = self._senders()
        if not senders:
            return
        answer = self._handle()
        for sender in senders:
            with suppress(OSError):  # the sender may have left
                self._send(answer, sender)

    def close(self) -> None:
        """Remove the socket."""
        self._path.unlink(missing_ok=True)
        self._socket.close()

    def _senders(self) -> list[str]:
        """Return the addresses from which requests have arrived."""
        senders: list[str] = []
        while len(senders) < _REQUESTS_A_TICK:
            try:
                _, sender = self._socket.recvfrom(_REQUEST_BYTES)
            except OSError:  # usually there are none
                break
            senders.append(sender or "")
        return senders

    def _send(self, answer: bytes, address: str) -> None:
        """Send an answer as a file in memory: a datagram has not room for many robots."""
        file = os.memfd_create("answer")
        try:
            os.write(file, answer)
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", [file]))
            self._socket.sendmsg([b"answer"], [rights], 0, address)  # socket.send_fds ignores the address
        finally:
            os.close(file)


class LocalInterface:
    """The sockets of one driver: one stops the fleet, the other returns what the driver knows of the fleet.

    Parameters
    ----------
    node : the driver's node; queries the graph
    claims : the driver's claims
    stop : stops the fleet
    robots : returns the served robots as last published
    """

    def __init__(
        self, node: Node, claims: Claims, stop: Callable[[], None], robots: Callable[[], Sequence[KnownRobot]]
    ) -> None:
        self._node = node
        self._claims = claims
        self._stop = stop
        self._robots = robots
        self._network = discovery_settings()
        self._foreign_robots = ForeignRobots(node, _QUERY_S)
        self._stops = self._create_socket(STOP_ENDING, self._on_stop)
        self._questions = self._create_socket(FLEET_ENDING, self._on_question)

    def serve_stops(self) -> None:
        """Stop the fleet if a program has requested it; never waits itself."""
        if self._stops is not None:
            self._stops.serve()

    def serve_questions(self) -> None:
        """Answer the questions that wait; never waits itself."""
        if self._questions is not None:
            self._questions.serve()

    def close(self) -> None:
        """Remove the sockets."""
        for one in (self._stops, self._questions):
            if one is not None:
                one.close()

    def _create_socket(self, ending: str, handle: Callable[[], bytes]) -> LocalSocket | None:
        folder = domain_folder(self._node.context.get_domain_id())
        try:
            return LocalSocket(folder / f"{self._claims.driver.token}{ending}", handle)
        except OSError as error:
            self._node.get_logger().warning(
                f"`thymio-fleet stop`, `status` and `list` will take longer here: no socket in {folder}: {error}"
            )
            return None

    def _on_stop(self) -> bytes:
        self._stop()
        return answer_from(LocalDriver(self._claims.driver, tuple(sorted(self._claims.announcement.serves))))

    def _on_question(self) -> bytes:
        own = self._claims.announcement
        return known_fleet_to_bytes(
            KnownFleet(
                own.driver,
                self._network,
                is_settled=not self._claims.is_new and self._has_heard_all(),
                serves=tuple(own.serves),
                waits_for=tuple(own.waits_for),
                knows=tuple(own.knows),
                foreign_ids=self._foreign_ids(),
                robots=tuple(self._robots()),
            )
        )

    def _has_heard_all(self) -> bool:
        """Whether every driver on the graph has announced itself."""
        return int(self._node.count_publishers(DRIVERS_TOPIC)) <= 1 + len(self._claims.others)

    def _foreign_ids(self) -> list[int]:
        """Return the robots on the graph that no known driver announces."""
        announced = {robot_id for one in (self._claims.announcement, *self._claims.others) for robot_id in one.claimed}
        return self._foreign_robots.ids(announced, time.monotonic())
