"""The node `multi_thymio_driver`: parameters, entities, and the loop of ticks and requests; it decides nothing.

Everything runs in one thread. A tick that is due takes precedence; between ticks, waiting goals and executor events are
handled one at a time.
"""

import argparse
import socket
import sys
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name

import rclpy
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.executors import Executor
from rclpy.utilities import remove_ros_args
from std_srvs.srv import Trigger

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.aesl.program import Program
from aseba_link.host.link_events import LinkEvent
from aseba_link.host.node import Node as LinkNode
from aseba_link.host.script_policy import ScriptFor, ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.dialer import ThreadDialer
from aseba_link.link.listener import Listener
from aseba_link.link.switch import Switch
from aseba_link.thymio.events import script_constants
from aseba_link.wire.bytecode import CompiledScript
from fleet.books.choice import book_access
from fleet.dispatch.records.book import BookAccess
from fleet.errors import BookError, ConfigError
from fleet.hosts.claims import ClaimChange, Claims, ClaimState, DriverId
from fleet.hosts.known_fleet import KnownRobot
from fleet.hosts.local_drivers import domain_folder
from fleet.interface.names import TOKEN_KEY
from fleet.robots.robot_status import TaskOutcome
from fleet.ros.edge.client_presence import ClientPresence
from fleet.ros.edge.driver_edge import Edge
from fleet.ros.edge.link_log import log_link_events
from fleet.ros.fleet_bridge import create_fleet_bridge
from fleet.ros.fleet_topics.claims_interface import ClaimsInterface
from fleet.ros.fleet_topics.places_topic import PlacesTopic
from fleet.ros.fleet_topics.poses_topic import PosesTopic
from fleet.ros.fleet_topics.ways_interface import WaysInterface
from fleet.ros.jobs.job_dispatch import STANDBY, JobDispatch
from fleet.ros.jobs.jobs_interface import JobsHost
from fleet.ros.jobs.remote_fleet import RemoteFleet
from fleet.ros.local_interface import LocalInterface
from fleet.ros.pose_source import PoseSource
from fleet.ros.served_robots import LEAVING_S, BareNode, ServedRobots
from fleet.ros.service_record import ServiceRecord, killed_drivers, orphaned_robots
from fleet.ros.task_actions import HEARTBEAT_S
from fleet.ros.thymio_topics.description_interface import DescriptionInterface
from fleet.ros.thymio_topics.identify_topic import IdentifyTopic
from fleet.ros.thymio_topics.transforms import TransformBroadcaster
from fleet.service.fleet_service import FleetService
from fleet.service.punctuality import Punctuality
from fleet.service.request_queue import RequestQueue
from fleet.settings.config import FleetConfig, LinkConfig, load_config
from fleet.tasks import explanations
from thymio_base.exit_code import ExitCode
from thymio_base.fast_dds import blocking_profiles
from thymio_base.fence import Fence
from thymio_base.instant import ForwardClock, Instant
from thymio_base.logs.audit_log import AuditEvent, own_audit_log
from thymio_base.ros.answers import Answers, serve_unannounced
from thymio_base.ros.diagnostics import Diagnostics, Source
from thymio_base.ros.driver_logger import DriverLogger
from thymio_base.ros.executors import ExecutorKind, create_executor, drain, spin_once
from thymio_base.ros.fenced_node import FencedNode
from thymio_base.ros.ros_domain import ros_domain_id
from thymio_base.ros.start.garbage import collect_all
from thymio_base.ros.start.priority import request_priority, request_real_time
from thymio_base.ros.start.ros_start import start_ros
from thymio_base.shipped_files import shipped_file
from thymio_base.stop_signal import StopSignal
from thymio_base.texts.user_file import may_exist

NODE_NAME = "multi_thymio_driver"
_BUSY_SHARE = 0.8  # of a tick's period; after that, interfaces still to be created wait for the next tick
_SERVING_SHARE = 0.2  # of a tick's period is left for requests, even if ticks take longer than their period
_REQUESTS = 20  # goals of one robot that may wait to be decided
_REQUESTS_PER_TICK = 4  # goals of one robot that are decided between two ticks
_LONGEST_WAIT_S = 0.2  # so that signals are noticed
_GARBAGE_NS = 3600_000_000_000  # between two searches of all objects, which take some 50 ms
_AT_ONCE_S = 1e-5  # the events executor does nothing at all with a timeout of 0


