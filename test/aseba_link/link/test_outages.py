"""Robots are unplugged and plugged in again in different ways, beside a robot of another target."""

import os
import threading
from collections import defaultdict
from concurrent.futures import Future
from enum import Enum, auto
from itertools import cycle, islice
from pathlib import Path

import pytest

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.errors import ConnectionLostError
from aseba_link.host.link_events import LinkEvent, NodeLost, UserEvent
from aseba_link.host.node import NodeAddress
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.connection import Connection
from aseba_link.link.target import Target, TcpTarget
from aseba_link.thymio.events import Event
from aseba_link.wire.message import encode, from_words
from bench.instruments.process_usage import open_files
from harness.aseba.link_bench import LinkBench
from harness.aseba.robots_in_memory import POLL_NS, RobotsInMemory, dialled

ROBOTS = 8
WINDOW_NS = 3 * POLL_NS  # odometry arrives at 20 Hz
BACK_S = 12.0  # the link dials every 5 s at least
UNPLUGGED, STEADY = "tcp:unplugged;1", "tcp:steady;2"


class Outage(Enum):
    """Interruptions of the connection to robots."""

    CLOSED = auto()  # and opened again at once
    CUT = auto()  # in the middle of a message, and opened again at once
    UNPLUGGED = auto()  # for 2 s, in which connections fail; robots return without their script
    SHORT_SILENCE = auto()  # 1 s, less than every time-out
    LONG_SILENCE = auto()  # 4 s, in which robots are lost
    SWITCHED_OFF = auto()  # and on, behind a connection that stays open, so only the script is missing


CYCLES = 2 * len(Outage)
LOSSES = [outage for outage in Outage if outage is not Outage.SHORT_SILENCE]


class Outages(LinkBench):
    """A link to robots that are unplugged again and again, and to one that is not.

    `missed`: ends of windows in which the steady robot was silent; `stood`: cycles in which it did not move; `absent`:
    cycles after which the same robots were not all back in time; `lost`: number of robots that the link reported lost.
    """

    def __init__(self, folder: Path) -> None:
        self.missed: list[int] = []
        self.stood: list[int] = []
        self.absent: list[int] = []
        self.lost: dict[Outage, int] = defaultdict(int)
        self._folder = folder
        self._robots = RobotsInMemory(folder, ROBOTS)
        self._steady = RobotsInMemory(folder, 1)
        self._cable: Connection | None = None
        self._is_plugged = True
        self._outage = Outage.CLOSED
        self._reported: set[NodeAddress] = set()
        link = AsebaLink([UNPLUGGED, STEADY], ScriptPolicy(ScriptCompiler(shipped_script())), self)
        super().__init__(link, self._steady, step_ns=POLL_NS)

    def dial(self, target: Target) -> Future[Connection]:
        """Act as the link's dialer."""
        if isinstance(target, TcpTarget) and target.host == "steady":
            return dialled(self._steady.simulation.network.attach)
        if self._is_plugged:
            return dialled(self._plug_in)
        attempt: Future[Connection] = Future()
        attempt.set_exception(ConnectionLostError("unplugged"))
        return attempt

    def go_through(self, cycles: int) -> None:
        """Go through all kinds of outages in turn."""
        self._is_back()
        robots = self._uuids()
        self.missed.clear()
        for number, self._outage in enumerate(islice(cycle(Outage), cycles)):
            pose = self._steady.simulation.pose(1)
            self._break()
            if not (self._is_back() and self._uuids() == robots):
                self.absent.append(number)
            if self._steady.simulation.pose(1) == pose:
                self.stood.append(number)
        self.link.close()

    def step(self) -> list[LinkEvent]:
        """Let one step pass; note who reports and who is lost, and keep the steady robot turning."""
        self._robots.step()
        events = super().step()
        for event in events:
            match event:
                case UserEvent(address, Event.ODOMETRY):
                    self._reported.add(address)
                case NodeLost(NodeAddress(target)) if target == UNPLUGGED:
                    self.lost[self._outage] += 1
        if self.now_ns % WINDOW_NS == 0:
            steady = NodeAddress(STEADY, 1)
            self.link.node(steady).emit(Event.SET_SPEED, [1, 50, -50])
            self.missed += [] if steady in self._reported else [self.now_ns]
            self._reported.discard(steady)
        return events

    def _plug_in(self, cable: Connection) -> None:
        self._cable = cable
        self._robots.simulation.network.attach(cable)

    def _uuids(self) -> dict[NodeAddress, str]:
        return {address: node.uuid for address, node in self.link.nodes.items()}

    def _break(self) -> None:
        """Cause the outage; the connection is possible again when this returns."""
        cable = self._cable
        assert cable is not None, "the link has not dialled"
        match self._outage:
            case Outage.CLOSED:
                cable.close()
            case Outage.CUT:
                cable.send(encode(from_words(1, Event.ODOMETRY, range(5)))[:-3])
                cable.close()
            case Outage.UNPLUGGED:
                self._is_plugged = self._robots.is_running = False
                cable.close()
                self.run(2.0)
                self._is_plugged = True
                self._robots = RobotsInMemory(self._folder, ROBOTS)
            case Outage.SHORT_SILENCE | Outage.LONG_SILENCE:
                self._robots.is_running = False
                self.run(1.0 if self._outage is Outage.SHORT_SILENCE else 4.0)
                self._robots.is_running = True
            case Outage.SWITCHED_OFF:
                self._robots = RobotsInMemory(self._folder, ROBOTS)
                self._robots.simulation.network.attach(cable)

    def _is_back(self) -> bool:
        """Run until every robot reports from its script; return whether that happened in time."""
        self.step()
        self._reported = {address for address in self._reported if address.target == STEADY}
        for _ in range(round(BACK_S * 1e9 / POLL_NS)):
            self.step()
            back = {address for address in self._reported if address.target == UNPLUGGED}
            if len(back & self.link.nodes.keys()) == ROBOTS:
                return True
        return False


@pytest.fixture(scope="module")
def outages(tmp_path_factory: pytest.TempPathFactory) -> Outages:
    run = Outages(tmp_path_factory.mktemp("outages"))
    run.go_through(CYCLES)
    return run


@pytest.mark.slow
def test_all_robots_are_back_with_their_script_after_every_outage(outages: Outages) -> None:
    assert outages.absent == []


def test_robot_of_another_target_moves_and_reports_all_the_time(outages: Outages) -> None:
    assert (outages.missed, outages.stood) == ([], [])


@pytest.mark.parametrize("outage", LOSSES, ids=lambda outage: outage.name)
def test_robots_are_lost_in_an_outage(outages: Outages, outage: Outage) -> None:
    assert outages.lost[outage] == ROBOTS * CYCLES // len(Outage)


def test_robots_are_not_lost_in_a_short_silence(outages: Outages) -> None:
    assert outages.lost[Outage.SHORT_SILENCE] == 0


def test_outages_leak_no_threads_and_no_files(tmp_path: Path) -> None:
    before = threading.active_count(), open_files(os.getpid())
    Outages(tmp_path).go_through(len(Outage))
    assert (threading.active_count(), open_files(os.getpid())) == before
