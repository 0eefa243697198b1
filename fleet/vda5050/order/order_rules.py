"""Which orders and updates a vehicle accepts; everything is checked before any of it is.

Every function here raises OrderRefusedError for what is not accepted.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from fleet.geometry import Pose2D
from fleet.vda5050.order.order_fault import OrderRefusedError, VehicleFaultKind, refusal
from fleet.vda5050.order.order_graph import ActionType, Order, OrderedAction, OrderEdge, OrderNode, OrderPlace
from thymio_base.texts.bounds import is_number
from thymio_base.texts.shortened import shortened

MAX_NODES: Final = 1000  # in one message
MAX_ACTIONS: Final = 1000
TEXT_MAX: Final = 512  # characters of ids and names
WAIT_MAX_S: Final = 3600.0
START_M: Final = 0.05  # a start within this distance of the first node is always accepted
POSITION_KEYS: Final = ("x", "y", "theta")  # of initPosition
_ID_KEYS: Final = ("loadId", "lastNodeId", "mapId")  # of actions
_NODE_ACTIONS: Final = ", ".join(kind.value for kind in ActionType if "NODE" in kind.scopes)


@dataclass(frozen=True, slots=True)
class VehicleRules:
    """What a vehicle can do."""

    map_id: str  # the only one
    speed_mps: float = 0.14  # the highest one
    acceleration_mps2: float = 0.5
    dwell_s: float = 2.0  # of picking and dropping
    objection: Callable[[float, float], str] = lambda _x_m, _y_m: ""  # why a robot cannot stand there; "" if it can


def check_order(order: Order, rules: VehicleRules) -> None:
    """Check what does not depend on other orders."""
    _check_sequence(order)
    _check_releases(order)
    _check_unique_actions(order)
    for node in order.nodes:
        _check_place(node, rules)
        for action in node.actions:
            _check_node_action(action)
    for edge in order.edges:
        for action in edge.actions:
            _check_edge_action(edge, action)


def check_start(order: Order, pose: Pose2D | None) -> None:
    """Check that a robot stands at the first node of a new order; None is an unknown pose."""
    first, place = order.nodes[0], order.nodes[0].checked_place
    if pose is None:
        raise refusal(VehicleFaultKind.NOT_AVAILABLE, "the pose of the robot is not known", orderId=order.order_id)
    distance_m = math.hypot(pose.x_m - place.x_m, pose.y_m - place.y_m)
    limit_m = max(place.deviation_m, START_M)
    if distance_m > limit_m:
        text = (
            f"the robot stands at ({pose.x_m:.3f}, {pose.y_m:.3f}), {distance_m:.3f} m from the first node "
            f"{shortened(first.node_id)} at ({place.x_m:.3f}, {place.y_m:.3f}); at most {limit_m:g} m are "
            "allowed: an order starts where its robot stands"
        )
        raise refusal(VehicleFaultKind.START_TOO_FAR, text, orderId=order.order_id, nodeId=first.node_id)


def check_stitch(order: Order, update: Order) -> None:
    """Check that an update continues an order after its last released node, and repeats no action of the base."""
    stitch, first = order.base_end, update.nodes[0]
    if (first.node_id, first.sequence_id) != (stitch.node_id, stitch.sequence_id):
        text = (
            f"the update starts at node {shortened(first.node_id)} with sequenceId {first.sequence_id}; the last "
            f"released node is {shortened(stitch.node_id)} with {stitch.sequence_id}"
        )
        raise refusal(VehicleFaultKind.OUTDATED, text, orderId=update.order_id, orderUpdateId=update.update_id)
    in_base = {action.action_id for one in order.elements if one.is_released for action in one.actions}
    later = [action for one in update.elements if one is not first for action in one.actions]
    later += order.added_actions(update)
    repeated = next((action.action_id for action in later if action.action_id in in_base), None)
    if repeated is not None:
        text = f"the actionId {shortened(repeated)} is that of another action of this order"
        raise refusal(VehicleFaultKind.INVALID, text, orderId=update.order_id, actionId=repeated)


def _check_sequence(order: Order) -> None:
    count, edges = len(order.nodes), len(order.edges)
    if not 1 <= count <= MAX_NODES:
        raise _invalid(order, f"the order has {count} nodes; 1 to {MAX_NODES} are allowed")
    if edges != count - 1:
        raise _invalid(order, f"the order has {count} nodes and {edges} edges; it needs {count - 1} edges")
    first = order.nodes[0].sequence_id
    expected = range(first, first + count + edges)
    ids = [node.sequence_id for node in order.nodes], [edge.sequence_id for edge in order.edges]
    if first % 2 or ids != ([*expected[::2]], [*expected[1::2]]):
        text = (
            f"the sequenceIds of nodes are {_few(ids[0])}, those of edges {_few(ids[1])}; nodes have even ones and "
            "edges odd ones, in turn and without a gap"
        )
        raise _invalid(order, text)


def _check_releases(order: Order) -> None:
    elements = list(order.elements)
    if not elements[0].is_released:
        raise _invalid(order, "the first node is not released")
    for before, after in pairwise(elements):
        follows = after.is_released and not before.is_released
        is_open = isinstance(before, OrderEdge) and before.is_released is not after.is_released
        if follows or is_open:
            text = (
                f"sequenceId {after.sequence_id} is {'' if after.is_released else 'not '}released, and "
                f"{before.sequence_id} before it is {'' if before.is_released else 'not '}released; an edge is "
                "released together with the node at its end, and nothing after the horizon begins"
            )
            raise _invalid(order, text)


def _check_unique_actions(order: Order) -> None:
    seen: set[str] = set()
    for action in order.actions:
        if action.action_id in seen:
            text = f"the actionId {shortened(action.action_id)} is given twice"
            raise refusal(VehicleFaultKind.INVALID, text, orderId=order.order_id, actionId=action.action_id)
        seen.add(action.action_id)
    if len(seen) > MAX_ACTIONS:
        raise _invalid(order, f"the order has {len(seen)} actions; {MAX_ACTIONS} are allowed")


def _check_place(node: OrderNode, rules: VehicleRules) -> None:
    place = node.place
    if place is None:
        text = f"node {shortened(node.node_id)} has no nodePosition, and the vehicle knows no nodes of its own"
        raise refusal(VehicleFaultKind.NO_ROUTE, text, nodeId=node.node_id)
    if place.map_id not in ("", rules.map_id):
        text = f"node {shortened(node.node_id)} is on the map {shortened(place.map_id)}; the only one is {rules.map_id}"
        raise refusal(VehicleFaultKind.UNKNOWN_MAP, text, nodeId=node.node_id, mapId=place.map_id)
    objection = rules.objection(place.x_m, place.y_m)
    if objection:
        text = f"node {shortened(node.node_id)} at ({place.x_m:g}, {place.y_m:g}): {objection}"
        raise refusal(VehicleFaultKind.NO_ROUTE, text, nodeId=node.node_id)


def _check_node_action(action: OrderedAction) -> None:
    if action.kind is None or "NODE" not in action.kind.scopes:
        raise _wrong(action, f"there is no action {shortened(action.name)} of nodes; there are {_NODE_ACTIONS}")
    _check_texts(action)
    value = action.parameters.get("duration", 0.0)
    if action.kind is ActionType.WAIT and not (is_number(value) and 0.0 <= value <= WAIT_MAX_S):
        raise _wrong(action, f"duration is {shortened(repr(value))}; a wait takes 0 to {WAIT_MAX_S:g} seconds")


def _check_texts(action: OrderedAction) -> None:
    """Check an action's parameters that are ids."""
    for key in _ID_KEYS:
        value = action.parameters.get(key, "")
        if not isinstance(value, str | int) or len(str(value)) > TEXT_MAX:
            raise _wrong(action, f"{key} is {shortened(repr(value))}; it is a text of at most {TEXT_MAX} characters")


