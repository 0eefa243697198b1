"""Topics with poses: the truth, per robot and for all robots, and simulated motion capture."""

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseArray, PoseStamped
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile

from simulator.conductor.provided_topics import ALL_TRUTHS, capture_topic, truth_topic
from simulator.numbers.periodic_event import PeriodicEvent
from simulator.ros.place_messages import FRAME, pose_to_ros
from simulator.simulation.simulated_capture import SimulatedCapture
from simulator.simulation.simulation import Simulation
from simulator.world.config import SimulatedCaptureConfig
from thymio_base.cdr import PoseWriter, pose_writer
from thymio_base.ros.stamps import time_from_ros

TRUTH_HZ = 10.0

_Poses = dict[int, tuple[float, float, float]]  # by node id


class PoseTopics:
    """Publishes poses: /simulator/truth, /simulator/thymio_<node id>/truth and /mocap/thymio_<node id>/pose.

    Parameters
    ----------
    simulation : its robots may be added and removed
    node : provides the publishers
    capture : the simulated motion-capture system
    random : source of the capture's noise
    """

    def __init__(
        self, simulation: Simulation, node: Node, capture: SimulatedCaptureConfig, random: np.random.Generator
    ) -> None:
        self._simulation = simulation
        self._node = node
        self._is_captured = capture.enabled
        self._capture: SimulatedCapture[tuple[Time, list[int]]] = SimulatedCapture(capture, random)
        self._all = node.create_publisher(PoseArray, ALL_TRUTHS, QoSProfile(depth=1))
        self._write = pose_writer(FRAME)
        self._truths: dict[int, Publisher] = {}
        self._captures: dict[int, Publisher] = {}
        self._truth_times = PeriodicEvent(TRUTH_HZ)
        self._follow_robots()

    def publish(self, stamp: Time) -> None:
        """Publish what is due at the simulation's time."""
        time_s = self._simulation.time_s
        if self._truth_times.is_due(time_s):
            self.publish_truth(stamp)
        now = stamp, self._simulation.node_ids
        for (measured_at, node_ids), poses in self._capture.advance(time_s, now, self._simulation.world.poses.truth):
            seen = self._captures.keys() - self._simulation.hidden
            _publish({key: self._captures[key] for key in seen}, _by_node(node_ids, poses), measured_at, self._write)

    def publish_truth(self, stamp: Time) -> None:
        """Publish the robots' true poses, due or not."""
        self._follow_robots()
        poses = _by_node(self._simulation.node_ids, self._simulation.world.poses.truth())
        _publish(self._truths, poses, stamp, self._write)
        message = PoseArray()
        message.header.frame_id = FRAME
        message.header.stamp = stamp
        message.poses = [pose_to_ros(*pose) for pose in poses.values()]
        self._all.publish(message)

    def _follow_robots(self) -> None:
        """Create and remove publishers as robots are added and removed."""
        node_ids = self._simulation.node_ids
        for node_id in node_ids:
            if node_id not in self._truths:
                self._truths[node_id] = self._publisher(truth_topic(node_id))
                if self._is_captured:
                    self._captures[node_id] = self._publisher(capture_topic(node_id))
        for publishers in (self._truths, self._captures):
            for node_id in publishers.keys() - set(node_ids):
                self._node.destroy_publisher(publishers.pop(node_id))

    def _publisher(self, topic: str) -> Publisher:
        return self._node.create_publisher(PoseStamped, topic, QoSProfile(depth=1))


def _by_node(node_ids: list[int], poses: NDArray[np.float64]) -> _Poses:
    pairs = zip(node_ids, poses.tolist(), strict=True)
    return {node_id: (x_m, y_m, heading_rad) for node_id, (x_m, y_m, heading_rad) in pairs}


def _publish(publishers: dict[int, Publisher], poses: _Poses, stamp: Time, write: PoseWriter) -> None:
    stamp_ns = time_from_ros(stamp)
    for node_id, pose in poses.items():
        if node_id in publishers:
            publishers[node_id].publish(write(*pose, stamp_ns))
