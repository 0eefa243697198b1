"""Our link while other programs use its targets through its switch."""

import pytest

from aseba_link.host.link_events import LinkEvent, NodeLost, NodeReady, TargetLost, UserEvent
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.switch import Switch
from aseba_link.wire.bytecode import CompiledScript
from aseba_link.wire.message import Message, MessageType, encode, from_words
from harness.aseba.client import Client, WaitingConnections
from harness.aseba.fake_node import FakeNode, FakeTarget, dialer_to
from harness.aseba.link_bench import LinkBench

ONE, TWO = "tcp:localhost;1", "tcp:localhost;2"


class SlowTarget(FakeTarget):
    """A target that can become as slow as the radio of a dongle: 16 kB per second."""

    def __init__(self, *nodes: FakeNode) -> None:
        super().__init__(*nodes)
        self.is_slow = False
        self._turn = 0

    def step(self) -> None:
        self._turn += 1
        if not self.is_slow or self._turn % 100 == 0:  # a read takes up to 16 kB
            super().step()


class Bench(LinkBench):
    """A link with a switch to two targets, and a client."""

    def __init__(self, *targets: FakeTarget, reclaims: bool = True) -> None:
        self.targets = targets
        waiting = WaitingConnections()
        self.dialer = dialer_to(*targets)
        script_policy = ScriptPolicy(lambda _: CompiledScript((1, 0)), event_timeout_s=None, reclaims=reclaims)
        link = AsebaLink([ONE, TWO][: len(targets)], script_policy, self.dialer, Switch(waiting, loop=False))
        super().__init__(link, *targets)
        self.client = Client(waiting.add)
        self.flood = b""  # sent by the client again and again

    def step(self) -> list[LinkEvent]:
        if self.client.connection.queued < len(self.flood):
            self.client.connection.send(self.flood)
        return super().step()

    @property
    def nodes(self) -> list[FakeNode]:
        return [node for target in self.targets for node in target.nodes]


def ready_bench(*, reclaims: bool = True) -> Bench:
    bench = Bench(FakeTarget(FakeNode(1)), FakeTarget(FakeNode(2)), reclaims=reclaims)
    bench.run(1)
    assert len(bench.link.nodes) == 2
    bench.client.received()
    return bench


def test_client_receives_our_requests_and_the_nodes_answers() -> None:
    bench = ready_bench()
    bench.run(1)
    types = {(message.source, message.type) for message in bench.client.received()}
    assert {(0, MessageType.LIST_NODES), (1, MessageType.NODE_PRESENT), (2, MessageType.NODE_PRESENT)} <= types


def test_client_receives_an_event_with_half_a_word_that_the_link_drops() -> None:
    bench = ready_bench()
    odd = Message(1, 0, b"abc")
    bench.targets[0].send([odd])
    events = bench.run(0.05)
    assert odd in bench.client.received()
    assert [event for event in events if isinstance(event, UserEvent)] == []
    assert bench.link.dropped == 1


def test_client_commands_reach_the_nodes_of_every_target_unchanged() -> None:
    bench = ready_bench()
    command = from_words(1, MessageType.SET_VARIABLES, [2, 34, 5])  # thymiodirect's source is 1
    bench.client.send(command)
    bench.run(0.05)
    assert all(command in node.received for node in bench.nodes)
    assert bench.nodes[1].variables[34] == 5


def lost_and_ready(events: list[LinkEvent]) -> list[type[LinkEvent]]:
    return [type(event) for event in events if isinstance(event, NodeLost | NodeReady | TargetLost)]


def test_node_gets_our_script_back_after_a_client_uploaded_another() -> None:
    bench = ready_bench()
    bench.client.send(from_words(0, MessageType.SET_BYTECODE, [1, 0, 7, 7]))
    assert lost_and_ready(bench.run(5)) == [NodeLost, NodeReady]


@pytest.mark.parametrize("source", [0, 1])
def test_node_keeps_the_script_of_a_client_if_we_do_not_reclaim_nodes(source: int) -> None:
    bench = ready_bench(reclaims=False)
    bench.client.send(from_words(source, MessageType.SET_BYTECODE, [2, 0, 7, 7]))
    assert lost_and_ready(bench.run(5)) == [NodeLost]


@pytest.mark.parametrize("last_bytes", [b"", b"\xff" * 20])
def test_disconnected_client_is_not_a_loss_of_a_target(last_bytes: bytes) -> None:
    bench = ready_bench()
    bench.client.connection.send(last_bytes)
    bench.client.connection.close()
    assert lost_and_ready(bench.run(5)) == []
    assert bench.dialer.attempts == 2


def test_nodes_that_a_client_makes_up_are_ignored() -> None:
    bench = ready_bench()
    bench.client.send(from_words(5, MessageType.NODE_PRESENT, [9]))
    bench.run(0.5)
    requests = [message for node in bench.nodes for message in node.requests(MessageType.GET_NODE_DESCRIPTION_FRAGMENT)]
    assert not [message for message in requests if message.unsigned_words()[0] == 5]


@pytest.mark.slow
def test_flood_of_a_client_does_not_break_a_slow_target() -> None:
    slow = SlowTarget(FakeNode(2))
    bench = Bench(FakeTarget(FakeNode(1)), slow)
    bench.run(1)
    assert len(bench.link.nodes) == 2
    slow.is_slow = True
    bench.flood = encode(from_words(0, 200, range(20))) * 100
    assert lost_and_ready(bench.run(60)) == []


def test_flood_of_a_client_does_not_disturb_our_commands() -> None:
    bench = ready_bench()
    bench.flood = encode(from_words(0, 200, range(20))) * 100
    for _ in range(100):
        address = next(iter(bench.link.nodes))
        assert bench.link.node(address).emit(0, [1, 50, 50])
        bench.run(0.1)
    assert len(bench.nodes[0].requests(MessageType.LIST_NODES)) >= 10
    assert sum(message.type == 0 for message in bench.nodes[0].received) == 100


def test_flood_of_events_for_all_neither_breaks_a_slow_target_nor_delays_what_is_urgent() -> None:
    slow = SlowTarget(FakeNode(1))
    bench = Bench(slow)
    bench.run(1)
    slow.is_slow = True
    address = next(iter(bench.link.nodes))
    for _ in range(5000):
        bench.link.broadcast(200, [0] * 200)
    assert not bench.link.node(address).emit(0, [1], is_urgent=False)
    assert bench.link.node(address).emit(0, [2])
    assert lost_and_ready(bench.run(5)) == []
    assert [message.words() for message in slow.nodes[0].received if message.type == 0] == [(2,)]
    assert bench.link.dropped > 4900
