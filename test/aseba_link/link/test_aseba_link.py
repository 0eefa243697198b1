from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.errors import ConnectionLostError, TargetError
from aseba_link.host.link_events import (
    AnonymousEvent,
    LinkEvent,
    NodeDisconnected,
    NodeFound,
    NodeLost,
    NodeReady,
    TargetConnected,
    TargetLost,
    UserEvent,
    VariablesRead,
)
from aseba_link.host.node import NodeAddress
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.connection import Connection, pipe
from aseba_link.link.target import Target
from aseba_link.thymio.events import Event, decode_odometry, wheel_travel
from aseba_link.wire.bytecode import CompiledScript
from aseba_link.wire.message import encode, from_words
from harness.aseba.fake_node import FakeNode, FakeTarget, PipeDialer, dialer_to
from harness.aseba.link_bench import STEP_NS, LinkBench
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world

SCRIPT = CompiledScript((1, 0))
ONE, TWO = "tcp:localhost;1", "tcp:localhost;2"
SIMULATOR = "tcp:localhost;3"
WORLD = Path(__file__).parents[3] / "config" / "world.yaml"


class ReportingTarget(FakeTarget):
    """A target whose running nodes report every 50 ms."""

    _turn = 0

    def step(self) -> None:
        super().step()
        self._turn += 1
        if self._turn % 5 == 0:
            self.send([node.odometry() for node in self.nodes if node.running])


class Bench(LinkBench):
    """A link to targets in memory; targets 1 and 2 have one fake node each."""

    def __init__(self, *targets: str) -> None:
        self.one = ReportingTarget(FakeNode(1))
        self.two = ReportingTarget(FakeNode(1))
        self.dialer = dialer_to(self.one, self.two)
        super().__init__(AsebaLink(targets, ScriptPolicy(lambda _: SCRIPT), self.dialer), self.one, self.two)

    def step(self) -> list[LinkEvent]:
        """Let 10 ms pass; return the events without the nodes' regular reports."""
        return [event for event in super().step() if not isinstance(event, UserEvent | AnonymousEvent)]


def kinds(events: Sequence[LinkEvent]) -> list[type[LinkEvent]]:
    return [type(event) for event in events]


def ready_bench() -> Bench:
    bench = Bench(ONE, TWO)
    bench.run(1)
    assert len(bench.link.nodes) == 2
    return bench


def peer(target: FakeTarget) -> Connection:
    assert target.connection is not None
    return target.connection


def test_nodes_with_the_same_id_on_two_targets_are_two_nodes() -> None:
    assert list(ready_bench().link.nodes) == [NodeAddress(ONE, 1), NodeAddress(TWO, 1)]


def test_target_is_connected_before_its_node_is_ready() -> None:
    assert kinds(Bench(ONE).run(1)) == [TargetConnected, NodeFound, NodeReady]


def test_event_goes_at_once_and_to_its_target_only() -> None:
    bench = ready_bench()
    assert bench.link.node(NodeAddress(TWO, 1)).emit(0, [1, 50, -50])
    bench.run(0.02)
    assert from_words(0, 0, [1, 50, -50]) in bench.two.nodes[0].received
    assert not [message for message in bench.one.nodes[0].received if message.is_user_event]


@pytest.mark.parametrize("address", [NodeAddress(ONE, 2), NodeAddress("tcp:elsewhere", 1)])
def test_event_to_an_unknown_node_is_not_sent(address: NodeAddress) -> None:
    assert not ready_bench().link.node(address).emit(0, [1, 2, 3])


def test_event_of_a_node_is_reported_with_its_address_and_time() -> None:
    bench = ready_bench()
    bench.two.send([bench.two.nodes[0].odometry(42)])
    assert bench.link.poll(bench.now_ns + 5) == [UserEvent(NodeAddress(TWO, 1), 1, (42, 0, 0, 0, 0), bench.now_ns + 5)]


def test_variable_is_read_through_the_link() -> None:
    bench = ready_bench()
    assert bench.link.node(NodeAddress(ONE, 1)).request_variable("_id")
    assert bench.run(0.05) == [VariablesRead(NodeAddress(ONE, 1), "_id", (1,), bench.now_ns - 4 * STEP_NS)]


