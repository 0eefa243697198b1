"""The transforms of the whole fleet on /tf: map -> odom -> base_link (REP 105), all robots in one message a tick.

A robot that drives by a plan has a further frame in the map, `reference`: its desired pose.
"""

from collections.abc import Callable

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage

from fleet.localization.odometer import Odometry
from fleet.ros.thymio_topics.odometry_messages import frame_name, transform_to_ros
from fleet.ros.thymio_topics.sensor_messages import header_to_ros
from fleet.service.fleet_service import FleetService
from fleet.settings.config import RobotConfig

TF_QOS = QoSProfile(depth=100)  # as tf2_ros


class TransformBroadcaster:
    """Publishes the transforms of every robot's frames.

    Parameters
    ----------
    service : knows the poses
    node : gets the publisher
    """

    def __init__(self, service: FleetService, node: Node) -> None:
        self._service = service
        self._publisher = node.create_publisher(TFMessage, "/tf", TF_QOS)
        self._reported_ns = {robot.id: 0 for robot in service.config.robots}

    def publish(self, now_ns: int, to_ros: Callable[[int], int]) -> None:
        """Publish the transforms of every robot with new odometry.

        `now_ns` is on the core's clock; `to_ros` converts a stamp from there to the ROS clock.
        """
        transforms: list[TransformStamped] = []
        for robot in self._service.config.robots:
            odometry = self._service.robot(robot.id).telemetry.odometry
            if odometry is not None and odometry.stamp_ns > self._reported_ns[robot.id]:
                self._reported_ns[robot.id] = odometry.stamp_ns
                transforms += self._transforms(robot, odometry, now_ns, to_ros(odometry.stamp_ns))
        if transforms:
            self._publisher.publish(TFMessage(transforms=transforms))

    def _transforms(self, robot: RobotConfig, odometry: Odometry, now_ns: int, stamp_ns: int) -> list[TransformStamped]:
        """Return odom -> base_link, and map -> odom and map -> reference where these are known."""
        odom, base = frame_name(robot.name, "odom"), frame_name(robot.name, "base_link")
        transforms = [transform_to_ros(odometry.pose, header_to_ros(stamp_ns, odom), base)]
        odom_in_map = self._service.robot(robot.id).telemetry.odom_in_map(now_ns)
        if odom_in_map is not None:
            header = header_to_ros(stamp_ns, self._service.config.frame)
            transforms.append(transform_to_ros(odom_in_map, header, odom))
        reference = self._service.robot(robot.id).reference
        if reference is not None:
            header = header_to_ros(stamp_ns, self._service.config.frame)
            transforms.append(transform_to_ros(reference, header, frame_name(robot.name, "reference")))
        return transforms
