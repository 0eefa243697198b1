"""Finds the actions and topics that each robot's server offers, by the names on the graph."""

import re
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from rclpy.node import Node

from fleet.dashboard.orders.fleet_orders import Verb
from fleet.interface.names import IDENTIFY_TOPIC, name_of_kind, order_topic
from fleet.work.kinds import KINDS
from thymio_base.texts.decimal_text import whole_number

_GOAL: Final = "/_action/send_goal"
_SERVICES: Final = {
    **{f"{name_of_kind(kind)}{_GOAL}": Verb(kind.public_name) for kind in KINDS},
    "x/configure_tracker": Verb.LAW,
}
_NAME: Final = re.compile(r"^/factory/robot_([1-9][0-9]{0,4})/(.+)$")
_STATUS, _CMD_VEL, _ORDER = "status", "cmd_vel", order_topic(1).split("/", 3)[-1]


class Offers(NamedTuple):
    """What each robot's server offers, in the order of the verbs, and the robots with orders of master controls."""

    verbs: Mapping[int, tuple[str, ...]]
    ordered: frozenset[int]


def offers(node: Node, known: Collection[int]) -> Offers:
    """Return what the servers of robots offer; all names are read at once, as single queries take long.

    Parameters
    ----------
    node
        queries the graph
    known
        robots seen before; any other is a robot only if its status has a publisher
    """
    found: dict[int, set[Verb]] = {}
    for name, _ in node.get_service_names_and_types():
        match = _NAME.match(name)
        if match and match.group(2) in _SERVICES:
            found.setdefault(whole_number(match.group(1)), set()).add(_SERVICES[match.group(2)])
    served: list[int] = []
    ordered: set[int] = set()
    has_identify = node.count_subscribers(IDENTIFY_TOPIC) > 0
    for name, _ in node.get_topic_names_and_types():
        match = _NAME.match(name)
        if match is None:
            continue
        robot_id, rest = whole_number(match.group(1)), match.group(2)
        if rest == _STATUS and (robot_id in known or node.count_publishers(name) > 0):
            served.append(robot_id)
        elif rest == _CMD_VEL and node.count_subscribers(name) > 0:
            found.setdefault(robot_id, set()).add(Verb.DRIVE)
        elif rest == _ORDER:
            ordered.add(robot_id)
    verbs = {robot_id: _names(found.get(robot_id, set()), has_identify) for robot_id in sorted(served)}
    return Offers(verbs, frozenset(ordered))


def _names(verbs: set[Verb], has_identify: bool) -> tuple[str, ...]:
    offered = verbs | ({Verb.IDENTIFY} if has_identify else set())
    return tuple(verb.value for verb in Verb if verb in offered)