def test_broken_connection_loses_its_nodes_and_is_dialled_again() -> None:
    bench = ready_bench()
    peer(bench.one).close()
    assert kinds(bench.run(2)) == [NodeLost, NodeDisconnected, TargetLost, TargetConnected, NodeFound, NodeReady]
    assert len(bench.link.nodes) == 2


def test_target_is_never_dialled_within_50_ms_of_a_close() -> None:
    bench = ready_bench()
    attempts = bench.dialer.attempts
    peer(bench.one).close()
    bench.run(0.06)
    assert bench.dialer.attempts == attempts


def test_unreachable_target_is_reported_once_and_dialled_ever_less_often() -> None:
    bench = Bench("tcp:localhost;9")
    assert bench.run(60) == [TargetLost("tcp:localhost;9", "Connection refused")]
    assert 12 <= bench.dialer.attempts <= 16


def test_unreachable_target_is_reported_again_when_the_reason_changes() -> None:
    bench = ready_bench()
    del bench.dialer.accept[1]
    peer(bench.one).close()
    reasons = [event.reason for event in bench.run(20) if isinstance(event, TargetLost)]
    assert reasons == ["closed by the peer", "Connection refused"]


def test_target_that_returns_after_a_long_outage_is_ready_again() -> None:
    bench = ready_bench()
    accept = bench.dialer.accept.pop(1)
    peer(bench.one).close()
    bench.run(600)
    bench.dialer.accept[1] = accept
    assert kinds(bench.run(6)) == [TargetConnected, NodeFound, NodeReady]


def test_unreachable_target_does_not_delay_another() -> None:
    bench = Bench("tcp:localhost;9", TWO)
    bench.run(1)
    assert list(bench.link.nodes) == [NodeAddress(TWO, 1)]


def test_attempt_that_never_ends_does_not_delay_another() -> None:
    bench = Bench()

    class SlowDialer:
        def dial(self, target: Target) -> Future[Connection]:
            return Future() if getattr(target, "port", 0) == 1 else bench.dialer.dial(target)

    bench.link = AsebaLink([ONE, TWO], ScriptPolicy(lambda _: SCRIPT), SlowDialer())
    bench.run(1)
    assert list(bench.link.nodes) == [NodeAddress(TWO, 1)]


def hostile(bench: Bench, data: bytes) -> None:
    """Let target 1 send `data` instead of its node's messages, now and whenever it is dialled again."""

    def accept(connection: Connection) -> None:
        connection.send(data)
        connections.append(connection)

    connections: list[Connection] = []
    bench.dialer.accept[1] = accept
    peer(bench.one).send(data)
    bench.one.connection = None


def serves(bench: Bench, address: NodeAddress) -> bool:
    """Whether a node accepts events and reports."""
    bench.two.send([bench.two.nodes[0].odometry(7)])
    report = UserEvent(address, 1, (7, 0, 0, 0, 0), bench.now_ns)
    return bench.link.node(address).emit(0, [1, 0, 0]) and report in bench.link.poll(bench.now_ns)


@settings(max_examples=25, deadline=None)
@given(st.binary(min_size=1, max_size=3000))
def test_random_bytes_on_one_target_do_not_disturb_another(data: bytes) -> None:
    bench = ready_bench()
    hostile(bench, data)
    events = bench.run(5)
    assert [event for event in events if isinstance(event, NodeLost) and event.address.target == TWO] == []
    assert serves(bench, NodeAddress(TWO, 1))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff" * 20, "framing is lost"),
        (encode(from_words(1, 1, [1, 2, 3, 4, 5]))[:-1], "a message takes longer than 3 s"),
        (b"\x02", "a message takes longer than 3 s"),
    ],
)
def test_lost_framing_or_a_message_that_never_ends_is_an_outage_of_this_target_only(data: bytes, reason: str) -> None:
    bench = ready_bench()
    hostile(bench, data)
    outages = [event for event in bench.run(4) if isinstance(event, TargetLost)]
    assert {event.target for event in outages} == {ONE}
    assert reason in outages[0].reason
    assert serves(bench, NodeAddress(TWO, 1))


