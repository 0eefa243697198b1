"""The node `multi_thymio_driver`: parameters, entities, the tick's timer and the executor; no decision is taken here.

Everything runs in one thread, in callbacks of one executor. Goals await a future that the tick completes.
"""

import argparse
import gc
import socket
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

import rclpy
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.parameter import Parameter
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
    UserEvent,
    VariablesRead,
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
from fleet.config import FleetConfig, LinkConfig, RobotConfig, load_config
from fleet.driver.description_interface import DescriptionInterface
from fleet.driver.driver_topics import DriverTopics
from fleet.driver.transforms import TransformBroadcaster
from fleet.driver_logger import DriverLogger
from fleet.errors import ConfigError
from fleet.executors import ExecutorKind, create_executor
from fleet.fleet_bridge import create_fleet_bridge
from fleet.pose_source import PoseSource
from fleet.processes import shipped_file, use_shipped_profile
from fleet.punctuality import Punctuality
from fleet.robot_interface import RobotInterface
from fleet.robot_topics import RobotTopics
from fleet.rota import Rota
from fleet.service import FleetService, TickReport
from fleet.task_actions import PROGRESS_S, SIGN_OF_LIFE_S

NODE_NAME = "multi_thymio_driver"
_BUSY_SHARE = 0.8  # of a tick's period may go by before interfaces that are still to be made wait for the next one
_YOUNG_OBJECTS = 20_000  # that are made before garbage is looked for: some ticks' worth, instead of one robot's
_FAREWELL_S = 1.0  # for the results of the last goals to leave


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
        self._robots = {robot.id: robot for robot in config.robots}
        self._waiting: dict[int, RobotConfig] = {}  # robots of ours that have no interface yet
        self._topics: dict[int, RobotTopics] = {}  # of those of them that have got theirs
        self._late: dict[int, RobotTopics] = {}  # of robots that knew no new pose yet when it was due
        self._arrived: dict[int, NodeReady] = {}
        self._interfaces: dict[int, RobotInterface] = {}  # of the robots that we serve
        self._leaving: dict[int, tuple[RobotInterface, float]] = {}  # of robots that another host has now, until when
        self._driver_topics: dict[int, DriverTopics] = {}
        for robot_id in self._robots:
            self._service.yield_robot(robot_id)
        self._listener = _bare_node("pose_sources")
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
        self._robot_ids = [robot.id for robot in config.robots]
        self._poses_due = self._rota(1.0 / config.rates.pose_hz)
        self._statuses_due = self._rota(1.0 / config.rates.status_hz)
        self._progress_due = self._rota(PROGRESS_S)
        self._signs_due = self._rota(SIGN_OF_LIFE_S)
        self._attendance = Attendance(self)
        self.create_timer(SIGN_OF_LIFE_S, self._attendance.look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self.create_service(Trigger, "/fleet/stop", self._on_stop)
        self.create_service(Trigger, "/fleet/resume", self._on_resume)
        self._diagnostics = Diagnostics(self, NODE_NAME)
        self._diagnostics.add("link", self._link_diagnostic)
        self._diagnostics.add("driver", lambda: driver_diagnostic(self._punctuality, link))
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

    def _rota(self, period_s: float) -> Rota:
        """Return at which ticks robots, by their place in the configuration, do what they do once in a period."""
        config = self._service.config
        return Rota(len(config.robots), max(1.0, period_s * config.rates.control_hz))

    def join(self, executor: Executor) -> None:
        """Let an executor serve this node, and one a robot for as long as the robot is ours."""
        self._executor = executor
        executor.add_node(self)

    def _on_claim(self, change: ClaimChange) -> None:
        """Serve a robot from now on, or leave it to the driver that has it."""
        if change.state is ClaimState.SERVING:
            self._dismiss(change.robot_id)
            self._waiting[change.robot_id] = self._robots[change.robot_id]
            self._service.take_robot(change.robot_id)
        else:
            self._yield(change)

    def _yield(self, change: ClaimChange) -> None:
        text = f"robot {change.robot_id} is already served by {change.other}; this driver does not serve it"
        self.get_logger().error(text)
        message = DiagnosticStatus(level=DiagnosticStatus.ERROR, message=text)
        self._diagnose(change.robot_id, lambda: message)
        self._service.yield_robot(change.robot_id)
        self._waiting.pop(change.robot_id, None)
        self._arrived.pop(change.robot_id, None)
        if change.robot_id in self._topics:
            self._topics.pop(change.robot_id).node.destroy_node()
        self._driver_topics.pop(change.robot_id, None)
        self._late.pop(change.robot_id, None)
        if change.robot_id in self._interfaces:
            self._leaving[change.robot_id] = self._interfaces.pop(change.robot_id), time.monotonic() + _FAREWELL_S

    def _diagnose(self, robot_id: int, source: Source) -> None:
        self._diagnostics.remove(f"robot_{robot_id}")
        self._diagnostics.add(f"robot_{robot_id}", source)

    def _dismiss(self, robot_id: int) -> None:
        """Take a robot that another host has off the graph, if it is still there."""
        interface, _ = self._leaving.pop(robot_id, (None, 0.0))
        if interface is not None:
            if self._executor is not None:
                self._executor.remove_node(interface.topics.node)
            interface.destroy()

    @property
    def has_open_goals(self) -> bool:
        """Whether a goal has not been told its end yet."""
        return any(interface.tasks.has_open_goals for interface in self._interfaces.values())

    def shut_down(self) -> None:
        """Stop every wheel and end every goal; the executor must still spin until no goal is open."""
        self._handle(self._service.shut_down(self._now().core_ns))
        self._claims_interface.leave()
        now = self._now()
        for interface in self._interfaces.values():
            interface.topics.publish_status(now)

    def destroy_node(self) -> None:
        """Leave the executor, destroy every entity, and close the link."""
        for robot_id in list(self._leaving):
            self._dismiss(robot_id)
        if self._executor is not None:
            for node in (self, *(interface.topics.node for interface in self._interfaces.values())):
                self._executor.remove_node(node)
        for interface in self._interfaces.values():
            interface.destroy()
        for topics in self._topics.values():
            topics.node.destroy_node()
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
        for robot_id in [robot_id for robot_id, (_, until_s) in self._leaving.items() if time.monotonic() > until_s]:
            self._dismiss(robot_id)
        for topics in self._driver_topics.values():
            topics.step(now)
        if self._transforms is not None:
            self._transforms.publish(now_ns, now.to_ros)
        if self._description is not None:
            self._description.publish(now.to_ros)
        self._publish(slot, now)
        if self._waiting:
            self._admit(began_s + _BUSY_SHARE / self._service.config.rates.control_hz)

    def _publish(self, slot: int, now: Instant) -> None:
        """Let robots tell what is due."""
        due = {interface.robot_id: interface.topics for interface in self._due(self._poses_due, slot)}
        self._late = {robot: topics for robot, topics in (self._late | due).items() if not topics.publish_pose(now)}
        for interface in self._due(self._statuses_due, slot):
            interface.topics.publish_status(now)
        for interface in self._due(self._progress_due, slot):
            interface.tasks.publish_progress()
        for interface in self._due(self._signs_due, slot):
            interface.tasks.publish_sign_of_life()
            self._service.attend(interface.robot_id, interface.tasks.is_attended(self._attendance), now.core_ns)

    def _due(self, rota: Rota, slot: int) -> Iterator[RobotInterface]:
        """Yield who is due, of the robots that have their interface."""
        for place in rota.due(slot):
            interface = self._interfaces.get(self._robot_ids[place])
            if interface is not None:
                yield interface

    def _admit(self, until_s: float) -> None:
        """Make what robots still lack, for as long as the tick has time; one thing at least."""
        self._admit_further()
        while self._waiting and time.monotonic() < until_s:
            self._admit_further()
        if not self._waiting:
            # what is there now stays: without this, the garbage collector goes through all of it every few seconds
            gc.freeze()
            gc.set_threshold(_YOUNG_OBJECTS)

    def _admit_further(self) -> None:
        """Make the topics of a robot; once all have theirs, the rest for one, those first that are there."""
        silent = next((robot for robot in self._waiting.values() if robot.id not in self._topics), None)
        if silent is not None:
            self._topics[silent.id] = RobotTopics(self._service, silent, _bare_node(silent.name), self._now)
        else:
            arrived = (robot_id for robot_id in self._arrived if robot_id in self._waiting)
            self._create_interface(self._waiting.pop(next(arrived, next(iter(self._waiting)))))

    def _create_interface(self, robot: RobotConfig) -> None:
        topics, logger = self._topics.pop(robot.id), self.get_logger()
        interface = RobotInterface(self._service, robot, topics, self._now, logger)
        self._interfaces[robot.id] = interface
        self._diagnose(robot.id, topics.diagnostic)
        if self._service.config.driver.is_on:
            driver_topics = DriverTopics(self._service, robot, topics.node, self._now, logger)
            self._driver_topics[robot.id] = driver_topics
            if robot.id in self._arrived:
                driver_topics.on_event(self._arrived[robot.id], self._now())
        if self._executor is not None:
            self._executor.add_node(topics.node)

    def _handle(self, report: TickReport) -> None:
        now = self._now()
        for event in report.link_events:
            self._log(event)
            if isinstance(event, NodeReady):
                self._note_arrival(event)
            if self._driver_topics:
                self._pass_on(event, now)
        if self._bridge is not None:
            self._bridge.handle(report.link_events)
        for outcome in report.outcomes:
            interface = self._interfaces.get(outcome.robot_id) or self._leaving[outcome.robot_id][0]
            interface.tasks.finish(outcome)

    def _note_arrival(self, event: NodeReady) -> None:
        robot_id = self._service.robot_id_at(event.node.address)
        if robot_id in self._waiting:
            self._arrived[robot_id] = event

    def _pass_on(self, event: LinkEvent, now: Instant) -> None:
        """Tell the driver topics of a robot what its node said."""
        match event:
            case NodeReady(node):
                address = node.address
            case UserEvent() | VariablesRead():
                address = event.address
            case _:
                return
        robot_id = self._service.robot_id_at(address)
        if robot_id is not None and robot_id in self._driver_topics:
            self._driver_topics[robot_id].on_event(event, now)

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
        dropped_events = sum(topics.dropped for topics in self._driver_topics.values())
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
                KeyValue(key="dropped_events", value=str(dropped_events)),
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


def _bare_node(name: str) -> Node:
    """Return a node that has nothing but its entities.

    Each robot has its own: an action server has a timer, and rclpy manages few of them on the clock of one node well.
    """
    return Node(
        name,
        namespace="/factory",
        start_parameter_services=False,
        enable_rosout=False,
        parameter_overrides=[Parameter("start_type_description_service", value=False)],
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
    deadline = time.monotonic() + _FAREWELL_S
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
