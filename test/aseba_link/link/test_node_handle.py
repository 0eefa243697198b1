from collections.abc import Callable

import pytest

from aseba_link.host.link_events import NodeReady
from aseba_link.host.node import NodeAddress
from aseba_link.link.node_handle import NodeHandle
from aseba_link.wire.bytecode import CompiledScript
from aseba_link.wire.message import Message, MessageType, from_words
from harness.aseba.fake_node import FakeNode
from harness.aseba.two_targets import ONE, TWO, TwoTargets

OTHER = CompiledScript((1, 0, 0))
KNOWN = NodeAddress(ONE, 1)
SILENT = NodeAddress(ONE, 2)
UNKNOWN = (SILENT, NodeAddress("tcp:elsewhere", 1))
COMMANDS: tuple[Callable[[NodeHandle], bool], ...] = (
    lambda node: node.emit(0, [1, 50, 50]),
    lambda node: node.load(OTHER),
    lambda node: node.restore(),
    lambda node: node.request_variable("_id"),
    lambda node: node.set_variable("_id", [7]),
)


class Bench(TwoTargets):
    """Two targets with a ready node each, and a handle of the first."""

    def __init__(self) -> None:
        super().__init__(FakeNode(1), FakeNode(1))
        self.node = self.link.node(KNOWN)
        self.run(1.0)
        self.received.clear()

    @property
    def received(self) -> list[Message]:
        """The messages that the first node has received."""
        return self.targets[0].nodes[0].received

    def reconnect(self) -> None:
        """Break the connection of the first target, and wait until its node is ready again."""
        connection = self.targets[0].connection
        assert connection is not None
        connection.close()
        events = self.run(3.0)
        assert any(isinstance(event, NodeReady) for event in events)


@pytest.mark.parametrize("command", COMMANDS)
def test_command_to_a_ready_node_is_accepted(command: Callable[[NodeHandle], bool]) -> None:
    assert command(Bench().node)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("address", UNKNOWN)
def test_command_to_an_unknown_node_is_refused(address: NodeAddress, command: Callable[[NodeHandle], bool]) -> None:
    assert not command(Bench().link.node(address))


@pytest.mark.parametrize("address", UNKNOWN)
def test_unknown_node_has_no_variables(address: NodeAddress) -> None:
    assert Bench().link.node(address).variables == ()


@pytest.mark.parametrize("address", UNKNOWN)
def test_abandoning_an_unknown_node_does_nothing(address: NodeAddress) -> None:
    bench = Bench()
    bench.link.node(address).abandon()
    assert bench.run(0.1) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_command_to_a_node_behind_a_broken_connection_is_refused(command: Callable[[NodeHandle], bool]) -> None:
    bench = Bench()
    connection = bench.targets[0].connection
    assert connection is not None
    connection.close()
    bench.run(0.1)
    assert not command(bench.node)


@pytest.mark.parametrize("command", COMMANDS)
def test_handle_stays_valid_over_a_reconnection(command: Callable[[NodeHandle], bool]) -> None:
    bench = Bench()
    bench.reconnect()
    assert command(bench.node)


@pytest.mark.parametrize("command", COMMANDS)
def test_handle_may_be_made_before_its_target_is_connected(command: Callable[[NodeHandle], bool]) -> None:
    bench = TwoTargets(FakeNode(1), FakeNode(1))
    node = bench.link.node(KNOWN)
    bench.run(1.0)
    assert command(node)


def test_variables_of_a_node_match_its_description() -> None:
    bench = Bench()
    assert bench.node.variables == bench.link.nodes[KNOWN].description.variables


def test_node_is_left_alone_from_abandon_to_restore() -> None:
    bench = Bench()
    bench.node.abandon()
    abandoned = KNOWN in bench.link.nodes
    bench.node.restore()
    bench.run(0.5)
    assert (abandoned, KNOWN in bench.link.nodes) == (False, True)


@pytest.mark.parametrize("node_id", [1, 2])
def test_reset_is_sent_to_silent_nodes_too(node_id: int) -> None:
    bench = Bench()
    bench.link.node(NodeAddress(ONE, node_id)).reset()
    bench.run(0.1)
    assert from_words(0, MessageType.RESET, [node_id]) in bench.received


def test_reset_for_an_earlier_connection_is_not_sent_to_the_next_one() -> None:
    bench = Bench()
    connection = bench.targets[0].connection
    assert connection is not None
    connection.close()
    bench.run(0.1)
    bench.node.reset()
    bench.run(3.0)
    assert from_words(0, MessageType.RESET, [1]) not in bench.received


def test_only_events_that_were_sent_are_counted() -> None:
    bench = Bench()
    for address in (KNOWN, SILENT, NodeAddress(TWO, 1)):
        bench.link.node(address).emit(0, [1])
    bench.link.broadcast(0, [1])
    assert bench.link.emitted == 2


def test_event_for_all_is_sent_whatever_nodes_run() -> None:
    bench = Bench()
    bench.node.abandon()
    bench.link.broadcast(5, [1, 2])
    bench.run(0.1)
    assert from_words(0, 5, [1, 2]) in bench.received
