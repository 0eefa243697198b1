"""Messages between `hold` and `release` go out in one piece to each target, at the latest in the next poll."""

from concurrent.futures import Future
from pathlib import Path

import pytest

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.host.link_events import NodeDisconnected, NodeLost, TargetLost
from aseba_link.host.node import NodeAddress
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.connection import Connection
from aseba_link.link.dialer import Dialer
from aseba_link.link.target import Target
from aseba_link.thymio.events import Event, script_constants
from aseba_link.wire.message import FIRST_SYSTEM_TYPE, HOST_ID, Message, encode, from_words
from aseba_link.wire.stream import MessageStream
from experiments.lab.stage import STEP_NS, Stage
from fleet.geometry import Twist2D
from fleet.service.fleet_service import FleetService
from harness.aseba.fake_node import FakeNode
from harness.aseba.two_targets import ONE, TWO, TwoTargets
from harness.closed_loop import closed_loop
from simulator.world.config import load_world

FIRST, SECOND = NodeAddress(ONE, 1), NodeAddress(TWO, 1)
TICK_NS = 50_000_000


class WrittenConnection:
    """A connection that records each write."""

    def __init__(self, connection: Connection) -> None:
        self.writes: list[bytes] = []
        self._connection = connection

    @property
    def queued(self) -> int:
        return self._connection.queued

    def send(self, data: bytes) -> None:
        self._connection.send(data)
        self.writes.append(data)

    def receive(self) -> bytes:
        return self._connection.receive()

    def close(self) -> None:
        self._connection.close()

    def commands(self) -> list[list[Message]]:
        """Return the events of each write since the last call, without writes that have none."""
        writes = [MessageStream().feed(data) for data in self.writes]
        self.writes.clear()
        events = [[message for message in messages if message.is_user_event] for messages in writes]
        return [messages for messages in events if messages]


class WrittenDialer:
    """Wraps a dialer, and records the writes to each target."""

    def __init__(self, dialer: Dialer) -> None:
        self.connections: dict[str, WrittenConnection] = {}
        self._dialer = dialer

    def dial(self, target: Target) -> Future[Connection]:
        attempt: Future[Connection] = Future()
        connection = WrittenConnection(self._dialer.dial(target).result())
        self.connections[str(target)] = connection
        attempt.set_result(connection)
        return attempt


class Bench(TwoTargets):
    """Two targets whose nodes are ready, and all later writes to them."""

    def __init__(self, budgets_hz: dict[str, float] | None = None) -> None:
        super().__init__(FakeNode(1), FakeNode(1), self._dialed, budgets_hz)
        self.run(1.0)
        assert list(self.link.nodes) == [FIRST, SECOND]
        self.written()

    def _dialed(self, dialer: Dialer) -> Dialer:
        self.dialer = WrittenDialer(dialer)
        return self.dialer

    @property
    def first(self) -> WrittenConnection:
        return next(iter(self.dialer.connections.values()))

    def written(self) -> list[list[list[Message]]]:
        """Return the events of each write, target by target, since the last call."""
        return [connection.commands() for connection in self.dialer.connections.values()]


def speeds(speed_raw: int) -> Message:
    return from_words(HOST_ID, Event.SET_SPEED, [1, speed_raw, speed_raw])


def test_held_messages_go_out_in_one_piece_to_each_target() -> None:
    bench = Bench()
    bench.link.hold()
    sent = [bench.link.node(address).emit(0, [1, raw, raw]) for raw in (10, 20, 30) for address in (FIRST, SECOND)]
    assert (sent, bench.written()) == ([True] * 6, [[], []])
    bench.link.release()
    assert bench.written() == [[[speeds(10), speeds(20), speeds(30)]]] * 2


def test_after_the_release_everything_goes_out_at_once_again() -> None:
    bench = Bench()
    bench.link.hold()
    bench.link.release()
    bench.link.node(FIRST).emit(0, [1, 10, 10])
    bench.link.node(FIRST).emit(0, [1, 20, 20])
    assert bench.written() == [[[speeds(10)], [speeds(20)]], []]


def test_the_next_poll_makes_up_for_a_forgotten_release() -> None:
    bench = Bench()
    bench.link.hold()
    bench.link.node(FIRST).emit(0, [1, 10, 10])
    bench.link.poll(bench.now_ns + 1)
    bench.link.node(FIRST).emit(0, [1, 0, 0])
    assert bench.written() == [[[speeds(10)], [speeds(0)]], []]


