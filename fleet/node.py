"""The node `multi_thymio_driver`: parameters, entities, the tick's timer and the executor; no decision is taken here.

Everything runs in one thread, in callbacks of one executor. Goals await a future that the tick completes.
"""

import argparse
import socket
import sys
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

import rclpy
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args
from std_srvs.srv import Trigger

from aseba_link.bytecode import CompiledScript
from aseba_link.compiler import ScriptCompiler, shipped_script
from aseba_link.diagnostics import Diagnostics, Source
from aseba_link.dialer import ThreadDialer
from aseba_link.event import (
    LinkEvent,
    NodeFaulted,
    NodeLost,
    NodeReady,
    TargetConnected,
    TargetLost,
)
from aseba_link.instant import ForwardClock, Instant
from aseba_link.link import AsebaLink
from aseba_link.listener import Listener
from aseba_link.node import Node as LinkNode
from aseba_link.program import Program
from aseba_link.stop_signal import StopSignal
from aseba_link.switch import Switch
from aseba_link.thymio import script_constants
from aseba_link.upkeep import ScriptFor, Upkeep
from fleet.attendance import Attendance
from fleet.claims import ClaimChange, Claims, ClaimState, DriverId
from fleet.claims_interface import ClaimsInterface
from fleet.config import FleetConfig, LinkConfig, load_config
from fleet.driver.description_interface import DescriptionInterface
from fleet.driver.transforms import TransformBroadcaster
from fleet.driver_logger import DriverLogger
from fleet.errors import ConfigError
from fleet.executors import ExecutorKind, create_executor
from fleet.fleet_bridge import create_fleet_bridge
from fleet.pose_source import PoseSource
from fleet.processes import shipped_file, use_shipped_profile
from fleet.punctuality import Punctuality
from fleet.served_robots import FAREWELL_S, ServedRobots, bare_node
from fleet.service import FleetService, TickReport
from fleet.task_actions import SIGN_OF_LIFE_S

NODE_NAME = "multi_thymio_driver"
_BUSY_SHARE = 0.8  # of a tick's period may go by before interfaces that are still to be made wait for the next one


