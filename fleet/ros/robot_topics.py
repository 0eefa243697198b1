"""The topics that one robot publishes under /factory/robot_<ID>/: pose and status."""

from collections.abc import Callable
from typing import Final

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node

from fleet.hosts.known_fleet import KnownRobot
from fleet.interface.quality import POSE_QOS, STATUS_QOS
from fleet.interface.status_messages import chassis_to_ros, status_to_ros
from fleet.localization.pose_quality import Estimate, Localization
from fleet.ros.fleet_topics.poses_topic import PosesTopic
from fleet.service.fleet_service import FleetService
from fleet.settings.config import RobotConfig
from thymio_base.cdr import pose_writer
from thymio_base.instant import Instant

_NEW_NS: Final = 1_500_000_000  # statuses are published once a second, or a tick later


class RobotTopics:
    """Publishes pose and status of one robot.

    Create the topics of all robots before the first robot's actions: for each acknowledgement from a reader, Fast DDS
    walks through the writers of the whole process in order of creation, and an action has five.

    Parameters
    ----------
    service : knows the robot
    config : the robot to serve
    node : owns the publishers
    clock : returns the current time
    poses : also gets each published pose; may be None
    """

    def __init__(
        self,
        service: FleetService,
        config: RobotConfig,
        node: Node,
        clock: Callable[[], Instant],
        poses: PosesTopic | None = None,
    ) -> None:
        self._service = service
        self._robot = service.robot(config.id)
        self._clock = clock
        self._poses = poses
        self.node = node
        self._published_ns = 0
        self._status_message: DiagnosticStatus | None = None  # the last status
        self._reported_ns = 0  # when it was published
        self._diagnostic: DiagnosticStatus | None = None  # the last status with what was learned
        self._learned: list[KeyValue] | None = None
        self._write_pose = pose_writer(service.config.frame)
        self.pose_publisher = node.create_publisher(PoseStamped, f"/factory/{config.name}/pose", POSE_QOS)
        self._status_publisher = node.create_publisher(DiagnosticStatus, f"/factory/{config.name}/status", STATUS_QOS)

    def publish_pose(self, now: Instant) -> bool:
        """Publish the latest estimate, unless the pose is lost; return False if it was published before."""
        estimate = self._estimate(now)
        if estimate is None:
            return True
        if estimate.stamp_ns <= self._published_ns:
            return False
        self._published_ns = estimate.stamp_ns
        pose, stamp_ns = estimate.pose, now.to_ros(estimate.stamp_ns)
        self.pose_publisher.publish(self._write_pose(pose.x_m, pose.y_m, pose.heading_rad, stamp_ns))
        if self._poses is not None:
            self._poses.add(self._robot.config.id, pose, stamp_ns)
        return True

    def publish_status(self, now: Instant) -> None:
        """Publish the robot's status."""
        self._reported_ns = now.core_ns
        self._status_publisher.publish(self._status(now))

    def known(self, now: Instant) -> KnownRobot | None:
        """Return the robot's status, as last published, and its pose; None if no status has been published yet."""
        status, estimate = self._status_message, self._estimate(now)
        if status is None or not self._reported_ns:
            return None
        return KnownRobot(
            self._robot.config.id,
            status.level[0],
            status.message,
            {value.key: value.value for value in status.values},
            None if estimate is None else estimate.pose,
            (now.core_ns - self._reported_ns) * 1e-9,
        )

    def diagnostic(self) -> DiagnosticStatus:
        """Return the status, as last published if that is recent, with what was learned about the wheels.

        Message and values are reused for the next status: creating them takes several times as long.
        """
        now = self._clock()
        status = self._status_message
        if status is None or now.core_ns - self._reported_ns > _NEW_NS:
            status = self._status(now)
        chassis, gain_stds = self._robot.chassis, self._robot.telemetry.gain_stds
        learns_latency = self._service.config.actuation.learns_latency
        self._learned = chassis_to_ros(chassis, gain_stds, learns_latency, self._learned)
        if self._diagnostic is None:
            self._diagnostic = DiagnosticStatus(values=[*status.values, *self._learned])
        self._diagnostic.level, self._diagnostic.message = status.level, status.message
        return self._diagnostic

    def _estimate(self, now: Instant) -> Estimate | None:
        """Return the latest estimate, unless the pose is lost."""
        telemetry = self._robot.telemetry
        return None if telemetry.localization(now.core_ns) is Localization.LOST else telemetry.estimate

    def _status(self, now: Instant) -> DiagnosticStatus:
        """Return the robot's status, in a message that is reused for the next one."""
        self._status_message = status_to_ros(
            self._service.status(self._robot.config.id, now.core_ns), self._status_message
        )
        return self._status_message
