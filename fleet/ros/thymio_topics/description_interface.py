"""Publishes the robots for RViz and Foxglove: their descriptions, and their links on /tf_static and /tf."""

from collections.abc import Callable

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Quaternion, TransformStamped, Vector3
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Header, String
from tf2_msgs.msg import TFMessage

from fleet.localization.odometer import Odometry
from fleet.ros.thymio_topics.odometry_messages import WHEEL_JOINTS, WHEEL_RADIUS_M
from fleet.ros.thymio_topics.robot_description import (
    Joint,
    LinkTransform,
    fixed_transforms,
    parse_joints,
    prefixed,
    wheel_transforms,
)
from fleet.ros.thymio_topics.transforms import TF_QOS
from fleet.service.fleet_service import FleetService
from fleet.settings.config import RobotConfig
from thymio_base.ros.stamps import time_to_ros

LATCHED_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)  # as robot_state_publisher


class DescriptionInterface:
    """Publishes every robot's description and fixed links once, and its wheels with each new odometry.

    Parameters
    ----------
    service : knows the wheels
    node : gets the publishers
    urdf : describes one robot
    """

    def __init__(self, service: FleetService, node: Node, urdf: str) -> None:
        self._service = service
        self._joints: tuple[Joint, ...] = parse_joints(urdf)
        self._reported_ns = {robot.id: 0 for robot in service.config.robots}
        self._publisher = node.create_publisher(TFMessage, "/tf", TF_QOS)
        self._static_publisher = node.create_publisher(TFMessage, "/tf_static", LATCHED_QOS)
        self._descriptions = [_describe(node, robot, urdf) for robot in service.config.robots]
        stamp = node.get_clock().now().to_msg()
        links = [link for robot in service.config.robots for link in fixed_transforms(self._joints, _prefix(robot))]
        self._static_publisher.publish(TFMessage(transforms=[link_to_ros(link, stamp) for link in links]))

    def publish(self, to_ros: Callable[[int], int]) -> None:
        """Publish the wheel transforms of all robots with new odometry; `to_ros` converts a stamp to ROS time."""
        transforms: list[TransformStamped] = []
        for robot in self._service.config.robots:
            odometry = self._service.robot(robot.id).telemetry.odometry
            if odometry is not None and odometry.stamp_ns > self._reported_ns[robot.id]:
                self._reported_ns[robot.id] = odometry.stamp_ns
                stamp = time_to_ros(to_ros(odometry.stamp_ns))
                wheels = wheel_transforms(self._joints, _angles_rad(odometry), _prefix(robot))
                transforms += [link_to_ros(wheel, stamp) for wheel in wheels]
        if transforms:
            self._publisher.publish(TFMessage(transforms=transforms))


def link_to_ros(link: LinkTransform, stamp: Time) -> TransformStamped:
    """Return the message of a link's transform."""
    x_m, y_m, z_m = link.xyz_m
    x, y, z, w = link.rotation
    message = TransformStamped(header=Header(stamp=stamp, frame_id=link.parent), child_frame_id=link.child)
    message.transform.translation = Vector3(x=x_m, y=y_m, z=z_m)
    message.transform.rotation = Quaternion(x=x, y=y, z=z, w=w)
    return message


def _describe(node: Node, robot: RobotConfig, urdf: str) -> object:
    """Publish a robot's description; return the publisher, which must live as long as the description is needed."""
    publisher = node.create_publisher(String, f"/factory/{robot.name}/robot_description", LATCHED_QOS)
    publisher.publish(String(data=prefixed(urdf, _prefix(robot))))
    return publisher


def _prefix(robot: RobotConfig) -> str:
    return f"{robot.name}/"


def _angles_rad(odometry: Odometry) -> dict[str, float]:
    rolled_m = (odometry.left_m, odometry.right_m)
    return {joint: distance_m / WHEEL_RADIUS_M for joint, distance_m in zip(WHEEL_JOINTS, rolled_m, strict=True)}