class MultiThymioDriver(FencedNode):
    """Serves every robot of a configuration.

    Parameters
    ----------
    config : the fleet's configuration
    link : reaches the robots
    program : the script that the link loads on the robots
    claims : which of the robots are ours, and which another driver serves
    book : access to the book of the fleet's jobs; None if this driver accepts none
    fence : catches and counts exceptions at all entry points
    """

    def __init__(
        self,
        config: FleetConfig,
        link: AsebaLink,
        program: Program,
        claims: Claims,
        book: BookAccess | None = None,
        *,
        fence: Fence,
    ) -> None:
        super().__init__(NODE_NAME, fence, start_parameter_services=False)
        self._service = FleetService(config, link, fence, claims.performer_elsewhere)
        self._link = link
        self._claims = claims
        self._executor: Executor | None = None
        self._is_simulated_time = bool(self.get_parameter("use_sim_time").value)
        self._simulated_clock = ForwardClock()  # resetting a simulation sets time back
        self._configs = {robot.id: robot for robot in config.robots}
        for robot_id in self._configs:
            self._service.yield_robot(robot_id)
        self._listener = BareNode("pose_sources", fence)
        self._pose_sources = [
            PoseSource(self._service, robot, self._listener, self.get_logger())
            for robot in config.robots
            if robot.pose_topic
        ]
        self._transforms = TransformBroadcaster(self._service, self) if config.driver.publish.tf else None
        self._description = self._create_description() if config.driver.publish.description else None
        if config.calibration_path is not None:
            log = self.get_logger().info if may_exist(config.calibration_path) else self.get_logger().warning
            log(config.calibration_text)
        for advice in config.budget_advice:
            self.get_logger().warning(advice)
        for profile in blocking_profiles():
            self.get_logger().warning(
                f"with {profile}, each request of a client that cannot be answered blocks the fleet for 100 ms: "
                'copy the data_writer profile "service" of config/fastdds.xml into it'
            )
        self._punctuality = Punctuality(1.0 / config.rates.control_hz)
        self._searched_ns = self._now().core_ns  # for garbage
        self._served_until_ns = 0  # until then, requests have their share of time
        self._requests = RequestQueue(_REQUESTS, _REQUESTS_PER_TICK)
        self._answers = Answers(time.monotonic_ns, fence)
        self._answers.cover(self)
        self._presence = ClientPresence(self)
        self._edge = Edge(
            self._service,
            self._now,
            self.get_logger(),
            self._answers,
            self._requests,
            own_audit_log(NODE_NAME, ros_domain_id()),
            self._presence.clients,
        )
        self.create_timer(HEARTBEAT_S, self._do_housekeeping, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._answers.create_service(self, Trigger, "/fleet/stop", self._on_stop)
        self._answers.create_service(self, Trigger, "/fleet/resume", self._on_resume)
        self._diagnostics = Diagnostics(self, claims.driver.host)
        self._diagnostics.add("link", lambda: self._identified(self._link_diagnostic()))
        self._diagnostics.add(
            "driver", lambda: self._identified(driver_diagnostic(self._punctuality, link, self._answers))
        )
        self._robots = ServedRobots(
            self._edge,
            presence=self._presence,
            diagnose=self._diagnose,
            node_for=lambda robot: BareNode(robot.name, fence),
            poses=PosesTopic(self, config.frame),
        )
        self._record_folder = domain_folder(self.context.get_domain_id())
        self._orphans, self._record = self._adopt_orphans()
        self._identify = IdentifyTopic(self._service, self, self._clock_ns)
        self._claims_interface = ClaimsInterface(
            self,
            claims,
            self._reporting_elsewhere,
            tasks=lambda: self._service.running_ids,
            on_change=self._on_claim,
            on_announce=self._write_record,
            on_stop_change=self._on_stop_change,
        )
        self._ways = self._create_ways_interface()
        self._places = PlacesTopic(self._service, claims.driver.host, self)
        self._jobs = None if book is None else self._create_job_dispatch(book)
        self._local = LocalInterface(self, claims, self._claims_interface.stop, self._known_robots)
        self._bridge = (
            create_fleet_bridge(
                self,
                link,
                robots=config.robots,
                program=program,
                diagnostics=self._diagnostics,
                clock=self._now,
                answers=self._answers,
            )
            if config.link.bridge
            else None
        )

    def _adopt_orphans(self) -> tuple[set[int], ServiceRecord | None]:
        """Return the robots whose driver on this host was just killed, and the record of our own robots."""
        folder = self._record_folder
        orphans = orphaned_robots(folder, self._service.config.hosts.silent_s)
        try:
            return orphans, ServiceRecord(folder, self._claims.driver.token)
        except OSError as error:
            self.get_logger().warning(f"after a crash the next driver will start later: no record in {folder}: {error}")
            return orphans, None

    def _create_ways_interface(self) -> WaysInterface | None:
        """Share the floor with other drivers, unless robots drive without traffic; their nodes must be known."""
        neighbourhood = self._service.join(self._claims.driver)
        if neighbourhood is None:
            return None
        frame = self._service.config.frame
        return WaysInterface(
            self, self._listener, neighbourhood, frame, own_ids=self._served_ids, logger=self.get_logger()
        )

    def _create_job_dispatch(self, access: BookAccess) -> JobDispatch:
        config = self._service.config
        jobs = JobDispatch(
            access,
            self._edge,
            RemoteFleet(self, self._listener, config.frame, config.battery.drain_per_s, self._ids_elsewhere),
            self._jobs_host,
            lambda: BareNode("jobs", self.fence),
        )
        self._diagnostics.add("jobs", jobs.diagnostic)
        return jobs

    def _ids_elsewhere(self) -> set[int]:
        """Return the robots that other drivers serve."""
        served = {robot_id for other in self._claims.others for robot_id in other.serves}
        return served.difference(self._served_ids())

    def _jobs_host(self) -> JobsHost:
        standby = [other.driver.host for other in self._claims.others if other.jobs == STANDBY]
        return JobsHost(self._claims.driver.host, standby)

    def _served_ids(self) -> list[int]:
        return [robot_id for robot_id in self._configs if self._claims.serves(robot_id)]

    def _known_robots(self) -> list[KnownRobot]:
        return self._robots.known(self._now())

    def _reporting_elsewhere(self) -> set[int]:
        return self._service.reporting_elsewhere() - self._orphans

    def _do_housekeeping(self) -> None:
        """Run the once-a-second work, outside the ticks."""
        self._presence.update()
        serve_unannounced(self)
        if self._ways is not None:
            self._ways.do_housekeeping(self._now())
        if self._jobs is not None:
            self._jobs.do_housekeeping()
        self._forget_killed()
        self._collect_garbage()

    def _collect_garbage(self) -> None:
        """Collect garbage once an hour, while every robot is stationary."""
        now_ns = self._clock_ns()
        if self._service.is_at_rest and now_ns - self._searched_ns > _GARBAGE_NS:
            collect_all()
            self._searched_ns = self._clock_ns()

    def _forget_killed(self) -> None:
        """Take over at once from drivers that were killed on this host, without waiting for them to time out."""
        tokens = [other.driver.token for other in self._claims.others]
        for token in killed_drivers(self._record_folder, tokens) if tokens else ():
            self._claims.forget(token)
            if self._ways is not None:
                self._ways.forget_driver(token)

    def _write_record(self) -> None:
        """Record which robots are served; a full disk only delays the start of the next driver."""
        if self._record is None:
            return
        try:
            self._record.write(self._served_ids(), is_alone=not self._claims.others)
        except OSError as error:
            self._record = None
            self.get_logger().warning(f"after a crash the next driver will start later: the record is gone: {error}")

    def _create_description(self) -> DescriptionInterface:
        urdf = shipped_file("thymio.urdf", "description").read_text(encoding="utf-8")
        return DescriptionInterface(self._service, self, urdf)

    def join(self, executor: Executor) -> None:
        """Add this node and the robots' nodes to an executor."""
        self._executor = executor
        self._robots.join(executor)
        if self._jobs is not None:
            self._jobs.join(executor)
        executor.add_node(self)

    def spin_once(self, executor: Executor) -> None:
        """Tick if that is due; otherwise decide a goal and serve an event, or wait for either until the next tick."""
        now_ns = self._now().core_ns
        wait_s = (max(self._punctuality.due_ns, self._served_until_ns) - now_ns) * 1e-9
        if wait_s <= 0.0:
            self.fence.call("local stop", self._local.serve_stops)
            self._tick()
            self.fence.call("local question", self._local.serve_questions)
        else:
            is_served = self.fence.call("goal", self._requests.serve)
            self.fence.call("executor", spin_once, executor, _AT_ONCE_S if is_served else min(wait_s, _LONGEST_WAIT_S))

    def fail(self, error: Exception) -> None:
        """Stop every wheel and end every task at once after a tick has failed as a whole."""
        text = self.fence.note("the tick", error)
        self.get_logger().fatal(f"every robot is stopped, and the driver ends: {text}")
        for outcome in self._service.halt(explanations.internal(text)):
            self._robots.finish(outcome)

    def _on_claim(self, change: ClaimChange) -> None:
        """Start serving a robot, or leave it to the driver that serves it."""
        if change.state is ClaimState.SERVING:
            self._robots.serve(self._configs[change.robot_id])
            self._service.serve_robot(change.robot_id)
        else:
            self._yield(change)

    def _yield(self, change: ClaimChange) -> None:
        text = f"robot {change.robot_id} is already served by {change.other}; this driver does not serve it"
        self.get_logger().error(text)
        message = DiagnosticStatus(level=DiagnosticStatus.ERROR, message=text)
        self._diagnose(change.robot_id, lambda: message)
        self._service.yield_robot(change.robot_id, str(change.other or ""))
        self._robots.leave(change.robot_id)

    def _diagnose(self, robot_id: int, source: Source) -> None:
        self._diagnostics.remove(f"robot_{robot_id}")
        self._diagnostics.add(f"robot_{robot_id}", source)

    @property
    def has_unsent_answers(self) -> bool:
        """Whether an answer is still to be sent."""
        return bool(self._answers.waiting)

    def serve_last_requests(self, executor: Executor) -> None:
        """Serve an event after the last tick, and send answers that could not be sent before."""
        self.fence.call("executor", spin_once, executor, 0.02)
        self._decide_all()
        self._answers.step()

    def shut_down(self) -> None:
        """Stop every wheel and end every goal; the executor must still spin until no goal is open."""
        call, now = self.fence.call, self._now()
        report = self._service.shut_down(now.core_ns)
        self._handle(report.link_events, report.outcomes)
        call("local sockets", self._local.close)
        self._decide_all()
        call("claims", self._claims_interface.leave)
        if self._ways is not None:
            call("ways", self._ways.leave, now)
        self._robots.publish_statuses(self._now())

    def _decide_all(self) -> None:
        """Decide, and so reject, the last waiting goals."""
        while len(self._requests):
            self._requests.refill()
            self.fence.call("goal", self._requests.serve)

    def destroy_node(self) -> None:
        """Leave the executor, destroy every entity, and close the link."""
        self._robots.destroy()
        if self._jobs is not None:
            self._jobs.close()
        if self._executor is not None:
            self._executor.remove_node(self)
            drain(self._executor)
        self._link.close()
        self._listener.destroy_node()
        if self._record is not None:
            self._record.close()
        super().destroy_node()

    def _now(self) -> Instant:
        if not self._is_simulated_time:  # the ROS clock is then the system's, and slower to read
            return Instant(time.monotonic_ns(), time.time_ns())
        ros_ns = self.get_clock().now().nanoseconds
        return Instant(self._simulated_clock.follow(ros_ns), ros_ns)

    def _clock_ns(self) -> int:
        return self._now().core_ns

    def _tick(self) -> None:
        started_s = time.monotonic()
        now = self._now()
        slot = self._punctuality.on_tick(now.core_ns)
        call = self.fence.call
        for source in self._pose_sources:
            try:
                source.receive(now)
            except Exception as error:
                self._service.fail(source.robot_id, error, now.core_ns)
        if self._ways is not None:
            call("ways of other drivers", self._ways.receive, now)
        now = self._now()
        events = self._service.read_link(now.core_ns)
        call("poses", self._robots.publish_poses, slot, now)  # first: what follows takes more time in some ticks
        outcomes = self._service.command(now.core_ns)
        self._handle(events, outcomes)
        if self._jobs is not None:
            call("jobs", self._jobs.advance, outcomes, now)
            self._claims.jobs = self._jobs.part
        self._publish(now)
        period_s = 1.0 / self._service.config.rates.control_hz
        call("interfaces", self._robots.step, slot, now, started_s + _BUSY_SHARE * period_s)
        call("answers", self._answers.step)
        self._requests.refill()
        self._served_until_ns = self._now().core_ns + round(_SERVING_SHARE * period_s * 1e9)

    def _publish(self, now: Instant) -> None:
        """Publish what concerns the whole fleet."""
        call = self.fence.call
        if self._ways is not None:
            call("ways", self._ways.publish, now)
        call("places", self._places.step, now)
        call("identify", self._identify.step, now.core_ns)
        if self._transforms is not None:
            call("transforms", self._transforms.publish, now.core_ns, now.to_ros)
        if self._description is not None:
            call("description", self._description.publish, now.to_ros)

    def _handle(self, events: Sequence[LinkEvent], outcomes: Sequence[TaskOutcome]) -> None:
        call = self.fence.call
        if events:
            call("log", log_link_events, events, self.get_logger(), self._is_foreign)
        call("link events", self._robots.on_events, events, self._now())
        if self._bridge is not None:
            call("bridge", self._bridge.handle, events)
        for outcome in outcomes:
            self._robots.finish(outcome)

    def _is_foreign(self, node: LinkNode) -> bool:
        return node in self._service.unconfigured_nodes

    def _on_stop_change(self, is_stopped: bool) -> None:
        """Stop or resume the fleet, as requested by a client or another driver."""
        self._edge.note(AuditEvent.ENDED, "stop the fleet" if is_stopped else "resume the fleet", "", outcome="done")
        if is_stopped:
            self._service.stop()
            self.get_logger().warning("fleet stopped")
        else:
            self._service.resume()
            if self._jobs is not None:
                self._jobs.resume(self._now())
            self.get_logger().info("fleet resumed")

    def _on_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._claims_interface.stop()
        response.success, response.message = True, "every robot stops until /fleet/resume"
        return response

    def _on_resume(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._claims_interface.resume()
        response.success, response.message = True, "every robot accepts tasks again"
        return response

    def _identified(self, status: DiagnosticStatus) -> DiagnosticStatus:
        """Add this driver's host and token to a status: the host may run another driver."""
        driver = self._claims.driver
        identity = [KeyValue(key="host", value=driver.host), KeyValue(key=TOKEN_KEY, value=driver.token)]
        status.values = [*identity, *status.values]
        return status

    def _link_diagnostic(self) -> DiagnosticStatus:
        """Return which targets are connected, and which reachable nodes belong to no robot."""
        targets = self._link.targets
        missing = [target for target, is_connected in targets.items() if not is_connected]
        unconfigured_nodes = ", ".join(str(node.address) for node in self._service.unconfigured_nodes)
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
                KeyValue(key="unknown_nodes", value=unconfigured_nodes),
                KeyValue(key="dropped_messages", value=str(self._link.dropped)),
                KeyValue(key="dropped_events", value=str(self._robots.dropped_events)),
            ],
        )


