"""The topic /fleet/poses: the poses of all robots of a driver, for readers of many robots."""

from array import array
from typing import Final

from rclpy.node import Node
from thymio_fleet_interfaces.msg import RobotPoses

from fleet.geometry import Pose2D
from fleet.interface.names import POSES_TOPIC
from fleet.interface.quality import POSES_QOS
from thymio_base.instant import Instant
from thymio_base.ros.stamps import time_to_ros


class PosesTopic:
    """Publishes all poses of a tick in one additional message, if it has a reader.

    Parameters
    ----------
    node : owns the publisher
    frame : frame of all poses
    """

    def __init__(self, node: Node, frame: str) -> None:
        self._publisher: Final = node.create_publisher(RobotPoses, POSES_TOPIC, POSES_QOS)
        self._message: Final = RobotPoses()
        self._message.header.frame_id = frame
        self._added: list[tuple[int, Pose2D, int]] = []

    def add(self, robot_id: int, pose: Pose2D, stamp_ns: int) -> None:
        """Note a pose that a robot publishes in this tick; its stamp is in ROS time."""
        self._added.append((robot_id, pose, stamp_ns))

    def publish(self, now: Instant) -> None:
        """Publish what was added since the last call."""
        added, self._added = self._added, []
        if not added or not self._publisher.get_subscription_count():
            return
        message = self._message
        message.header.stamp = time_to_ros(now.ros_ns)
        message.robots = array("I", [robot_id for robot_id, _, _ in added])
        message.stamps_ns = array("q", [stamp_ns for _, _, stamp_ns in added])
        message.xs_m = array("d", [pose.x_m for _, pose, _ in added])
        message.ys_m = array("d", [pose.y_m for _, pose, _ in added])
        message.headings_rad = array("d", [pose.heading_rad for _, pose, _ in added])
        self._publisher.publish(message)
