"""The simulator's ROS face: true poses, and the stand-in for a motion-capture system."""

import math

import numpy as np
import rclpy
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions

from simulator.config import WorldConfig
from simulator.motion_capture import MotionCapture
from simulator.regular import Regular
from simulator.simulation import Simulation

FRAME = "map"
TRUTH_HZ = 10.0


class SimulatorNode(Node):
    """Publishes /simulator/thymio_<node id>/truth and /mocap/thymio_<node id>/pose.

    It has neither timers nor subscriptions: `publish` is called from the simulation's loop, and needs no executor.
    """

    def __init__(self, config: WorldConfig, simulation: Simulation) -> None:
        super().__init__("thymio_simulator")
        self._simulation = simulation
        random = np.random.default_rng([config.seed, 1])
        self._capture: MotionCapture[Time] = MotionCapture(config.motion_capture, random)
        self._truths = [self._publisher(f"/simulator/thymio_{node_id}/truth") for node_id in simulation.node_ids]
        seen = simulation.node_ids if config.motion_capture.enabled else []
        self._captures = [self._publisher(f"/mocap/thymio_{node_id}/pose") for node_id in seen]
        self._truth_times = Regular(TRUTH_HZ)

    def publish(self) -> None:
        """Publish what is due at the simulation's time."""
        time_s, stamp = self._simulation.time_s, self._stamp()
        if self._truth_times.comes(time_s):
            self._publish(self._truths, self._simulation.poses(), stamp)
        for measured_at, poses in self._capture.advance(time_s, stamp, self._simulation.poses):
            self._publish(self._captures, poses, measured_at)

    def _stamp(self) -> Time:
        return self.get_clock().now().to_msg()

    def _publisher(self, topic: str) -> Publisher:
        return self.create_publisher(PoseStamped, topic, QoSProfile(depth=1))

    def _publish(self, publishers: list[Publisher], poses: NDArray[np.float64], stamp: Time) -> None:
        message = PoseStamped()
        message.header.frame_id = FRAME
        message.header.stamp = stamp
        for publisher, (x_m, y_m, heading_rad) in zip(publishers, poses.tolist(), strict=False):
            message.pose.position.x, message.pose.position.y = x_m, y_m
            message.pose.orientation.z, message.pose.orientation.w = (
                math.sin(0.5 * heading_rad),
                math.cos(0.5 * heading_rad),
            )
            publisher.publish(message)


class RosFace:
    """The node, and the ROS context that it lives in."""

    def __init__(self, config: WorldConfig, simulation: Simulation, arguments: list[str]) -> None:
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
        self._node = SimulatorNode(config, simulation)

    def publish(self) -> None:
        """See `SimulatorNode.publish`."""
        self._node.publish()

    def close(self) -> None:
        """Leave the graph."""
        self._node.destroy_node()
        rclpy.try_shutdown()
