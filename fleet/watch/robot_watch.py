"""The latest status, task and pose published by each robot, for every program that follows robots."""

from collections.abc import Callable
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from std_msgs.msg import String
from thymio_fleet_interfaces.msg import RobotTask

from fleet.geometry import Pose2D
from fleet.interface.conversions import pose_in_plane
from fleet.interface.names import order_topic, task_topic
from fleet.interface.order_messages import order_of_text
from fleet.interface.task_messages import task_from_ros
from fleet.tasks.task_report import TaskReport
from fleet.watch.latest_messages import LatestMessages
from fleet.watch.status_bytes import ReadStatus, read_status
from fleet.watch.taken_topic import LATEST
from thymio_base.ros.stamped_poses import read_pose


class RobotWatch:
    """Follows robots; messages are read when the user asks for them.

    Parameters
    ----------
    node : owns the subscriptions, and has no executor
    frame : required frame of poses; None accepts any
    on_invalid : called with the error of an invalid message

    Attributes
    ----------
    statuses, tasks, poses : latest messages, by robot ID
    orders : latest orders of master controls, by robot ID
    """

    def __init__(
        self, node: Node, frame: str | None = None, on_invalid: Callable[[ValueError], None] = lambda _: None
    ) -> None:
        self.statuses = LatestMessages[ReadStatus](node, DiagnosticStatus, read_status, on_invalid)
        self.tasks = LatestMessages[TaskReport](node, RobotTask, _read_task, on_invalid)
        self.orders = LatestMessages[dict[str, Any] | None](node, String, _read_order, on_invalid)
        read_pose = partial(plane_pose, frame=frame)
        self.poses = LatestMessages[Pose2D](node, PoseStamped, read_pose, on_invalid)

    def watch_status(self, robot_id: int) -> None:
        """Follow a robot's status from now on."""
        self.statuses.watch(robot_id, f"/factory/robot_{robot_id}/status")

    def watch_task(self, robot_id: int) -> None:
        """Follow a robot's task from now on, if its server publishes it."""
        self.tasks.watch(robot_id, task_topic(robot_id))

    def watch_order(self, robot_id: int) -> None:
        """Follow a master control's order to a robot from now on."""
        self.orders.watch(robot_id, order_topic(robot_id))

    def watch_pose(self, robot_id: int) -> None:
        """Follow a robot's pose from now on."""
        self.poses.watch(robot_id, f"/factory/robot_{robot_id}/pose", LATEST)

    def take(self, robot_id: int) -> None:
        """Read a robot's new messages."""
        for messages in (self.statuses, self.tasks, self.poses):
            messages.take(robot_id)

    def forget(self, robot_id: int) -> None:
        """Stop following a robot."""
        for messages in (self.statuses, self.tasks, self.poses, self.orders):
            messages.forget(robot_id)


def plane_pose(data: bytes, frame: str | None = None) -> Pose2D:
    """Return the pose in the plane of a serialized PoseStamped, whose frame must be `frame` if that is given.

    Raises
    ------
    ValueError
        The bytes are not such a pose.
    """
    stamped = read_pose(data)
    return pose_in_plane(stamped, stamped.frame if frame is None else frame)


def _read_order(data: bytes) -> dict[str, Any] | None:
    try:
        return order_of_text(deserialize_message(data, String).data)
    except RuntimeError as error:
        raise ValueError(f"{len(data)} bytes are not an order: {error}") from error


def _read_task(data: bytes) -> TaskReport:
    try:
        return task_from_ros(deserialize_message(data, RobotTask))
    except RuntimeError as error:  # RMWError is one
        raise ValueError(f"{len(data)} bytes are not a task: {error}") from error
