"""The topic x/task of one robot: what it performs."""

from dataclasses import replace

from rclpy.node import Node
from thymio_fleet_interfaces.msg import RobotTask

from fleet.interface.names import task_topic
from fleet.interface.quality import TASK_QOS
from fleet.interface.task_messages import task_to_ros
from fleet.ros.edge.driver_edge import Edge
from fleet.settings.config import RobotConfig


class TaskTopic:
    """Publishes what a robot performs whenever it changes.

    Parameters
    ----------
    edge : knows the robot
    config : the robot
    node : owns the publisher
    """

    def __init__(self, edge: Edge, config: RobotConfig, node: Node) -> None:
        self._robot = edge.service.robot(config.id)
        self._frame = edge.service.config.frame
        self._clock = edge.clock
        self._published: object = None
        self._publisher = node.create_publisher(RobotTask, task_topic(config.id), TASK_QOS)

    def publish(self, clients: tuple[str, ...]) -> None:
        """Publish it, if it or the nodes that could cancel it have changed."""
        version = self._robot.task_version, clients
        if version == self._published:
            return
        self._published = version
        report, now = self._robot.task_report(), self._clock()
        self._publisher.publish(task_to_ros(replace(report, clients=clients), now.to_ros(now.core_ns), self._frame))
