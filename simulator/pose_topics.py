"""Topics with poses: the truth, of each robot and of all, and the stand-in for a motion-capture system."""

from collections import deque
from dataclasses import dataclass

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseArray, PoseStamped
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile

from simulator.config import MotionCaptureConfig
from simulator.conversions import FRAME, pose_to_ros
from simulator.regular import Regular
from simulator.simulation import Simulation

TRUTH_HZ = 10.0

_Poses = dict[int, tuple[float, float, float]]


@dataclass(frozen=True, slots=True)
class _Measurement:
    """Poses by node id, that come at a simulated time."""

    due_s: float
    stamp: Time
    poses: _Poses


class PoseTopics:
    """Publishes poses: /simulator/truth, /simulator/thymio_<node id>/truth and /mocap/thymio_<node id>/pose.

    Parameters
    ----------
    simulation : its robots may come and go
    node : has the publishers
    capture : the stand-in for a motion-capture system
    random : of its noise
    """

    def __init__(
        self, simulation: Simulation, node: Node, capture: MotionCaptureConfig, random: np.random.Generator
    ) -> None:
        self._simulation = simulation
        self._node = node
        self._capture = capture
        self._random = random
        self._all = node.create_publisher(PoseArray, "/simulator/truth", QoSProfile(depth=1))
        self._truths: dict[int, Publisher] = {}
        self._captures: dict[int, Publisher] = {}
        self._truth_times = Regular(TRUTH_HZ)
        self._capture_times = Regular(capture.rate_hz)
        self._on_the_way: deque[_Measurement] = deque()
        self._follow_robots()

    def publish(self, stamp: Time) -> None:
        """Publish what is due at the simulation's time."""
        time_s = self._simulation.time_s
        if self._truth_times.comes(time_s):
            self.publish_truth(stamp)
        if self._capture.enabled and self._capture_times.comes(time_s):
            self._on_the_way.append(_Measurement(time_s + self._capture.latency_s, stamp, self._measured()))
        while self._on_the_way and (
            self._on_the_way[0].due_s <= time_s or self._on_the_way[0].due_s > time_s + self._capture.latency_s
        ):  # the latter where time was set back
            measurement = self._on_the_way.popleft()
            _publish(self._captures, measurement.poses, measurement.stamp)

    def publish_truth(self, stamp: Time) -> None:
        """Publish where robots are, due or not."""
        self._follow_robots()
        poses = self._poses(self._simulation.poses())
        _publish(self._truths, poses, stamp)
        message = PoseArray()
        message.header.frame_id = FRAME
        message.header.stamp = stamp
        message.poses = [pose_to_ros(*pose) for pose in poses.values()]
        self._all.publish(message)

    def _follow_robots(self) -> None:
        """Have publishers for the robots that there are."""
        node_ids = self._simulation.node_ids
        for node_id in node_ids:
            if node_id not in self._truths:
                self._truths[node_id] = self._publisher(f"/simulator/thymio_{node_id}/truth")
                if self._capture.enabled:
                    self._captures[node_id] = self._publisher(f"/mocap/thymio_{node_id}/pose")
        for publishers in (self._truths, self._captures):
            for node_id in publishers.keys() - set(node_ids):
                self._node.destroy_publisher(publishers.pop(node_id))

    def _measured(self) -> _Poses:
        poses = self._simulation.poses()
        capture = self._capture
        deviations = (capture.position_noise_m, capture.position_noise_m, capture.heading_noise_rad)
        return self._poses(poses + self._random.normal(0.0, deviations, (len(poses), 3)))

    def _poses(self, poses: NDArray[np.float64]) -> _Poses:
        pairs = zip(self._simulation.node_ids, poses.tolist(), strict=True)
        return {node_id: (x_m, y_m, heading_rad) for node_id, (x_m, y_m, heading_rad) in pairs}

    def _publisher(self, topic: str) -> Publisher:
        return self._node.create_publisher(PoseStamped, topic, QoSProfile(depth=1))


def _publish(publishers: dict[int, Publisher], poses: _Poses, stamp: Time) -> None:
    message = PoseStamped()
    message.header.frame_id = FRAME
    message.header.stamp = stamp
    for node_id, pose in poses.items():
        if node_id in publishers:
            message.pose = pose_to_ros(*pose)
            publishers[node_id].publish(message)