def test_requests_and_broadcasts_are_held_too_and_keep_their_order() -> None:
    bench = Bench()
    bench.link.hold()
    bench.link.node(FIRST).emit(0, [1, 10, 10])
    bench.link.node(FIRST).request_variable("_id")
    bench.link.broadcast(0, [1, 20, 20])
    bench.link.release()
    (data,) = bench.first.writes
    types = [message.type for message in MessageStream().feed(data)]
    assert [kind if kind < FIRST_SYSTEM_TYPE else "question" for kind in types] == [0, "question", 0]


def test_a_connection_that_breaks_at_the_release_is_an_outage_of_its_target_only() -> None:
    bench = Bench()
    bench.link.hold()
    bench.link.node(FIRST).emit(0, [1, 10, 10])
    bench.link.node(SECOND).emit(0, [1, 10, 10])
    connection = bench.targets[0].connection
    assert connection is not None
    connection.close()
    bench.link.release()
    assert [type(event) for event in bench.link.poll(bench.now_ns)] == [NodeLost, NodeDisconnected, TargetLost]
    assert bench.link.node(SECOND).emit(0, [1, 20, 20])
    assert bench.written()[1] == [[speeds(10)], [speeds(20)]]


def test_a_command_that_was_held_for_a_connection_that_broke_is_not_sent_to_the_next_one() -> None:
    bench = Bench()
    bench.link.hold()
    bench.link.node(FIRST).emit(0, [1, 10, 10])
    connection = bench.targets[0].connection
    assert connection is not None
    connection.close()
    bench.run(2.0)
    assert FIRST in bench.link.nodes
    assert bench.written()[0] == []


def test_held_messages_take_room_from_the_budget_at_once() -> None:
    bench = Bench({ONE: 100.0})
    bench.run(5.0)
    bench.link.hold()
    room = []
    for _ in range(12):
        room.append(bench.link.node(FIRST).has_room())
        bench.link.node(FIRST).emit(0, [1, 10, 10])
    assert (room[0], room[-1]) == (True, False)


def test_a_peer_that_does_not_read_has_no_room_for_what_can_wait_however_it_is_sent() -> None:
    bench = Bench()
    bench.link.hold()
    for _ in range(30):
        bench.link.node(FIRST).emit(0, [1, 10, 10])
    bench.link.release()
    assert bench.link.node(FIRST).has_room()
    bench.link.poll(bench.now_ns)
    assert (bench.link.node(FIRST).has_room(), bench.link.node(SECOND).has_room()) == (False, True)
    bench.link.hold()
    assert bench.link.node(FIRST).emit(0, [1, 0, 0])
    bench.link.release()
    assert bench.written()[0][-1] == [speeds(0)]


class Fleet:
    """A fleet with a simulated world in counted time, and its writes."""

    def __init__(self, folder: Path, count: int) -> None:
        config = closed_loop(folder, count, tracked=False).config
        self._stage = Stage(load_world(folder / "world.yaml"))
        self.dialer = WrittenDialer(self._stage)
        script_policy = ScriptPolicy(
            ScriptCompiler(shipped_script().with_constants(script_constants(config.rates.odometry_hz)))
        )
        self.service = FleetService(config, AsebaLink(config.link.targets, script_policy, self.dialer))
        self.ids = [robot.id for robot in config.robots]
        self.run(2.0)
        self.commands()

    @property
    def now_ns(self) -> int:
        return self._stage.now_ns

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * 1e9 / TICK_NS)):
            for _ in range(TICK_NS // STEP_NS):
                self._stage.step()
            self.service.tick(self._stage.now_ns)

    def commands(self) -> list[list[Message]]:
        return [write for connection in self.dialer.connections.values() for write in connection.commands()]


def test_a_tick_commands_all_robots_of_a_target_in_one_write(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, 5)
    for robot_id in fleet.ids:
        assert fleet.service.drive(robot_id, Twist2D(0.1, 0.0), fleet.now_ns) is None
    fleet.run(0.05)
    assert [[message.words()[0] for message in write] for write in fleet.commands()] == [fleet.ids]


def test_a_stop_goes_out_in_the_tick_that_commands_it(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, 3)
    for robot_id in fleet.ids:
        fleet.service.drive(robot_id, Twist2D(0.1, 0.0), fleet.now_ns)
    fleet.run(0.1)
    fleet.commands()
    fleet.service.stop()
    fleet.service.tick(fleet.now_ns)
    assert fleet.commands() == [[from_words(HOST_ID, Event.SET_SPEED, [robot_id, 0, 0]) for robot_id in fleet.ids]]


@pytest.mark.parametrize("size", [0, 3, 258])
def test_a_held_frame_equals_its_encoded_message(size: int) -> None:
    bench = Bench()
    bench.link.hold()
    bench.link.node(FIRST).emit(7, [-1] * size)
    bench.link.release()
    assert bench.first.writes[-1] == encode(from_words(HOST_ID, 7, [-1] * size))