def test_message_that_arrives_too_slowly_is_an_outage() -> None:
    bench = ready_bench()
    connection = peer(bench.one)
    bench.one.connection = None
    events: list[LinkEvent] = []
    for byte in encode(from_words(1, 1, [0] * 258))[:31]:
        connection.send(bytes([byte]))
        events += bench.run(0.1)
    assert [event.reason for event in events if isinstance(event, TargetLost)] == ["a message takes longer than 3 s"]


def test_flood_on_one_target_does_not_delay_another() -> None:
    bench = ready_bench()
    hostile(bench, encode(from_words(1, 1, [0] * 5)) * 60_000)
    bench.run(0.02)
    assert serves(bench, NodeAddress(TWO, 1))


def test_peer_that_reads_nothing_is_an_outage_instead_of_filling_the_memory() -> None:
    bench = ready_bench()
    bench.one.step = lambda: None  # type: ignore[method-assign]  # a peer that stops reading is under test
    sent = [bench.link.node(NodeAddress(ONE, 1)).emit(0, [0] * 258) for _ in range(4000)]
    assert not sent[-1]
    assert kinds(bench.run(0.05))[:3] == [NodeLost, NodeDisconnected, TargetLost]


def test_wrong_target_string_is_refused() -> None:
    with pytest.raises(TargetError, match="udp:localhost"):
        AsebaLink(["udp:localhost"], ScriptPolicy(lambda _: SCRIPT), PipeDialer({}))


def test_close_closes_every_connection() -> None:
    bench = ready_bench()
    connections = [peer(bench.one), peer(bench.two)]
    bench.link.close()
    bench.run(2)
    assert bench.link.nodes == {}
    assert [closed(connection) for connection in connections] == [True, True]


def closed(connection: Connection) -> bool:
    try:
        while connection.receive():
            pass
    except ConnectionLostError:
        return True
    return False


def test_attempt_that_succeeds_after_close_is_closed() -> None:
    future: Future[Connection] = Future()

    class LateDialer:
        def dial(self, _: Target) -> Future[Connection]:
            return future

    link = AsebaLink([ONE], ScriptPolicy(lambda _: SCRIPT), LateDialer())
    link.poll(0)
    link.close()
    ours, theirs = pipe()
    future.set_result(ours)
    assert closed(theirs)


class SimulatedRobots(LinkBench):
    """The real simulator with the shipped world, in memory, and a link to it."""

    def __init__(self) -> None:
        self.simulation = Simulation(load_world(WORLD))
        attach: Callable[[Connection], None] = self.simulation.network.attach
        dialer = PipeDialer({3: attach})
        link = AsebaLink([SIMULATOR], ScriptPolicy(ScriptCompiler(shipped_script())), dialer)
        super().__init__(link, self.simulation)

    def drive(self, duration_s: float, speed_raw: int) -> list[LinkEvent]:
        """Let time pass, with commands ten times a second; return the events."""
        events: list[LinkEvent] = []
        for _ in range(round(10 * duration_s)):
            for address in self.link.nodes:
                self.link.node(address).emit(Event.SET_SPEED, [address.node_id, speed_raw, speed_raw])
            events += self.run(0.1)
        return events


def test_simulated_robots_are_ready_within_half_a_second() -> None:
    robots = SimulatedRobots()
    robots.run(0.5)
    assert [address.node_id for address in robots.link.nodes] == robots.simulation.node_ids


def test_simulated_robots_drive_on_command_and_stop_by_themselves() -> None:
    robots = SimulatedRobots()
    robots.run(0.5)
    events = robots.drive(2, 150)
    address = next(iter(robots.link.nodes))
    reports = [event for event in events if isinstance(event, UserEvent) and event.address == address]
    readings = [decode_odometry(report.args) for report in reports]
    travel = wheel_travel(readings[0], readings[-1])
    assert travel.left_m == pytest.approx(150 * 0.000332 * travel.duration_s, rel=0.1)
    robots.run(2)
    assert robots.simulation.robots[0].targets_raw == (0, 0)


def test_stopped_simulated_robot_gets_its_script_again() -> None:
    robots = SimulatedRobots()
    robots.run(0.5)
    robots.simulation.robots[0].handle(from_words(0, 0xA006, [1]))
    events = [event for event in robots.run(2) if isinstance(event, NodeLost | NodeReady)]
    assert kinds(events) == [NodeLost, NodeReady]
