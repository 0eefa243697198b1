"""The node `multi_thymio_driver`: parameters, entities, the tick's timer and the executor; no decision is taken here.

Everything runs in one thread, in callbacks of one executor. Goals await a future that the tick completes.
"""

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import rclpy
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args
from std_srvs.srv import Trigger

from aseba_link.compiler import ScriptCompiler, shipped_script
from aseba_link.dialer import ThreadDialer
from aseba_link.event import LinkEvent, NodeFaulted, NodeLost, NodeReady, TargetConnected, TargetLost
from aseba_link.link import AsebaLink
from aseba_link.thymio import script_constants
from fleet.config import FleetConfig, load_config
from fleet.diagnostics import publish_diagnostics
from fleet.errors import ConfigError
from fleet.robot_interface import Instant, RobotInterface
from fleet.service import FleetService, TickReport

NODE_NAME = "multi_thymio_driver"
_FAREWELL_S = 1.0  # for the results of the last goals to leave


class MultiThymioDriver(Node):
    """Serves every robot of a configuration.

    Parameters
    ----------
    config : the fleet
    link : reaches the robots
    """

    def __init__(self, config: FleetConfig, link: AsebaLink) -> None:
        super().__init__(NODE_NAME)
        self._service = FleetService(config, link)
        self._link = link
        self._is_simulated_time = bool(self.get_parameter("use_sim_time").value)
        self._interfaces = {
            robot.id: RobotInterface(self._service, robot, self._now, self.get_logger()) for robot in config.robots
        }
        self._periods_s = (1.0 / config.rates.pose_hz, 1.0 / config.rates.status_hz)
        self._due_ns = [0, 0]
        self.create_service(Trigger, "/fleet/stop", self._on_stop)
        self.create_service(Trigger, "/fleet/resume", self._on_resume)
        sources = {"link": self._link_diagnostic}
        sources |= {f"robot_{robot_id}": face.diagnostic for robot_id, face in self._interfaces.items()}
        publish_diagnostics(self, NODE_NAME, sources)
        clock = self.get_clock() if self._is_simulated_time else Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(1.0 / config.rates.control_hz, self._tick, clock=clock)

    @property
    def nodes(self) -> list[Node]:
        """Every node that the executor must serve: this one, and one a robot."""
        return [self, *(interface.node for interface in self._interfaces.values())]

    @property
    def has_open_goals(self) -> bool:
        """Whether a goal has not been told its end yet."""
        return any(interface.has_open_goals for interface in self._interfaces.values())

    def shut_down(self) -> None:
        """Stop every wheel and end every goal; the executor must still spin until no goal is open."""
        self._handle(self._service.shut_down(self._now().core_ns))
        for interface in self._interfaces.values():
            interface.publish_status()

    def destroy_node(self) -> None:
        """Destroy every entity and close the link."""
        for interface in self._interfaces.values():
            interface.destroy()
        self._link.close()
        super().destroy_node()

    def _now(self) -> Instant:
        ros_ns = self.get_clock().now().nanoseconds
        return Instant(ros_ns if self._is_simulated_time else time.monotonic_ns(), ros_ns)

    def _tick(self) -> None:
        now_ns = self._now().core_ns
        self._handle(self._service.tick(now_ns))
        if self._is_due(0, now_ns):
            for interface in self._interfaces.values():
                interface.publish_pose()
        if self._is_due(1, now_ns):
            for interface in self._interfaces.values():
                interface.publish_status()

    def _is_due(self, index: int, now_ns: int) -> bool:
        """Whether it is time again for poses (0) or status (1); late ticks do not shift the later ones."""
        period_ns = round(self._periods_s[index] * 1e9)
        slack_ns = period_ns // 10  # a tick that comes a little early is meant
        if now_ns + slack_ns < self._due_ns[index]:
            return False
        self._due_ns[index] = max(self._due_ns[index] + period_ns, now_ns + period_ns - period_ns // 2)
        return True

    def _handle(self, report: TickReport) -> None:
        for event in report.link_events:
            self._log(event)
        for outcome in report.outcomes:
            self._interfaces[outcome.robot_id].finish(outcome)

    def _log(self, event: LinkEvent) -> None:
        logger = self.get_logger()
        match event:
            case TargetConnected(target):
                logger.info(f"{target}: connected")
            case TargetLost(target, reason):
                logger.warning(f"{target}: {reason}; trying again")
            case NodeReady(node):
                known = "" if node not in self._service.strangers else ", which is no robot of this fleet"
                logger.info(f"{node.address} is ready{known}")
            case NodeLost(address, reason):
                logger.warning(f"{address} is lost: {reason}")
            case NodeFaulted(address, reason):
                logger.error(f"{address} cannot run the script: {reason}")

    def _on_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._service.stop()
        self.get_logger().warning("fleet stopped")
        response.success, response.message = True, "every robot stops until /fleet/resume"
        return response

    def _on_resume(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._service.resume()
        self.get_logger().info("fleet resumed")
        response.success, response.message = True, "every robot takes tasks again"
        return response

    def _link_diagnostic(self) -> DiagnosticStatus:
        """Return which targets are connected, and which nodes are reached that belong to no robot."""
        targets = self._link.targets
        missing = [target for target, is_connected in targets.items() if not is_connected]
        strangers = ", ".join(str(node.address) for node in self._service.strangers)
        return DiagnosticStatus(
            level=DiagnosticStatus.ERROR if missing else DiagnosticStatus.OK,
            message=f"not connected: {', '.join(missing)}" if missing else "connected",
            values=[
                *(KeyValue(key=target, value="connected" if up else "lost") for target, up in targets.items()),
                KeyValue(key="ready_nodes", value=str(len(self._link.nodes))),
                KeyValue(key="unknown_nodes", value=strangers),
            ],
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the driver until SIGINT or SIGTERM; return 0, or 2 for a bad configuration."""
    arguments = list(sys.argv if argv is None else ["multi_thymio_driver", *argv])
    parser = argparse.ArgumentParser(prog=NODE_NAME, description="Serves a fleet of Thymio II robots over ROS 2.")
    parser.add_argument("--config", type=Path, required=True, help="the fleet's configuration, such as fleet.yaml")
    options = parser.parse_args(remove_ros_args(arguments)[1:])
    try:
        config = load_config(options.config)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2
    stopper = _Stopper()
    rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    script = shipped_script().with_constants(script_constants(config.rates.odometry_hz))
    link = AsebaLink(config.link.targets, ScriptCompiler(script), ThreadDialer())
    _run(MultiThymioDriver(config, link), stopper)
    rclpy.try_shutdown()
    return 0


class _Stopper:
    """Remembers that SIGINT or SIGTERM came."""

    def __init__(self) -> None:
        self.is_set = False
        signal.signal(signal.SIGINT, self._set)
        signal.signal(signal.SIGTERM, self._set)

    def _set(self, _: int, __: FrameType | None) -> None:
        self.is_set = True


def _run(driver: MultiThymioDriver, stopper: _Stopper) -> None:
    executor = EventsExecutor()
    for node in driver.nodes:
        executor.add_node(node)
    while not stopper.is_set:
        # `spin()` of these wheels waits for ever; a bounded wait works, and lets Python see signals
        executor.spin_once(timeout_sec=0.2)
    driver.shut_down()
    deadline = time.monotonic() + _FAREWELL_S
    while driver.has_open_goals and time.monotonic() < deadline:
        executor.spin_once(timeout_sec=0.05)
    _linger(executor)
    for node in driver.nodes:
        executor.remove_node(node)
    driver.destroy_node()


def _linger(executor: EventsExecutor, duration_s: float = 0.2) -> None:
    """Serve a moment longer: clients fetch the results of goals that just ended."""
    deadline = time.monotonic() + duration_s
    while time.monotonic() < deadline:
        executor.spin_once(timeout_sec=0.05)


if __name__ == "__main__":
    sys.exit(main())
