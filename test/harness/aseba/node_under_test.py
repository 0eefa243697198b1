"""Nodes that can be tested against the Thymio contract: simulated, third-party and real ones."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

from aseba_link.errors import ConnectionLostError
from aseba_link.link.connection import Connection, pipe
from aseba_link.link.dialer import CONNECT_TIMEOUT_S, ThreadDialer
from aseba_link.link.listener import Listener
from aseba_link.link.target import parse_target
from aseba_link.wire.message import Message, encode
from aseba_link.wire.stream import MessageStream
from bench.peer.course import Part, Stand
from bench.peer.running import LOCALHOST, running_playground, running_simulator
from bench.peer.worlds import write_world
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world

POLL_S = 0.005
STARTING_S = 120.0
ALONE = [Stand(7, Part.FACE_WALL, 0.6, 0.35)]


class NodeUnderTest(Protocol):
    """A network with a node, from the host's side."""

    @property
    def now_s(self) -> float:
        """The node's time."""

    def send(self, message: Message) -> None:
        """Send a message."""

    def listen(self) -> list[Message]:
        """Let a few milliseconds pass; return the messages received. Raises ConnectionLostError if the node is lost."""


class SimulationUnderTest:
    """Our simulation in this process: time passes as fast as it can.

    Parameters
    ----------
    connection : the host's end
    serve : accepts the hosts that have connected
    """

    def __init__(
        self, simulation: Simulation, connection: Connection, serve: Callable[[], Iterable[Connection]] = tuple
    ) -> None:
        self._simulation = simulation
        self._connection = connection
        self._serve = serve
        self._stream = MessageStream()

    @property
    def now_s(self) -> float:
        return self._simulation.time_s

    def send(self, message: Message) -> None:
        self._connection.send(encode(message))

    def listen(self) -> list[Message]:
        for host in self._serve():
            self._simulation.network.attach(host)
        self._simulation.step()
        return self._stream.feed(self._connection.receive())


class WireUnderTest:
    """Any node behind a connection, in real time."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._stream = MessageStream()

    @property
    def now_s(self) -> float:
        return time.monotonic()

    def send(self, message: Message) -> None:
        self._connection.send(encode(message))

    def listen(self) -> list[Message]:
        time.sleep(POLL_S)
        return self._stream.feed(self._connection.receive())


@contextmanager
def simulation_in_memory(folder: Path) -> Iterator[NodeUnderTest]:
    simulation = Simulation(load_world(write_world(folder, ALONE)))
    ours, theirs = pipe()
    simulation.network.attach(theirs)
    yield SimulationUnderTest(simulation, ours)


@contextmanager
def simulation_on_tcp(folder: Path) -> Iterator[NodeUnderTest]:
    simulation = Simulation(load_world(write_world(folder, ALONE)))
    with closing(Listener(LOCALHOST, 0)) as listener:
        connection = _dialled(f"tcp:host={LOCALHOST};port={listener.port}")
        with closing(connection), closing(simulation.network):
            yield SimulationUnderTest(simulation, connection, listener.accept)


@contextmanager
def simulator_program(folder: Path) -> Iterator[NodeUnderTest]:
    with running_simulator(folder, ALONE) as (target,), node_at(target) as node:
        yield node


@contextmanager
def playground_node(folder: Path) -> Iterator[NodeUnderTest]:
    with running_playground(folder, ALONE) as (target,), node_at(target) as node:
        yield node


@contextmanager
def node_at(target: str) -> Iterator[NodeUnderTest]:
    """Connect to a target, with some time for it to start listening."""
    with closing(_dialled(target)) as connection:
        yield WireUnderTest(connection)


def _dialled(target: str) -> Connection:
    deadline_s = time.monotonic() + STARTING_S
    while True:
        try:
            return ThreadDialer().dial(parse_target(target)).result(2.0 * CONNECT_TIMEOUT_S)
        except ConnectionLostError:
            if time.monotonic() > deadline_s:
                raise
            time.sleep(0.1)