def asked_pose(action: OrderedAction, rules: VehicleRules) -> Pose2D:
    """Return where initPosition wants the robot, if it can stand there."""
    _check_texts(action)
    values = [action.parameters.get(key) for key in POSITION_KEYS]
    if not all(map(is_number, values)):
        text = f"{', '.join(POSITION_KEYS)} are {shortened(repr(values))}; initPosition needs three numbers"
        raise _wrong(action, text)
    x_m, y_m, heading_rad = (float(value or 0.0) for value in values)
    pose = Pose2D(x_m, y_m, math.remainder(heading_rad, math.tau))
    place = OrderPlace(pose.x_m, pose.y_m, map_id=str(action.parameters.get("mapId", "")))
    _check_place(OrderNode(action.action_id, 0, is_released=True, place=place), rules)
    return pose


def _check_edge_action(edge: OrderEdge, action: OrderedAction) -> None:
    if action.kind is not ActionType.BEEP:
        text = f"edge {shortened(edge.edge_id)} has the action {shortened(action.name)}; edges take beep alone"
        raise _wrong(action, text)


def _invalid(order: Order, text: str) -> OrderRefusedError:
    return refusal(VehicleFaultKind.INVALID, text, orderId=order.order_id)


def _wrong(action: OrderedAction, text: str) -> OrderRefusedError:
    return refusal(VehicleFaultKind.ACTION, text, actionId=action.action_id, actionType=action.name)


def _few(ids: list[int]) -> str:
    return shortened(", ".join(map(str, ids))) or "none"
