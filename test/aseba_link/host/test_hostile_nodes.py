"""Nodes with false descriptions do not harm the others."""

import tracemalloc

import pytest

from aseba_link.errors import MessageError
from aseba_link.host.description_collector import WholeCollector
from aseba_link.host.link_events import LinkEvent, NodeReady
from aseba_link.host.node import NodeAddress
from aseba_link.wire.description import Header, NodeDescription, Variable, encode_header, encode_variable
from harness.aseba.fake_node import FakeNode
from harness.aseba.two_targets import ONE, TWO, TwoTargets

LYING, HONEST = ONE, TWO


def described(*variables: Variable) -> NodeDescription:
    return NodeDescription("thymio-II", 9, 1534, 32, 640, variables, (), ())


def honest_beside(lies: NodeDescription) -> TwoTargets:
    return TwoTargets(FakeNode(1, lies), FakeNode(1))


def ready(events: list[LinkEvent]) -> list[NodeAddress]:
    return [event.node.address for event in events if isinstance(event, NodeReady)]


HUGE = (Variable("a", 0xFFFF), Variable("b", 0xFFFF))


def test_node_with_an_id_beyond_16_bits_does_not_stop_the_link() -> None:
    bench = honest_beside(described(*HUGE, Variable("_id", 1)))
    assert NodeAddress(HONEST, 1) in ready(bench.run(2))


def test_variable_beyond_16_bits_cannot_be_requested() -> None:
    bench = honest_beside(described(*HUGE, Variable("_vbat", 2)))
    bench.run(2)
    assert not bench.link.node(NodeAddress(LYING, 1)).request_variable("_vbat")


def test_variables_beyond_the_announced_number_use_no_memory() -> None:
    collector = WholeCollector(1, 5)
    collector.receive(encode_header(1, Header("thymio-II", 5, 1534, 32, 640, 4, 0, 0)))
    tracemalloc.start()
    try:
        for number in range(20_000):
            try:
                collector.receive(encode_variable(1, Variable(f"variable_{number}", 1)))
            except MessageError:
                continue
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grown < 100_000


def test_surplus_variable_of_a_description_is_refused() -> None:
    collector = WholeCollector(1, 5)
    collector.receive(encode_header(1, Header("thymio-II", 5, 1534, 32, 640, 2, 1, 0)))
    for name in ("a", "b"):
        collector.receive(encode_variable(1, Variable(name, 1)))
    with pytest.raises(MessageError, match="more"):
        collector.receive(encode_variable(1, Variable("c", 1)))
