"""Publishes a vehicle's order for the dashboard, on the robot's topic `x/order`."""

import json
from typing import Any, Final

from rclpy.node import Node
from std_msgs.msg import String

from fleet.interface.names import order_topic
from fleet.interface.quality import TASK_QOS
from fleet.vda5050.order.order_graph import OrderNode
from fleet.vda5050.order.robot_facts import RobotControl
from fleet.vda5050.vehicle.vehicle import Vehicle
from fleet.vda5050.wire.vda_version import error_name

_NODES_MAX: Final = 100
_TEXT_MAX: Final = 200


class OrderTopic:
    """Publishes on change; `master` names the broker and the topics of the vehicle."""

    def __init__(self, node: Node, robot_id: int, vehicle: Vehicle, master: str) -> None:
        self._publisher: Final = node.create_publisher(String, order_topic(robot_id), TASK_QOS)
        self._vehicle: Final = vehicle
        self._master: Final = master
        self._published: object = None

    def publish(self, control: RobotControl, *, is_connected: bool) -> None:
        """Publish what has changed."""
        machine = self._vehicle.machine
        content = machine.content, control, is_connected
        if content == self._published:
            return
        self._published = content
        nodes = machine.nodes_ahead[:_NODES_MAX]
        version = self._vehicle.identity.version
        values = {
            "master": self._master,
            "connected": is_connected,
            "mode": control.name,
            "order": machine.order_id[:_TEXT_MAX],
            "update": machine.order.update_id,
            "paused": machine.is_paused,
            "base": [_node(node) for node in nodes if node.is_released],
            "horizon": [_node(node) for node in nodes if not node.is_released],
            "last": {"id": machine.last_node_id[:_TEXT_MAX], "seq": machine.last_sequence_id},
            "errors": [f"{error_name(fault.kind, version)[0]}: {fault.text}"[:_TEXT_MAX] for fault in machine.faults],
        }
        self._publisher.publish(String(data=json.dumps(values)))

    def clear(self) -> None:
        """Publish that the robot no longer has a master control."""
        self._publisher.publish(String(data=""))


def _node(node: OrderNode) -> dict[str, Any]:
    place = node.checked_place
    return {"id": node.node_id[:_TEXT_MAX], "seq": node.sequence_id, "x": place.x_m, "y": place.y_m}
