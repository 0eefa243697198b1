"""The transforms of the whole fleet on /tf: map -> odom -> base_link (REP 105), all robots in one message a tick."""

from collections.abc import Callable

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage

from fleet.config import RobotConfig
from fleet.driver.odometry_messages import frame_name, transform_to_ros
from fleet.driver.sensor_messages import header_to_ros
from fleet.odometer import Odometry
from fleet.service import FleetService

TF_QOS = QoSProfile(depth=100)  # as tf2_ros


class TransformBroadcaster:
    """Tells where every robot's frames are.

    Parameters
    ----------
    service : knows it
    node : gets the publisher
    """

    def __init__(self, service: FleetService, node: Node) -> None:
        self._service = service
        self._publisher = node.create_publisher(TFMessage, "/tf", TF_QOS)
        self._told_ns = {robot.id: 0 for robot in service.config.robots}

    def publish(self, now_ns: int, to_ros: Callable[[int], int]) -> None:
        """Publish the transforms of every robot whose wheels told something since the last time.

        `now_ns` is on the core's clock; `to_ros` brings a stamp from there to the ROS clock.
        """
        transforms: list[TransformStamped] = []
        for robot in self._service.config.robots:
            odometry = self._service.odometry(robot.id)
            if odometry is not None and odometry.stamp_ns > self._told_ns[robot.id]:
                self._told_ns[robot.id] = odometry.stamp_ns
                transforms += self._transforms(robot, odometry, now_ns, to_ros(odometry.stamp_ns))
        if transforms:
            self._publisher.publish(TFMessage(transforms=transforms))

    def _transforms(self, robot: RobotConfig, odometry: Odometry, now_ns: int, stamp_ns: int) -> list[TransformStamped]:
        """Return odom -> base_link, and map -> odom where it is known."""
        odom, base = frame_name(robot.name, "odom"), frame_name(robot.name, "base_link")
        transforms = [transform_to_ros(odometry.pose, header_to_ros(stamp_ns, odom), base)]
        odom_in_map = self._service.odom_in_map(robot.id, now_ns)
        if odom_in_map is not None:
            header = header_to_ros(stamp_ns, self._service.config.frame)
            transforms.append(transform_to_ros(odom_in_map, header, odom))
        return transforms
