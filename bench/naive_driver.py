"""A naive driver, for comparison: python -m bench.naive_driver --config FILE.

One node with a SingleThreadedExecutor, and timers for each robot's pose, status and task feedback. The fleet below and
the entities on the graph are those of the real driver; only the scheduling differs.
"""

import argparse
import sys
import time
from functools import partial
from pathlib import Path

import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.clock import Clock, ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.signals import SignalHandlerOptions

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.dialer import ThreadDialer
from aseba_link.thymio.events import script_constants
from fleet.interface.conversions import measured_pose_from_ros, pose_to_ros
from fleet.ros.driver_node import driver_diagnostic
from fleet.ros.edge.driver_edge import Edge
from fleet.ros.robot_interface import RobotInterface
from fleet.ros.robot_topics import RobotTopics
from fleet.ros.task_actions import HEARTBEAT_S, PROGRESS_S
from fleet.service.fleet_service import FleetService
from fleet.service.punctuality import Punctuality
from fleet.service.request_queue import RequestQueue
from fleet.settings.config import FleetConfig, RobotConfig, load_config
from thymio_base.instant import Instant
from thymio_base.parts import finished
from thymio_base.ros.answers import Answers
from thymio_base.ros.diagnostics import Diagnostics
from thymio_base.ros.stamps import time_from_ros
from thymio_base.stop_signal import StopSignal


class NaiveDriver(Node):
    """Serves every robot of a configuration from one node, with separate timers for each of them."""

    def __init__(self, config: FleetConfig, link: AsebaLink) -> None:
        super().__init__("multi_thymio_driver")
        self._service = FleetService(config, link)
        self._punctuality = Punctuality(1.0 / config.rates.control_hz)
        self._steady_clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._answers = Answers(time.monotonic_ns)
        self._requests = RequestQueue(limit=10, quota=10)
        self._diagnostics = Diagnostics(self, "naive")
        self._diagnostics.add("driver", lambda: driver_diagnostic(self._punctuality, link, self._answers))
        edge = Edge(self._service, self._now, self.get_logger(), self._answers, self._requests)
        self._interfaces = {robot.id: RobotInterface(edge, robot, self._topics(robot)) for robot in config.robots}
        for interface in self._interfaces.values():
            finished(interface.create())
        for robot in config.robots:
            self.create_subscription(
                PoseStamped, robot.pose_topic, partial(self._on_pose, robot), qos_profile_sensor_data
            )
        for robot_id, interface in self._interfaces.items():
            self._diagnostics.add(f"robot_{robot_id}", interface.topics.diagnostic)
            self.create_timer(
                1.0 / config.rates.pose_hz, partial(self._publish_pose, robot_id), clock=self._steady_clock
            )
            self.create_timer(
                1.0 / config.rates.status_hz, partial(self._publish_status, robot_id), clock=self._steady_clock
            )
            self.create_timer(PROGRESS_S, interface.tasks.publish_progress, clock=self._steady_clock)
            self.create_timer(HEARTBEAT_S, interface.tasks.publish_heartbeat, clock=self._steady_clock)
        self.create_timer(1.0 / config.rates.control_hz, self._tick, clock=self._steady_clock)

    def _topics(self, robot: RobotConfig) -> RobotTopics:
        return RobotTopics(self._service, robot, self, self._now)

    def _now(self) -> Instant:
        return Instant(time.monotonic_ns(), self.get_clock().now().nanoseconds)

    def _on_pose(self, robot: RobotConfig, message: PoseStamped) -> None:
        now = self._now()
        pose = measured_pose_from_ros(message, self._service.config.motion_capture, robot.marker)
        self._service.robot(robot.id).telemetry.on_measured_pose(
            pose, now.to_core(time_from_ros(message.header.stamp)), now.core_ns
        )

    def _publish_pose(self, robot_id: int) -> None:
        estimate = self._service.robot(robot_id).telemetry.estimate
        if estimate is not None:
            stamp_ns = self._now().to_ros(estimate.stamp_ns)
            self._interfaces[robot_id].topics.pose_publisher.publish(pose_to_ros(estimate.pose, stamp_ns, "map"))

    def _publish_status(self, robot_id: int) -> None:
        self._interfaces[robot_id].topics.publish_status(self._now())

    def _tick(self) -> None:
        now_ns = time.monotonic_ns()
        self._punctuality.on_tick(now_ns)
        self._requests.refill()
        while self._requests.serve():
            pass
        for outcome in self._service.tick(now_ns).outcomes:
            self._interfaces[outcome.robot_id].tasks.finish(outcome)


def main() -> int:
    """Run until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--config", type=Path, required=True)
    config = load_config(parser.parse_args().config)
    stop = StopSignal()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    script = shipped_script().with_constants(script_constants(config.rates.odometry_hz, config.reports))
    link = AsebaLink(config.link.targets, ScriptPolicy(ScriptCompiler(script)), ThreadDialer())
    driver = NaiveDriver(config, link)
    executor = SingleThreadedExecutor()
    executor.add_node(driver)
    while not stop.is_requested:
        executor.spin_once(timeout_sec=0.2)
    link.close()
    rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
