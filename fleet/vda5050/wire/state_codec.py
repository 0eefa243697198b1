"""Writes states, visualizations and connections as objects of JSON, without their headers."""

from typing import Any, Final, assert_never

from fleet.geometry import wrap_angle
from fleet.vda5050.order.action_book import ActionState, ActionStatus
from fleet.vda5050.order.order_fault import VehicleFault
from fleet.vda5050.order.order_graph import OrderNode
from fleet.vda5050.order.robot_facts import RobotControl
from fleet.vda5050.wire.vda_version import VdaVersion, error_name
from fleet.vda5050.wire.vehicle_state import ConnectionState, OrderState, RobotState

MAP_VERSION: Final = "1"
LOAD_TYPE: Final = "load"
_CONNECTION_2: Final = {ConnectionState.BROKEN: "CONNECTIONBROKEN"}


def state_values(order: OrderState, robot: RobotState, map_id: str, version: VdaVersion) -> dict[str, Any]:
    """Return the fields of a state."""
    values: dict[str, Any] = {
        "orderId": order.order_id,
        "orderUpdateId": order.update_id,
        "lastNodeId": order.last_node_id,
        "lastNodeSequenceId": order.last_sequence_id,
        "driving": robot.is_driving,
        "paused": order.is_paused,
        "newBaseRequest": order.wants_base,
        "operatingMode": _mode(robot.control, version),
        "nodeStates": [_node(node, map_id) for node in order.nodes],
        "edgeStates": [
            {"edgeId": edge.edge_id, "sequenceId": edge.sequence_id, "released": edge.is_released}
            for edge in order.edges
        ],
        "loads": [{"loadId": order.load_id, "loadType": LOAD_TYPE}] if order.load_id else [],
        "errors": [_error(fault, version) for fault in (*order.faults, *robot.faults)],
        "information": [
            {"infoType": name, "infoLevel": "INFO", ("infoDescriptor" if version.is_3 else "infoDescription"): text}
            for name, text in robot.notes
        ],
        **_motion(robot, map_id, version),
    }
    if version is not VdaVersion.V2_0:
        values["maps"] = [{"mapId": map_id, "mapVersion": MAP_VERSION, "mapStatus": "ENABLED"}]
    return values | (_of_version_3(order, robot) if version.is_3 else _of_version_2(order, robot))


def visualization_values(robot: RobotState, state_header_id: int, map_id: str, version: VdaVersion) -> dict[str, Any]:
    """Return the fields of a visualization."""
    values = _motion(robot, map_id, version)
    return values | ({"referenceStateHeaderId": state_header_id} if version.is_3 else {})


def connection_values(connection: ConnectionState, version: VdaVersion) -> dict[str, Any]:
    """Return the fields of a connection."""
    name = connection.value if version.is_3 else _CONNECTION_2.get(connection, connection.value)
    return {"connectionState": name}


def _of_version_2(order: OrderState, robot: RobotState) -> dict[str, Any]:
    paused = ActionStatus.RUNNING.value  # schemas of version 2 have no other
    return {
        "actionStates": [
            _action(action, "resultDescription", paused) for action in (*order.actions, *order.instant_actions)
        ],
        "batteryState": {"batteryCharge": robot.battery_pct, "charging": robot.is_charging},
        "safetyState": {"eStop": "REMOTE" if robot.is_stopped else "NONE", "fieldViolation": False},
    }


def _of_version_3(order: OrderState, robot: RobotState) -> dict[str, Any]:
    paused = ActionStatus.PAUSED.value
    return {
        "actionStates": [_action(action, "actionResult", paused) for action in order.actions],
        "instantActionStates": [_action(action, "actionResult", paused) for action in order.instant_actions],
        "powerSupply": {"stateOfCharge": robot.battery_pct, "charging": robot.is_charging},
        "safetyState": {"activeEmergencyStop": "REMOTE" if robot.is_stopped else "NONE", "fieldViolation": False},
    }


def _mode(control: RobotControl, version: VdaVersion) -> str:
    match control:
        case RobotControl.STARTUP:
            return "STARTUP" if version.is_3 else "SERVICE"
        case RobotControl.AUTOMATIC:
            return "AUTOMATIC"
        case RobotControl.MANUAL:
            return "MANUAL"
        case RobotControl.SERVICE:
            return "SERVICE"
        case _:
            assert_never(control)


def _node(node: OrderNode, map_id: str) -> dict[str, Any]:
    values: dict[str, Any] = {"nodeId": node.node_id, "sequenceId": node.sequence_id, "released": node.is_released}
    if node.place is not None:
        # version 2.0 demands a heading
        position = {"x": node.place.x_m, "y": node.place.y_m, "mapId": map_id, "theta": node.place.heading_rad or 0.0}
        values["nodePosition"] = position
    return values


def _motion(robot: RobotState, map_id: str, version: VdaVersion) -> dict[str, Any]:
    """Return position and velocity; neither is given while the pose is unknown."""
    if robot.pose is None:
        return {}
    position: dict[str, Any] = {
        "x": robot.pose.x_m,
        "y": robot.pose.y_m,
        "theta": wrap_angle(robot.pose.heading_rad),
        "mapId": map_id,
        ("localized" if version.is_3 else "positionInitialized"): robot.is_localized,
    }
    velocity = {"vx": robot.twist.linear_mps, "vy": 0.0, "omega": robot.twist.angular_radps}
    return {("mobileRobotPosition" if version.is_3 else "agvPosition"): position, "velocity": velocity}


def _action(action: ActionState, result_key: str, paused: str) -> dict[str, Any]:
    status = paused if action.status is ActionStatus.PAUSED else action.status.value
    values = {"actionId": action.action_id, "actionType": action.name, "actionStatus": status}
    return values | ({result_key: action.result} if action.result else {})


def _error(fault: VehicleFault, version: VdaVersion) -> dict[str, Any]:
    name, level = error_name(fault.kind, version)
    return {
        "errorType": name,
        "errorLevel": level.value,
        "errorDescription": fault.text,
        "errorReferences": [{"referenceKey": key, "referenceValue": value} for key, value in fault.references],
    }
