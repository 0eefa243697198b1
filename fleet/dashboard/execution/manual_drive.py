"""Drives robots by hand through their topics `cmd_vel`."""

import time
from typing import Final

from geometry_msgs.msg import Twist
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile

from fleet.geometry import Twist2D

_QOS: Final = QoSProfile(depth=1)
_KEPT_S: Final = 10.0  # an unused publisher then leaves the graph


class ManualDrive:
    """Publishes twists; a robot stops by itself when they cease.

    Parameters
    ----------
    node : owns the publishers
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publishers: dict[int, tuple[Publisher, float]] = {}

    def drive(self, robot_id: int, twist: Twist2D) -> None:
        """Drive a robot for a moment; the first twist may be lost while its driver is found."""
        publisher, _ = self._publishers.get(robot_id, (None, 0.0))
        if publisher is None:
            publisher = self._node.create_publisher(Twist, f"/factory/robot_{robot_id}/cmd_vel", _QOS)
        self._publishers[robot_id] = publisher, time.monotonic()
        message = Twist()
        message.linear.x, message.angular.z = twist.linear_mps, twist.angular_radps
        publisher.publish(message)

    def tidy(self) -> None:
        """Remove publishers from the graph that are no longer used."""
        now_s = time.monotonic()
        for robot_id, (publisher, used_s) in list(self._publishers.items()):
            if now_s - used_s > _KEPT_S:
                self._node.destroy_publisher(publisher)
                del self._publishers[robot_id]
