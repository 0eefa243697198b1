"""Publishes a contact for viewers: its frame on /tf, and its wrench."""

from typing import Final

import numpy as np
from geometry_msgs.msg import TransformStamped, WrenchStamped
from rclpy.node import Node
from tf2_msgs.msg import TFMessage

from body.description.robot_tree import Floats
from body.ros.body_conversions import transform_to_ros, wrench_to_ros

_PERIOD_NS: Final = 20_000_000  # higher rates slow down RViz's display of wrenches


class ContactTopics:
    """Publishes the frame NAME_contact, parallel to the link's frame, and the wrench in that frame on /NAME/wrench.

    Parameters
    ----------
    node : node that gives the topics their NAME
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._frame = f"{node.get_name()}_contact"
        self._wrench = node.create_publisher(WrenchStamped, f"{node.get_name()}/wrench", 10)
        self._frames = node.create_publisher(TFMessage, "/tf", 100)
        self._published_ns: int | None = None

    def publish(self, link: str, point: Floats, wrench: Floats, now_ns: int) -> None:
        """Publish the contact, at most 50 times a second.

        Parameters
        ----------
        link
            touched link
        point
            point of contact in the link's frame, shape (3,) [m]
        wrench
            wrench in the link's axes, shape (6,) [N, Nm]; not published if it is not finite
        now_ns
            time on the core's clock
        """
        is_early = self._published_ns is not None and now_ns - self._published_ns < _PERIOD_NS
        if is_early or not np.isfinite(wrench).all():
            return
        self._published_ns = now_ns
        stamp = self._node.get_clock().now().to_msg()
        pose = np.eye(4)
        pose[:3, 3] = point
        frame = TransformStamped(child_frame_id=self._frame, transform=transform_to_ros(pose))
        frame.header.stamp, frame.header.frame_id = stamp, link
        self._frames.publish(TFMessage(transforms=[frame]))
        message = WrenchStamped(wrench=wrench_to_ros(wrench))
        message.header.stamp, message.header.frame_id = stamp, self._frame
        self._wrench.publish(message)
