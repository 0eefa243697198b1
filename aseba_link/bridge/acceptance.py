"""Decides which discovered nodes are accepted, and with which namespace, by the rules of asebaros.

The rule for a node is the first with its name and id, else with its name alone, else with its id alone, else the
generic one. A node whose rule accepts it gets a place if fewer than `maximal_number` nodes of its name have one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aseba_link.host.description_collector import PROTOCOL_VERSION
from aseba_link.host.node import Node, NodeAddress


@dataclass(frozen=True, slots=True)
class Rule:
    """How to treat nodes with a name and an id; "" and None match any.

    `maximal_number` limits the nodes with the same name, 0 means no limit. `id_variable` names the variable for the
    node's id. With `include_id_in_events`, events to the node start with its id.
    """

    name: str = ""
    id: int | None = None
    accept: bool = True
    maximal_number: int = 0
    prefix: str = ""
    namespace: str = ""
    id_variable: str = ""
    include_id_in_events: bool = False

    def namespace_of(self, node_id: int) -> str:
        """Return the node's namespace: the configured one, else the prefix, followed by the id unless the rule has it.

        Without either it is "", because a name in ROS cannot start with a digit.
        """
        if self.namespace or not self.prefix:
            return self.namespace
        return self.prefix if self.id is not None else f"{self.prefix}{node_id}"


@dataclass(frozen=True, slots=True)
class Admission:
    """The decision about a node; `refusal` says why it is ignored, "" if it is accepted."""

    rule: Rule
    namespace: str
    refusal: str = ""


def rule_for(rules: Sequence[Rule], name: str, node_id: int) -> Rule:
    """Return the rule for a node; without a match, a rule that accepts everything."""
    for name_and_id in ((name, node_id), (name, None), ("", node_id), ("", None)):
        for rule in rules:
            if (rule.name, rule.id) == name_and_id:
                return rule
    return Rule()


def admit(
    rules: Sequence[Rule], nodes: Sequence[Node], highest_protocol_version: int = PROTOCOL_VERSION
) -> Mapping[NodeAddress, Admission]:
    """Decide about every node; earlier nodes have priority for places."""
    admissions: dict[NodeAddress, Admission] = {}
    holders: dict[str, NodeAddress] = {}
    numbers: Counter[str] = Counter()
    for node in nodes:
        name, address = node.description.name, node.address
        rule = rule_for(rules, name, address.node_id)
        namespace = rule.namespace_of(address.node_id)
        refusal = _refusal(rule, name, numbers[name])
        protocol = node.description.protocol_version
        if protocol > highest_protocol_version:
            refusal = f"its protocol {protocol} is above {highest_protocol_version}"
        key = namespace.removeprefix("/")  # both spellings denote the same topics
        if not refusal and key in holders:
            refusal = f"namespace {namespace!r} is taken by {holders[key]}"
        if not refusal:
            holders[key] = address
            numbers[name] += 1
        admissions[address] = Admission(rule, namespace, refusal)
    return admissions


def _refusal(rule: Rule, name: str, number: int) -> str:
    if not rule.accept:
        return f"nodes called {rule.name or name!r} are not accepted"
    if 0 < rule.maximal_number <= number:
        return f"{number} of at most {rule.maximal_number} nodes called {name!r} are accepted already"
    return ""