class MultiThymioDriver(Node):
    """Serves every robot of a configuration.

    Parameters
    ----------
    config : the fleet
    link : reaches the robots
    program : what the link gives them
    claims : which of the robots are ours, and which another driver serves
    """

    def __init__(self, config: FleetConfig, link: AsebaLink, program: Program, claims: Claims) -> None:
        super().__init__(NODE_NAME)
        self._logger = DriverLogger(self.get_logger().name)  # what rclpy's Node has; get_logger() returns it
        self._service = FleetService(config, link)
        self._link = link
        self._claims = claims
        self._executor: Executor | None = None
        self._is_simulated_time = bool(self.get_parameter("use_sim_time").value)
        self._simulated_clock = ForwardClock()  # a simulation that is reset sets time back
        self._configs = {robot.id: robot for robot in config.robots}
        for robot_id in self._configs:
            self._service.yield_robot(robot_id)
        self._listener = bare_node("pose_sources")
        self._pose_sources = [
            PoseSource(self._service, robot, self._listener, self.get_logger())
            for robot in config.robots
            if robot.pose_topic
        ]
        self._transforms = TransformBroadcaster(self._service, self) if config.driver.publish.tf else None
        self._description = self._create_description() if config.driver.publish.description else None
        if config.calibration_path is not None:
            log = self.get_logger().info if config.calibration_path.exists() else self.get_logger().warning
            log(config.calibration_text)
        for advice in config.budget_advice:
            self.get_logger().warning(advice)
        self._punctuality = Punctuality(1.0 / config.rates.control_hz)
        self._attendance = Attendance(self)
        self.create_timer(SIGN_OF_LIFE_S, self._attendance.look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self.create_service(Trigger, "/fleet/stop", self._on_stop)
        self.create_service(Trigger, "/fleet/resume", self._on_resume)
        self._diagnostics = Diagnostics(self, NODE_NAME)
        self._diagnostics.add("link", self._link_diagnostic)
        self._diagnostics.add("driver", lambda: driver_diagnostic(self._punctuality, link))
        self._robots = ServedRobots(
            self._service, self._now, self.get_logger(), attendance=self._attendance, diagnose=self._diagnose
        )
        self._claims_interface = ClaimsInterface(
            self, claims, self._service.reporting_elsewhere, self._on_claim, self._on_standstill
        )
        self._bridge = (
            create_fleet_bridge(
                self,
                link,
                robots=config.robots,
                program=program,
                diagnostics=self._diagnostics,
                clock=self._now,
            )
            if config.link.bridge
            else None
        )
        clock = self.get_clock() if self._is_simulated_time else Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(1.0 / config.rates.control_hz, self._tick, clock=clock)

    def _create_description(self) -> DescriptionInterface:
        urdf = shipped_file("thymio.urdf", "description").read_text(encoding="utf-8")
        return DescriptionInterface(self._service, self, urdf)

    def join(self, executor: Executor) -> None:
        """Let an executor serve this node, and those of the robots."""
        self._executor = executor
        self._robots.join(executor)
        executor.add_node(self)

    def _on_claim(self, change: ClaimChange) -> None:
        """Serve a robot from now on, or leave it to the driver that has it."""
        if change.state is ClaimState.SERVING:
            self._robots.serve(self._configs[change.robot_id])
            self._service.take_robot(change.robot_id)
        else:
            self._yield(change)

    def _yield(self, change: ClaimChange) -> None:
        text = f"robot {change.robot_id} is already served by {change.other}; this driver does not serve it"
        self.get_logger().error(text)
        message = DiagnosticStatus(level=DiagnosticStatus.ERROR, message=text)
        self._diagnose(change.robot_id, lambda: message)
        self._service.yield_robot(change.robot_id)
        self._robots.leave(change.robot_id)

    def _diagnose(self, robot_id: int, source: Source) -> None:
        self._diagnostics.remove(f"robot_{robot_id}")
        self._diagnostics.add(f"robot_{robot_id}", source)

    @property
    def has_open_goals(self) -> bool:
        """Whether a goal has not been told its end yet."""
        return self._robots.has_open_goals

    def shut_down(self) -> None:
        """Stop every wheel and end every goal; the executor must still spin until no goal is open."""
        self._handle(self._service.shut_down(self._now().core_ns))
        self._claims_interface.leave()
        self._robots.publish_statuses(self._now())

    def destroy_node(self) -> None:
        """Leave the executor, destroy every entity, and close the link."""
        if self._executor is not None:
            self._executor.remove_node(self)
        self._robots.destroy()
        self._listener.destroy_node()
        self._link.close()
        super().destroy_node()

    def _now(self) -> Instant:
        if not self._is_simulated_time:  # the ROS clock is then the system's, and takes longer to ask
            return Instant(time.monotonic_ns(), time.time_ns())
        ros_ns = self.get_clock().now().nanoseconds
        return Instant(self._simulated_clock.follow(ros_ns), ros_ns)

    def _tick(self) -> None:
        began_s = time.monotonic()
        now = self._now()
        slot = self._punctuality.on_tick(now.core_ns)
        for source in self._pose_sources:
            source.take(now)
        now = self._now()
        now_ns = now.core_ns
        self._handle(self._service.tick(now_ns))
        if self._transforms is not None:
            self._transforms.publish(now_ns, now.to_ros)
        if self._description is not None:
            self._description.publish(now.to_ros)
        self._robots.step(slot, now, began_s + _BUSY_SHARE / self._service.config.rates.control_hz)

    def _handle(self, report: TickReport) -> None:
        for event in report.link_events:
            self._log(event)
        self._robots.on_events(report.link_events, self._now())
        if self._bridge is not None:
            self._bridge.handle(report.link_events)
        for outcome in report.outcomes:
            self._robots.finish(outcome)

    def _log(self, event: LinkEvent) -> None:
        logger = self.get_logger()
        match event:
            case TargetConnected(target):
                logger.info(f"{target}: connected")
            case TargetLost(target, reason):
                logger.warning(f"{target}: {reason}; trying again")
            case NodeReady(node, False):
                known = "" if node not in self._service.strangers else ", which is no robot of this fleet"
                logger.info(f"{node.address} is ready{known}")
            case NodeLost(address, reason):
                logger.warning(f"{address} is lost: {reason}")
            case NodeFaulted(address, reason):
                logger.error(f"{address} cannot run the script: {reason}")

    def _on_standstill(self, is_stopped: bool) -> None:
        """Stop, or go on, because somebody asked us for it or another driver."""
        if is_stopped:
            self._service.stop()
            self.get_logger().warning("fleet stopped")
        else:
            self._service.resume()
            self.get_logger().info("fleet resumed")

    def _on_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._claims_interface.stop()
        response.success, response.message = True, "every robot stops until /fleet/resume"
        return response

    def _on_resume(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._claims_interface.resume()
        response.success, response.message = True, "every robot takes tasks again"
        return response

    def _link_diagnostic(self) -> DiagnosticStatus:
        """Return which targets are connected, and which nodes are reached that belong to no robot."""
        targets = self._link.targets
        missing = [target for target, is_connected in targets.items() if not is_connected]
        strangers = ", ".join(str(node.address) for node in self._service.strangers)
        crowded = [
            f"{target} is over its budget: {budget.text}"
            for target, budget in self._link.budgets.items()
            if budget.is_over
        ]
        message = f"not connected: {', '.join(missing)}" if missing else "; ".join(crowded)
        level = DiagnosticStatus.WARN if crowded else DiagnosticStatus.OK
        return DiagnosticStatus(
            level=DiagnosticStatus.ERROR if missing else level,
            message=message or "connected",
            values=[
                *(KeyValue(key=f"{target} load", value=budget.text) for target, budget in self._link.budgets.items()),
                *(KeyValue(key=target, value="connected" if up else "lost") for target, up in targets.items()),
                KeyValue(key="ready_nodes", value=str(len(self._link.nodes))),
                KeyValue(key="unknown_nodes", value=strangers),
                KeyValue(key="dropped_messages", value=str(self._link.dropped)),
                KeyValue(key="dropped_events", value=str(self._robots.dropped_events)),
            ],
        )


def driver_diagnostic(punctuality: Punctuality, link: AsebaLink) -> DiagnosticStatus:
    """Return how well a driver keeps up: counts since it began."""
    counts = {"ticks": punctuality.ticks, "tick_overruns": punctuality.overruns, "commands": link.emitted}
    return DiagnosticStatus(
        level=DiagnosticStatus.OK,
        message="serving",
        values=[KeyValue(key=key, value=str(count)) for key, count in counts.items()],
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the driver until SIGINT or SIGTERM; return 0, 1 where a port is taken, or 2 for a bad configuration."""
    arguments = list(sys.argv if argv is None else ["multi_thymio_driver", *argv])
    parser = argparse.ArgumentParser(prog=NODE_NAME, description="Serves a fleet of Thymio II robots over ROS 2.")
    parser.add_argument("--config", type=Path, required=True, help="the fleet's configuration, such as fleet.yaml")
    parser.add_argument(
        "--executor",
        type=ExecutorKind,
        choices=list(ExecutorKind),
        help="what serves ROS: events, or waiting where that one does not work (default: events where rclpy has it)",
    )
    try:
        options = parser.parse_args(remove_ros_args(arguments)[1:])
        config = load_config(options.config)
    except (ConfigError, RuntimeError) as error:  # the latter from rclpy, for arguments that it cannot read
        print(error, file=sys.stderr)
        return 2
    stop = StopSignal()
    use_shipped_profile()
    rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    script = shipped_script().with_constants(script_constants(config.rates.odometry_hz, config.driver.reports))
    try:
        switch = _switch(config.link)
    except OSError as error:
        print(f"cannot open link.switch_port {config.link.switch_port}: {error.strerror}", file=sys.stderr)
        return 1
    claims = _claims(config)
    upkeep = Upkeep(_scripts_of_own(ScriptCompiler(script), config, claims))
    link = AsebaLink(config.link.targets, upkeep, ThreadDialer(), switch, budgets_hz=config.link.budgets_hz)
    driver = MultiThymioDriver(config, link, Program("thymio.aesl", script), claims)
    _run(driver, create_executor(options.executor), stop)
    rclpy.try_shutdown()
    return 0


def _claims(config: FleetConfig) -> Claims:
    driver = DriverId(config.hosts.name or socket.gethostname(), NODE_NAME, uuid.uuid4().hex)
    robot_ids = [robot.id for robot in config.robots]
    hosts = config.hosts
    return Claims(driver, robot_ids, time.time_ns(), listen_s=hosts.listen_s, silent_s=hosts.silent_s)


def _scripts_of_own(compile_for: ScriptFor, config: FleetConfig, claims: Claims) -> ScriptFor:
    """Return what gives scripts to all nodes but those of robots that another host serves, or might."""

    def script_for(node: LinkNode) -> CompiledScript | None:
        is_elsewhere = any(robot.is_node(node) and not claims.serves(robot.id) for robot in config.robots)
        return None if is_elsewhere else compile_for(node)

    return script_for


def _switch(config: LinkConfig) -> Switch | None:
    if not config.switch_port:
        return None
    return Switch(Listener(config.switch_address, config.switch_port), config.switch_loop)


def _run(driver: MultiThymioDriver, executor: Executor, stop: StopSignal) -> None:
    """Serve until the end; robots are stopped and goals ended whatever ends it."""
    driver.join(executor)
    try:
        while not stop.came:
            # `spin()` of these wheels waits for ever; a bounded wait works, and lets Python see signals
            executor.spin_once(timeout_sec=0.2)
    finally:
        _end(driver, executor)


def _end(driver: MultiThymioDriver, executor: Executor) -> None:
    driver.shut_down()
    deadline = time.monotonic() + FAREWELL_S
    while driver.has_open_goals and time.monotonic() < deadline:
        executor.spin_once(timeout_sec=0.05)
    _linger(executor)
    driver.destroy_node()


def _linger(executor: Executor, duration_s: float = 0.2) -> None:
    """Serve a moment longer: clients fetch the results of goals that just ended."""
    deadline = time.monotonic() + duration_s
    while time.monotonic() < deadline:
        executor.spin_once(timeout_sec=0.05)


if __name__ == "__main__":
    sys.exit(main())