def driver_diagnostic(punctuality: Punctuality, link: AsebaLink, answers: Answers) -> DiagnosticStatus:
    """Return a driver's punctuality: counts since its start, answers waiting now, and the latest tick."""
    fence = answers.fence
    values: dict[str, float] = {
        "ticks": punctuality.ticks,
        "tick_overruns": punctuality.overruns,
        "commands": link.emitted,
        "answers_waiting": answers.waiting,
        "answers_sent_again": answers.sent_again,
        "answers_dropped": answers.dropped,
        "internal_errors": fence.total,
        "tick_late_ms": round(punctuality.pop_latest_ns() * 1e-6, 1),
    }
    return DiagnosticStatus(
        level=DiagnosticStatus.WARN if fence.total else DiagnosticStatus.OK,
        message=f"{fence.text}, see its log" if fence.total else "serving",
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the driver until SIGINT or SIGTERM.

    Return 0, 1 if a port or the book of jobs is taken, 2 if misused, 70 if a tick failed, with all robots stopped.
    """
    arguments = list(sys.argv if argv is None else ["multi_thymio_driver", *argv])
    parser = argparse.ArgumentParser(prog=NODE_NAME, description="Serves a fleet of Thymio II robots over ROS 2.")
    parser.add_argument("--config", type=Path, required=True, help="the fleet's configuration, such as fleet.yaml")
    parser.add_argument(
        "--executor",
        type=ExecutorKind,
        choices=list(ExecutorKind),
        help="the ROS executor: events, or waiting if that one does not work (default: events if rclpy has it)",
    )
    parser.add_argument(
        "--orchestrated",
        type=Path,
        nargs="?",
        const=Path(),
        metavar="NODE.json",
        help="run under an orchestrator, as the node configuration of `thymio-fleet node-config` declares; "
        "without a file, only the bytes of the link are declared",
    )
    try:
        options = parser.parse_args(remove_ros_args(arguments)[1:])
        config = load_config(options.config)
    except (ConfigError, RuntimeError) as error:  # the latter from rclpy, for arguments that it cannot read
        print(error, file=sys.stderr)
        return ExitCode.USAGE
    stop = StopSignal()
    request_priority()
    start_ros(NODE_NAME, arguments, configuration=options.config)
    if options.orchestrated is not None:
        return _run_orchestrated(config, options, stop)
    script = shipped_script().with_constants(script_constants(config.rates.odometry_hz, config.reports))
    try:
        switch = _switch(config.link)
    except OSError as error:
        print(f"link.switch_port: {error}", file=sys.stderr)
        return ExitCode.FAILED
    claims = _claims(config)
    try:
        book = book_access(config, f"host {claims.driver.host}")
    except BookError as error:
        print(error, file=sys.stderr)
        return ExitCode.FAILED
    script_policy = ScriptPolicy(_scripts_of_own(ScriptCompiler(script), config, claims))
    fence = Fence(DriverLogger(NODE_NAME).error)
    link = AsebaLink(
        config.link.targets, script_policy, ThreadDialer(), switch, budgets_hz=config.link.budgets_hz, fence=fence
    )
    driver = MultiThymioDriver(config, link, Program("thymio.aesl", script), claims, book, fence=fence)
    code = _run(driver, create_executor(options.executor), stop)
    rclpy.try_shutdown()
    return code


def _run_orchestrated(config: FleetConfig, options: argparse.Namespace, stop: StopSignal) -> int:
    run = resolve_name("fleet.ros.orchestrated.orchestrated_program:run_orchestrated")  # most drivers do not need it
    file = None if options.orchestrated == Path() else options.orchestrated
    return int(run(config, file, create_executor(options.executor), stop))


def _claims(config: FleetConfig) -> Claims:
    driver = DriverId(config.hosts.name or socket.gethostname(), NODE_NAME, uuid.uuid4().hex)
    robot_ids = [robot.id for robot in config.robots]
    hosts = config.hosts
    return Claims(driver, robot_ids, time.time_ns(), listen_s=hosts.listen_s, silent_s=hosts.silent_s)


def _scripts_of_own(compile_for: ScriptFor, config: FleetConfig, claims: Claims) -> ScriptFor:
    """Return a function that compiles the script for nodes, except robots that another host serves or might serve."""

    def script_for(node: LinkNode) -> CompiledScript | None:
        is_elsewhere = any(robot.is_node(node) and not claims.serves(robot.id) for robot in config.robots)
        return None if is_elsewhere else compile_for(node)

    return script_for


def _switch(config: LinkConfig) -> Switch | None:
    if not config.switch_port:
        return None
    return Switch(Listener(config.switch_address, config.switch_port), config.switch_loop)


def _run(driver: MultiThymioDriver, executor: Executor, stop: StopSignal) -> int:
    """Serve until stopped, and return the exit code; robots are then stopped and goals ended, whatever the cause."""
    driver.join(executor)
    request_real_time()  # the threads of the middleware are there
    try:
        while not stop.is_requested:
            driver.spin_once(executor)
    except Exception as error:
        driver.fail(error)
        return ExitCode.CRASHED  # `thymio-fleet up` starts the driver again
    finally:
        _end(driver, executor)
    return ExitCode.DONE


def _end(driver: MultiThymioDriver, executor: Executor) -> None:
    driver.shut_down()
    deadline_s = time.monotonic() + LEAVING_S
    while driver.has_unsent_answers and time.monotonic() < deadline_s:
        driver.serve_last_requests(executor)
    _linger(driver, executor)
    driver.destroy_node()


def _linger(driver: MultiThymioDriver, executor: Executor, duration_s: float = 0.2) -> None:
    """Serve for a moment longer, so that clients fetch the results of goals that just ended."""
    deadline_s = time.monotonic() + duration_s
    while time.monotonic() < deadline_s:
        driver.serve_last_requests(executor)


if __name__ == "__main__":
    sys.exit(main())
