"""The rules for nodes, with the examples in the documentation of asebaros."""

from dataclasses import replace

import pytest

from aseba_link.bridge.acceptance import Admission, Rule, admit, rule_for
from aseba_link.host.node import Node, NodeAddress
from harness.aseba.fake_node import small_description

REFUSE_OTHERS = Rule(accept=False)
THYMIO = "thymio-II"


def node(node_id: int, name: str = THYMIO, target: str = "tcp:one") -> Node:
    return Node(NodeAddress(target, node_id), replace(small_description(), name=name), "")


def accepted(rules: list[Rule], *nodes: Node) -> dict[int, str]:
    """Return the namespaces of the accepted nodes by their ids."""
    admissions = admit(rules, nodes)
    return {address.node_id: admission.namespace for address, admission in admissions.items() if not admission.refusal}


def test_only_the_first_of_a_name_is_accepted() -> None:
    rules = [REFUSE_OTHERS, Rule(name=THYMIO, maximal_number=1)]
    assert list(accepted(rules, node(5), node(6), node(7, "e-puck0"))) == [5]


def test_only_the_node_of_a_name_and_id_is_accepted() -> None:
    rules = [REFUSE_OTHERS, Rule(name=THYMIO, id=1928)]
    assert list(accepted(rules, node(5), node(1928), node(1928, "e-puck0", "tcp:two"))) == [1928]


def test_all_but_the_nodes_of_a_name_are_accepted() -> None:
    rules = [Rule(), Rule(name=THYMIO, accept=False)]
    assert list(accepted(rules, node(5), node(6, "e-puck0"))) == [6]


def test_prefix_is_followed_by_the_id_unless_the_rule_names_it() -> None:
    rules = [REFUSE_OTHERS, Rule(name=THYMIO, prefix="thymio_"), Rule(name=THYMIO, id=1928, prefix="my_thymio")]
    assert accepted(rules, node(1234), node(1928)) == {1234: "thymio_1234", 1928: "my_thymio"}


def test_namespace_wins_over_prefix() -> None:
    assert accepted([Rule(prefix="thymio_", namespace="lab")], node(5)) == {5: "lab"}


def test_without_prefix_and_namespace_there_is_no_namespace() -> None:
    assert accepted([Rule()], node(5)) == {5: ""}


def test_without_rules_everything_is_accepted() -> None:
    assert accepted([], node(5, "e-puck0")) == {5: ""}


@pytest.mark.parametrize(
    ("name", "node_id", "chosen"),
    [(THYMIO, 7, "both"), (THYMIO, 8, "name"), ("e-puck0", 7, "id"), ("e-puck0", 8, "generic")],
)
def test_most_specific_rule_applies_as_a_whole(name: str, node_id: int, chosen: str) -> None:
    rules = [
        Rule(namespace="generic"),
        Rule(id=7, namespace="id"),
        Rule(name=THYMIO, namespace="name", id_variable="_id"),
        Rule(name=THYMIO, id=7, namespace="both"),
    ]
    assert rule_for(rules, name, node_id).namespace == chosen


def test_refusal_of_a_second_node_of_a_namespace_names_the_holder() -> None:
    first, second = node(1, target="ser:a"), node(1, target="ser:b")
    admissions = admit([Rule(prefix="thymio_")], [first, second])
    assert admissions[second.address].refusal == "namespace 'thymio_1' is taken by node 1 on ser:a"


def test_two_spellings_of_a_namespace_are_one() -> None:
    first, second = node(1), node(2)
    admissions = admit([Rule(id=1, namespace="lab/robot"), Rule(id=2, namespace="/lab/robot")], [first, second])
    assert admissions[second.address].refusal.startswith("namespace '/lab/robot' is taken by node 1")


def test_refused_node_is_accepted_once_there_is_a_place() -> None:
    rules = [Rule(name=THYMIO, maximal_number=1)]
    assert list(accepted(rules, node(5), node(6))) == [5]
    assert list(accepted(rules, node(6))) == [6]


def test_places_are_counted_for_each_name() -> None:
    assert list(accepted([Rule(maximal_number=1, prefix="n")], node(5), node(6, "e-puck0"))) == [5, 6]


def test_refusals_name_the_reason() -> None:
    rules = [REFUSE_OTHERS, Rule(name=THYMIO, maximal_number=1, prefix="t")]
    refusals = [admission.refusal for admission in admit(rules, [node(1), node(2), node(3, "e-puck0")]).values()]
    assert refusals == [
        "",
        "1 of at most 1 nodes called 'thymio-II' are accepted already",
        "nodes called 'e-puck0' are not accepted",
    ]


def test_admission_holds_its_rule() -> None:
    rule = Rule(prefix="t", include_id_in_events=True)
    assert admit([rule], [node(3)]) == {NodeAddress("tcp:one", 3): Admission(rule, "t3")}


def test_node_of_a_newer_protocol_than_accepted_is_refused() -> None:
    admissions = admit([], [node(1)], highest_protocol_version=5)
    assert admissions[node(1).address].refusal == "its protocol 9 is above 5"
