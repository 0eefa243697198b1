"""Writes states, visualizations and connections as JSON objects, without headers."""

from enum import Enum, unique
from typing import Any, Final

from fleet.geometry import wrap_angle
from fleet.vda5050.order.action_book import ActionState, ActionStatus
from fleet.vda5050.order.order_fault import VehicleFault
from fleet.vda5050.order.order_graph import OrderNode
from fleet.vda5050.order.order_machine import OrderMachine
from fleet.vda5050.order.robot_facts import RobotFacts
from fleet.vda5050.wire.vda_version import VdaVersion, error_name

MAP_VERSION: Final = "1"
LOAD_TYPE: Final = "load"


@unique
class ConnectionState(Enum):
    """Whether a vehicle is reachable; the value is its name in versions 2 and 3."""

    ONLINE = "ONLINE", "ONLINE"
    OFFLINE = "OFFLINE", "OFFLINE"  # it was shut down in order
    BROKEN = "CONNECTIONBROKEN", "CONNECTION_BROKEN"  # published by the broker when the connector is gone


def state_values(order: OrderMachine, robot: RobotFacts, map_id: str, version: VdaVersion) -> dict[str, Any]:
    """Return the fields of a state."""
    pick = version.pick
    # schemas of version 2 have no PAUSED actions
    paused = ActionStatus.PAUSED if version.is_3 else ActionStatus.RUNNING
    actions, instants = (
        [_action(one, pick("resultDescription", "actionResult"), paused) for one in book]
        for book in (order.actions, order.instant_actions)
    )
    values: dict[str, Any] = {
        "orderId": order.order_id,
        "orderUpdateId": order.order.update_id,
        "lastNodeId": order.last_node_id,
        "lastNodeSequenceId": order.last_sequence_id,
        "driving": robot.is_driving,
        "paused": order.is_paused,
        "newBaseRequest": order.wants_base,
        "operatingMode": pick(*robot.control.value),
        "nodeStates": [_node(node, map_id) for node in order.nodes_ahead],
        "edgeStates": [
            {"edgeId": edge.edge_id, "sequenceId": edge.sequence_id, "released": edge.is_released}
            for edge in order.edges_ahead
        ],
        "loads": [{"loadId": order.load_id, "loadType": LOAD_TYPE}] if order.load_id else [],
        "errors": [_error(fault, version) for fault in (*order.faults, *robot.faults)],
        "information": [
            {"infoType": name, "infoLevel": "INFO", pick("infoDescription", "infoDescriptor"): text}
            for name, text in robot.notes
        ],
        **_motion(robot, map_id, version),
        pick("batteryState", "powerSupply"): {
            pick("batteryCharge", "stateOfCharge"): robot.battery_pct,
            "charging": robot.is_charging,
        },
        "safetyState": {
            pick("eStop", "activeEmergencyStop"): "REMOTE" if robot.is_stopped else "NONE",
            "fieldViolation": False,
        },
        "actionStates": actions,
    }
    if version is not VdaVersion.V2_0:
        values["maps"] = [{"mapId": map_id, "mapVersion": MAP_VERSION, "mapStatus": "ENABLED"}]
    if version.is_3:
        return values | {"instantActionStates": instants}
    return values | {"actionStates": [*actions, *instants]}


def visualization_values(robot: RobotFacts, state_header_id: int, map_id: str, version: VdaVersion) -> dict[str, Any]:
    """Return the fields of a visualization."""
    values = _motion(robot, map_id, version)
    return values | ({"referenceStateHeaderId": state_header_id} if version.is_3 else {})


def connection_values(connection: ConnectionState, version: VdaVersion) -> dict[str, Any]:
    """Return the fields of a connection."""
    return {"connectionState": version.pick(*connection.value)}


def _node(node: OrderNode, map_id: str) -> dict[str, Any]:
    values: dict[str, Any] = {"nodeId": node.node_id, "sequenceId": node.sequence_id, "released": node.is_released}
    if node.place is not None:
        # version 2.0 demands a heading
        position = {"x": node.place.x_m, "y": node.place.y_m, "mapId": map_id, "theta": node.place.heading_rad or 0.0}
        values["nodePosition"] = position
    return values


def _motion(robot: RobotFacts, map_id: str, version: VdaVersion) -> dict[str, Any]:
    """Return position and velocity; nothing while the pose is unknown."""
    if robot.pose is None:
        return {}
    position: dict[str, Any] = {
        "x": robot.pose.x_m,
        "y": robot.pose.y_m,
        "theta": wrap_angle(robot.pose.heading_rad),
        "mapId": map_id,
        version.pick("positionInitialized", "localized"): robot.is_localized,
    }
    velocity = {"vx": robot.twist.linear_mps, "vy": 0.0, "omega": robot.twist.angular_radps}
    return {version.pick("agvPosition", "mobileRobotPosition"): position, "velocity": velocity}


def _action(action: ActionState, result_key: str, paused: ActionStatus) -> dict[str, Any]:
    status = paused if action.status is ActionStatus.PAUSED else action.status
    values = {"actionId": action.action_id, "actionType": action.name, "actionStatus": status.value}
    return values | ({result_key: action.result} if action.result else {})


def _error(fault: VehicleFault, version: VdaVersion) -> dict[str, Any]:
    name, level = error_name(fault.kind, version)
    return {
        "errorType": name,
        "errorLevel": level.value,
        "errorDescription": fault.text,
        "errorReferences": [{"referenceKey": key, "referenceValue": value} for key, value in fault.references],
    }
