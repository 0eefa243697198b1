"""Reads orders and instant actions of any version: they differ in few names.

What is not such a message, or asks for what the vehicle cannot do, raises OrderRefusedError.
"""

import math
from typing import Final

from fleet.vda5050.order.order_fault import VehicleFaultKind, refusal
from fleet.vda5050.order.order_graph import BlockingType, Order, OrderedAction, OrderEdge, OrderNode, OrderPlace
from fleet.vda5050.order.order_rules import MAX_NODES
from fleet.vda5050.wire.vda_version import VdaVersion
from fleet.vda5050.wire.wire_fields import WireFields, read_message
from thymio_base.texts.shortened import shortened

INSTANT_MAX: Final = 50  # actions of one message
_UNSUPPORTED: Final = ("trajectory", "corridor", "orientation", "direction")  # of edges
_LEAST_MPS: Final = 0.005  # no robot drives more slowly


def read_order(data: bytes, version: VdaVersion) -> Order:
    """Return the order in a message."""
    fields = read_message(data)
    order_id, update_id = fields.name("orderId"), fields.whole("orderUpdateId")
    named = fields.text("version", version.value)
    if named.partition(".")[0] != version.value.partition(".")[0]:
        text = f"the order is of version {shortened(named)!r}; the vehicle is one of {version.value}"
        raise refusal(VehicleFaultKind.INVALID, text, orderId=order_id, orderUpdateId=update_id)
    nodes = tuple(_node(node, version) for node in fields.parts("nodes"))
    edges = tuple(_edge(edge, version) for edge in fields.parts("edges"))
    if len(nodes) > MAX_NODES:
        text = f"the order has {len(nodes)} nodes; 1 to {MAX_NODES} are allowed"
        raise refusal(VehicleFaultKind.INVALID, text, orderId=order_id, orderUpdateId=update_id)
    return Order(order_id, update_id, nodes, edges)


def read_instant_actions(data: bytes) -> tuple[OrderedAction, ...]:
    """Return the instant actions in a message; version 1 named their list otherwise, as some masters still do."""
    fields = read_message(data)
    key = "instantActions" if "instantActions" in fields and "actions" not in fields else "actions"
    actions = tuple(_action(action) for action in fields.parts(key))
    if len(actions) > INSTANT_MAX:
        text = f"the message has {len(actions)} instant actions; {INSTANT_MAX} are allowed"
        raise refusal(VehicleFaultKind.INVALID, text)
    return actions


def _node(fields: WireFields, version: VdaVersion) -> OrderNode:
    place = _place(fields.part("nodePosition"), version) if "nodePosition" in fields else None
    actions = tuple(_action(action) for action in fields.parts("actions", is_needed=False))
    return OrderNode(fields.name("nodeId"), fields.whole("sequenceId"), fields.flag("released"), place, actions)


def _place(fields: WireFields, version: VdaVersion) -> OrderPlace:
    heading_rad = math.remainder(fields.number("theta"), math.tau) if "theta" in fields else None
    where = fields.number("x"), fields.number("y"), heading_rad
    return OrderPlace(*where, _deviation_m(fields, version), fields.text("mapId", ""))


def _deviation_m(fields: WireFields, version: VdaVersion) -> float:
    """Return the allowed deviation: a radius, or the smaller half-axis of an ellipse."""
    if "allowedDeviationXY" not in fields:
        return 0.0
    if not version.is_3:
        return max(0.0, fields.number("allowedDeviationXY"))
    ellipse = fields.part("allowedDeviationXY")
    return max(0.0, min(ellipse.number("a"), ellipse.number("b")))


def _edge(fields: WireFields, version: VdaVersion) -> OrderEdge:
    fields.refuse_present(_UNSUPPORTED)
    key = version.pick("maxSpeed", "maximumSpeed")
    speed_mps = fields.number(key, 0.0)
    if key in fields and speed_mps < _LEAST_MPS:
        text = f"{key} of edge {fields.name('edgeId')} is {speed_mps:g} m/s; at least {_LEAST_MPS:g} are needed"
        raise refusal(VehicleFaultKind.INVALID, text, edgeId=fields.name("edgeId"))
    actions = tuple(_action(action) for action in fields.parts("actions", is_needed=False))
    return OrderEdge(fields.name("edgeId"), fields.whole("sequenceId"), fields.flag("released"), speed_mps, actions)


def _action(fields: WireFields) -> OrderedAction:
    blocking = fields.text("blockingType", BlockingType.HARD.value)
    if blocking not in BlockingType.__members__:
        text = f"blockingType is {blocking!r}, not one of {', '.join(BlockingType.__members__)}"
        raise refusal(VehicleFaultKind.INVALID, text, actionId=fields.name("actionId"))
    listed = fields.parts("actionParameters", is_needed=False)
    parameters = {parameter.name("key"): parameter.any("value") for parameter in listed}
    return OrderedAction(fields.name("actionId"), fields.name("actionType"), BlockingType[blocking], parameters)
