"""The simulator's ROS face: true poses, and the stand-in for a motion-capture system."""

import math
from collections import deque

import numpy as np
import rclpy
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions

from simulator.config import MotionCaptureConfig, WorldConfig
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
        self._capture: MotionCaptureConfig = config.motion_capture
        self._random = np.random.default_rng([config.seed, 1])
        self._truths = [self._publisher(f"/simulator/thymio_{node_id}/truth") for node_id in simulation.node_ids]
        self._captures = [
            self._publisher(f"/mocap/thymio_{node_id}/pose") for node_id in simulation.node_ids if self._capture.enabled
        ]
        self._truths_published = 0
        self._captures_published = 0
        self._on_the_way: deque[tuple[float, Time, NDArray[np.float64]]] = deque()  # when due, in simulated seconds

    def publish(self) -> None:
        """Publish what is due at the simulation's time."""
        poses = self._simulation.poses()
        truths_due = math.floor(self._simulation.time_s * TRUTH_HZ + 1e-9)
        if truths_due > self._truths_published:
            self._truths_published = truths_due
            self._publish(self._truths, poses, self._stamp())
        captures_due = math.floor(self._simulation.time_s * self._capture.rate_hz + 1e-9)
        if captures_due > self._captures_published:
            self._captures_published = captures_due
            due_s = self._simulation.time_s + self._capture.latency_s
            self._on_the_way.append((due_s, self._stamp(), poses + self._noise(len(poses))))
        while self._on_the_way and self._on_the_way[0][0] <= self._simulation.time_s:
            _, stamp, measured = self._on_the_way.popleft()
            self._publish(self._captures, measured, stamp)

    def _stamp(self) -> Time:
        return self.get_clock().now().to_msg()

    def _noise(self, count: int) -> NDArray[np.float64]:
        capture = self._capture
        deviations = (capture.position_noise_m, capture.position_noise_m, capture.heading_noise_rad)
        return self._random.normal(0.0, deviations, (count, 3))

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
