from functools import partial

from aseba_link.acceptance import Rule, admit
from aseba_link.node import Node, NodeAddress
from aseba_link.roster import MAX_LOST, Roster
from fake_node import small_description


def node(node_id: int) -> Node:
    return Node(NodeAddress("tcp:one", node_id), small_description(), "")


def roster(maximal_number: int = 0) -> Roster:
    return Roster(partial(admit, [Rule(prefix="thymio_", maximal_number=maximal_number)]))


def accepted(nodes: Roster) -> dict[int, bool]:
    """Return the ids of the accepted nodes, and whether they are connected."""
    return {address.node_id: place.is_connected for address, place in nodes.accepted.items()}


def test_lost_node_keeps_its_place_while_nobody_needs_it() -> None:
    nodes = roster(1)
    nodes.find(node(5))
    nodes.lose(node(5).address)
    assert accepted(nodes) == {5: False}


def test_lost_node_frees_its_place_for_one_that_comes() -> None:
    nodes = roster(1)
    nodes.find(node(5))
    nodes.lose(node(5).address)
    nodes.find(node(6))
    assert accepted(nodes) == {6: True}


def test_ignored_node_gets_the_place_of_one_that_is_lost() -> None:
    nodes = roster(1)
    nodes.find(node(5))
    nodes.find(node(6))
    assert list(nodes.ignored) == [node(6).address]
    nodes.lose(node(5).address)
    assert (accepted(nodes), nodes.ignored) == ({6: True}, {})


def test_node_that_comes_back_takes_no_place_from_another() -> None:
    nodes = roster(1)
    nodes.find(node(5))
    nodes.lose(node(5).address)
    nodes.find(node(6))
    nodes.find(node(5))
    assert accepted(nodes) == {6: True}


def test_node_that_comes_back_is_the_same() -> None:
    nodes = roster()
    nodes.find(node(5))
    place = nodes.accepted[node(5).address]
    for _ in range(10):
        nodes.lose(node(5).address)
        nodes.find(node(5))
    assert nodes.accepted == {node(5).address: place}


def test_ignored_node_that_goes_is_forgotten() -> None:
    nodes = roster(1)
    nodes.find(node(5))
    nodes.find(node(6))
    nodes.lose(node(6).address)
    assert (accepted(nodes), nodes.ignored) == ({5: True}, {})


def test_lost_nodes_do_not_fill_the_memory() -> None:
    nodes = roster()
    for node_id in range(MAX_LOST + 50):
        nodes.find(node(node_id))
        nodes.lose(node(node_id).address)
    assert len(nodes.accepted) == MAX_LOST
