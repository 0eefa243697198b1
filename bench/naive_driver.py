"""The driver as one would write it first, to compare with: python -m bench.naive_driver --config FILE.

One node, a SingleThreadedExecutor, and timers for each robot: for its pose, its status and the feedback of its task.
The fleet below and the entities on the graph are the same; only how they are served differs.
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

from aseba_link.compiler import ScriptCompiler, shipped_script
from aseba_link.diagnostics import Diagnostics
from aseba_link.dialer import ThreadDialer
from aseba_link.instant import Instant
from aseba_link.link import AsebaLink
from aseba_link.stop_signal import StopSignal
from aseba_link.thymio import script_constants
from aseba_link.upkeep import Upkeep
from fleet.config import FleetConfig, RobotConfig, load_config
from fleet.conversions import measured_pose_from_ros, pose_to_ros, time_from_ros
from fleet.node import driver_diagnostic
from fleet.punctuality import Punctuality
from fleet.robot_interface import RobotInterface
from fleet.robot_topics import RobotTopics
from fleet.service import FleetService
from fleet.task_actions import PROGRESS_S, SIGN_OF_LIFE_S


class NaiveDriver(Node):
    """Serves every robot of a configuration from one node, with timers of its own for each of them."""

    def __init__(self, config: FleetConfig, link: AsebaLink) -> None:
        super().__init__("multi_thymio_driver")
        self._service = FleetService(config, link)
        self._punctuality = Punctuality(1.0 / config.rates.control_hz)
        self._steady_clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._diagnostics = Diagnostics(self, "multi_thymio_driver")
        self._diagnostics.add("driver", lambda: driver_diagnostic(self._punctuality, link))
        self._interfaces = {
            robot.id: RobotInterface(self._service, robot, self._topics(robot), self._now, self.get_logger())
            for robot in config.robots
        }
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
            self.create_timer(SIGN_OF_LIFE_S, interface.tasks.publish_sign_of_life, clock=self._steady_clock)
        self.create_timer(1.0 / config.rates.control_hz, self._tick, clock=self._steady_clock)

    def _topics(self, robot: RobotConfig) -> RobotTopics:
        return RobotTopics(self._service, robot, self, self._now)

    def _now(self) -> Instant:
        return Instant(time.monotonic_ns(), self.get_clock().now().nanoseconds)

    def _on_pose(self, robot: RobotConfig, message: PoseStamped) -> None:
        now = self._now()
        pose = measured_pose_from_ros(message, self._service.config.motion_capture, robot.marker)
        self._service.on_measured_pose(robot.id, pose, now.to_core(time_from_ros(message.header.stamp)), now.core_ns)

    def _publish_pose(self, robot_id: int) -> None:
        estimate = self._service.estimate(robot_id)
        if estimate is not None:
            stamp_ns = self._now().to_ros(estimate.stamp_ns)
            self._interfaces[robot_id].topics.pose_publisher.publish(pose_to_ros(estimate.pose, stamp_ns, "map"))

    def _publish_status(self, robot_id: int) -> None:
        self._interfaces[robot_id].topics.publish_status(self._now())

    def _tick(self) -> None:
        now_ns = time.monotonic_ns()
        self._punctuality.on_tick(now_ns)
        for outcome in self._service.tick(now_ns).outcomes:
            self._interfaces[outcome.robot_id].tasks.finish(outcome)


def main() -> int:
    """Run until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--config", type=Path, required=True)
    config = load_config(parser.parse_args().config)
    stop = StopSignal()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    script = shipped_script().with_constants(script_constants(config.rates.odometry_hz, config.driver.reports))
    link = AsebaLink(config.link.targets, Upkeep(ScriptCompiler(script)), ThreadDialer())
    driver = NaiveDriver(config, link)
    executor = SingleThreadedExecutor()
    executor.add_node(driver)
    while not stop.came:
        executor.spin_once(timeout_sec=0.2)
    link.close()
    rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
