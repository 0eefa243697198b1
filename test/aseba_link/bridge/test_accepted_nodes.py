from functools import partial

from aseba_link.bridge.acceptance import Rule, admit
from aseba_link.bridge.accepted_nodes import MAX_LOST, AcceptedNodes
from aseba_link.host.node import Node, NodeAddress
from harness.aseba.fake_node import small_description


def node(node_id: int) -> Node:
    return Node(NodeAddress("tcp:one", node_id), small_description(), "")


def accepted_nodes(maximal_number: int = 0) -> AcceptedNodes:
    return AcceptedNodes(partial(admit, [Rule(prefix="thymio_", maximal_number=maximal_number)]))


def accepted(nodes: AcceptedNodes) -> dict[int, bool]:
    """Return the ids of the accepted nodes, and whether they are connected."""
    return {address.node_id: place.is_connected for address, place in nodes.accepted.items()}


def test_lost_node_keeps_its_place_while_no_other_needs_it() -> None:
    nodes = accepted_nodes(1)
    nodes.add(node(5))
    nodes.mark_disconnected(node(5).address)
    assert accepted(nodes) == {5: False}


def test_lost_node_frees_its_place_for_a_new_one() -> None:
    nodes = accepted_nodes(1)
    nodes.add(node(5))
    nodes.mark_disconnected(node(5).address)
    nodes.add(node(6))
    assert accepted(nodes) == {6: True}


def test_ignored_node_gets_the_place_of_a_lost_one() -> None:
    nodes = accepted_nodes(1)
    nodes.add(node(5))
    nodes.add(node(6))
    assert list(nodes.ignored) == [node(6).address]
    nodes.mark_disconnected(node(5).address)
    assert (accepted(nodes), nodes.ignored) == ({6: True}, {})


def test_reconnected_node_displaces_no_other() -> None:
    nodes = accepted_nodes(1)
    nodes.add(node(5))
    nodes.mark_disconnected(node(5).address)
    nodes.add(node(6))
    nodes.add(node(5))
    assert accepted(nodes) == {6: True}


def test_reconnected_node_keeps_its_place() -> None:
    nodes = accepted_nodes()
    nodes.add(node(5))
    place = nodes.accepted[node(5).address]
    for _ in range(10):
        nodes.mark_disconnected(node(5).address)
        nodes.add(node(5))
    assert nodes.accepted == {node(5).address: place}


def test_ignored_node_that_disconnects_is_forgotten() -> None:
    nodes = accepted_nodes(1)
    nodes.add(node(5))
    nodes.add(node(6))
    nodes.mark_disconnected(node(6).address)
    assert (accepted(nodes), nodes.ignored) == ({5: True}, {})


def test_lost_nodes_do_not_fill_the_memory() -> None:
    nodes = accepted_nodes()
    for node_id in range(MAX_LOST + 50):
        nodes.add(node(node_id))
        nodes.mark_disconnected(node(node_id).address)
    assert len(nodes.accepted) == MAX_LOST
