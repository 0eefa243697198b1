"""Reads the poses that drivers publish for all their robots together."""

import time
from collections.abc import Iterator
from typing import Final

from rclpy.node import Node
from thymio_fleet_interfaces.msg import RobotPoses

from fleet.geometry import Pose2D
from fleet.interface.names import POSES_TOPIC
from fleet.interface.quality import POSES_READER_QOS
from fleet.watch.taken_topic import TakenTopic
from thymio_base.texts.bounds import is_pose

_SILENT_NS: Final = 2_000_000_000


class DriverPoses:
    """Reads /fleet/poses; a hundred single topics cost a quarter of the dashboard's processor time.

    Parameters
    ----------
    node : owns the subscription, and has no executor
    frame : of poses; others are invalid. None takes those of any frame

    Attributes
    ----------
    invalid : number of unusable poses and messages
    waited_s : how long the latest message had waited when it was taken; None if there was no new one
    """

    def __init__(self, node: Node, frame: str | None = None) -> None:
        self.invalid = 0
        self.waited_s: float | None = None
        self._node = node
        self._frame = frame
        self._topic = TakenTopic(node, RobotPoses, POSES_TOPIC, POSES_READER_QOS)
        self._heard_ns: dict[int, int] = {}

    @property
    def has_publisher(self) -> bool:
        """Whether any driver publishes poses together."""
        return bool(self._node.count_publishers(POSES_TOPIC) > 0)

    def has(self, robot_id: int, now_ns: int) -> bool:
        """Whether the poses of a robot arrive."""
        return now_ns - self._heard_ns.get(robot_id, -_SILENT_NS) < _SILENT_NS

    def take(self, now_ns: int) -> Iterator[dict[int, Pose2D]]:
        """Yield the poses of each new message by robot ID, the latest message last."""
        self.waited_s = None
        while (message := self._topic.take_message()) is not None:
            self.waited_s = 1e-9 * (time.time_ns() - self._topic.received_ns)
            try:
                rows = list(zip(message.robots, message.xs_m, message.ys_m, message.headings_rad, strict=True))
            except ValueError:
                self.invalid += 1
                continue
            is_of_frame = self._frame in (None, message.header.frame_id)
            valid = [row for row in rows if is_of_frame and is_pose(*row[1:])]
            self.invalid += len(rows) - len(valid)
            poses = {robot_id: Pose2D(*pose) for robot_id, *pose in valid}
            self._heard_ns.update(dict.fromkeys(poses, now_ns))
            yield poses
