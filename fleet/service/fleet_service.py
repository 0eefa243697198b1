"""The fleet service: one link, many robots, one tick; the interface of the fleet for ROS and tests."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from aseba_link.errors import MessageError
from aseba_link.host.link_events import (
    AnonymousEvent,
    LinkEvent,
    NodeFaulted,
    NodeFound,
    NodeGone,
    NodeLost,
    NodeReady,
    UserEvent,
    VariablesRead,
)
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.node_handle import NodeHandle
from aseba_link.thymio.events import Event
from aseba_link.wire.node import Node, NodeAddress
from fleet.actuation.chassis import Chassis
from fleet.control.tracker_config import TrackerConfig
from fleet.errors import UnknownRobotError
from fleet.geometry import Pose2D, Twist2D
from fleet.localization.belief import Gains
from fleet.localization.odometer import Odometry
from fleet.localization.pose_quality import Estimate, Localization, Rejection
from fleet.reason import Reason
from fleet.robots.robot import Robot
from fleet.robots.robot_status import RobotStatus, TaskOutcome
from fleet.settings.config import FleetConfig
from fleet.tasks.task import TaskRequest

MAX_TASK_ID_LENGTH: Final = 128
_BATTERY_PERIOD_S: Final = 5.0
BATTERY_VARIABLE = "_vbat"
_LATE_PERIODS: Final = 2.0  # of link.keep_alive_s; after twice as long again, robots stop by themselves
_IDLE_KEEP_ALIVE_S: Final = 1.0  # a standing robot gets zero speeds now and then, in case another program drove it


_SET_SPEED: Final[int] = Event.SET_SPEED  # these are looked up once because every tick uses them
_ODOMETRY: Final[int] = Event.ODOMETRY
_UNSENT: Final = (0x8000, 0x8000)  # never sent to a motor


@dataclass(init=False, unsafe_hash=True, slots=True)
class TickReport:
    """What happened in one tick: the events of the link, and the tasks that ended."""

    link_events: Final[tuple[LinkEvent, ...]]
    outcomes: Final[tuple[TaskOutcome, ...]]

    def __init__(self, link_events: tuple[LinkEvent, ...], outcomes: tuple[TaskOutcome, ...]) -> None:
        self.link_events = link_events
        self.outcomes = outcomes


@dataclass(slots=True)
class _Binding:
    """A robot's node while it can be reached, and what was last sent to it."""

    robot: Robot
    node: Node
    handle: NodeHandle
    speeds_raw: tuple[int, int] = _UNSENT
    sent_ns: int = 0
    waits_ns: int | None = None  # since when speeds have been waiting for room on the link
    battery_asked_ns: int | None = None


@dataclass(slots=True)
class _TaskIds:
    """Ids that are taken: those of running tasks, and those of the latest that ended."""

    limit: int
    ended: OrderedDict[str, None] = field(default_factory=OrderedDict)
    running: set[str] = field(default_factory=set)

    def __contains__(self, task_id: str) -> bool:
        return task_id in self.running or task_id in self.ended

    def end(self, task_id: str) -> None:
        """Move an id from the running to the ended ones."""
        self.running.discard(task_id)
        self.ended[task_id] = None
        while len(self.ended) > self.limit:
            self.ended.popitem(last=False)


class FleetService:
    """Runs the robots of a configuration over one link.

    Parameters
    ----------
    config : which robots there are, and how they are driven
    link : reaches them; the service alone polls it
    """

    def __init__(self, config: FleetConfig, link: AsebaLink) -> None:
        self.config = config
        self._link = link
        self._robots = {robot.id: Robot(robot, config) for robot in config.robots}
        self._bindings: dict[NodeAddress, _Binding] = {}
        self._strangers: dict[NodeAddress, Node] = {}
        self._found: dict[NodeAddress, Node] = {}
        self._elsewhere: set[int] = set()  # robots that the driver of another host serves
        self._overheard: set[NodeAddress] = set()  # nodes that report to another program
        self._ids = _TaskIds(config.tasks.id_history)
        self._is_shut_down = False

    @property
    def strangers(self) -> tuple[Node, ...]:
        """Nodes that run our script and belong to no robot of the configuration."""
        return tuple(self._strangers.values())

    def tick(self, now_ns: int) -> TickReport:
        """Read the link, step every robot in the order of the configuration, send wheel speeds."""
        events = tuple(self._link.poll(now_ns))
        for event in events:
            self._on_event(event, now_ns)
        outcomes: list[TaskOutcome] = []
        for robot in self._robots.values():
            _, outcome = robot.step(now_ns)
            if outcome is not None:
                self._ids.end(outcome.task_id)
                outcomes.append(outcome)
        self._link.hold()
        try:
            self._command(now_ns)
        finally:
            self._link.release()
        return TickReport(events, tuple(outcomes))

    def assign(self, robot_id: int, request: TaskRequest, now_ns: int) -> Reason | None:
        """Give a robot a task; return None, or why it is rejected, which status then shows.

        Raises
        ------
        UnknownRobotError
            The configuration has no such robot.
        """
        robot = self._robot(robot_id)
        reason = self._objection(robot, request, now_ns)
        if reason is not None:
            robot.note_rejection(reason)
            return reason
        self._ids.running.add(request.task_id)
        robot.assign(request)
        return None

    def drive(self, robot_id: int, twist: Twist2D, now_ns: int) -> Reason | None:
        """Drive a robot without a task by hand, for a while; return None, or why it refuses."""
        return Reason.SHUTDOWN if self._is_shut_down else self._robot(robot_id).drive(twist, now_ns)

    def emit(self, robot_id: int, event: Event, args: Sequence[int]) -> bool:
        """Send a command event with `args` after the node's id; False while the robot cannot be reached."""
        bindings = (binding for binding in self._bindings.values() if binding.robot.config.id == robot_id)
        binding = next(bindings, None)
        return binding is not None and binding.handle.emit(event, (binding.node.address.node_id, *args))

    def robot_id_at(self, address: NodeAddress) -> int | None:
        """Return the robot that a node currently is, or None."""
        binding = self._bindings.get(address)
        return None if binding is None else binding.robot.config.id

    def note_rejection(self, robot_id: int, reason: Reason) -> None:
        """Remember, for status, why a goal was rejected before it could become a task."""
        self._robot(robot_id).note_rejection(reason)

    def cancel(self, robot_id: int, task_id: str, now_ns: int) -> bool:
        """Start to cancel a task; return False if the robot does not perform it (any more)."""
        return self._robot(robot_id).cancel(task_id, now_ns)

    def is_canceling(self, robot_id: int) -> bool:
        """Whether a robot's task is being canceled: its wheels were commanded to stop, but still turn."""
        return self._robot(robot_id).is_canceling

    def attend(self, robot_id: int, is_attended: bool, now_ns: int) -> None:
        """Note whether a client that could cancel a robot's task is still there; see `tasks.client_lost_s`."""
        self._robot(robot_id).attend(is_attended or not self.config.tasks.client_lost_s, now_ns)

    def yield_robot(self, robot_id: int) -> None:
        """Leave a robot to the driver of another host: its task is aborted, and its node is left alone."""
        self._robot(robot_id).abort(Reason.SERVED_ELSEWHERE)
        self._elsewhere.add(robot_id)

    def take_robot(self, robot_id: int) -> None:
        """Serve a robot that was left to another host."""
        self._elsewhere.discard(robot_id)
        config = self._robot(robot_id).config
        for address, node in self._found.items():
            if config.is_node(node):
                self._link.node(address).restore()

    def reporting_elsewhere(self) -> set[int]:
        """Return the robots that report odometry with a script that we did not give them."""
        nodes = [self._found[address] for address in self._overheard if address in self._found]
        unknown = [address for address in self._overheard if address not in self._found]
        robots = [robot.config for robot in self._robots.values()] if self._overheard else []
        return {robot.id for robot in robots if any(map(robot.is_node, nodes)) or any(map(robot.is_at, unknown))}

    def stop(self) -> None:
        """Stop every robot at the next tick, and keep it stopped until resumed."""
        for robot in self._robots.values():
            robot.stop()

    def resume(self) -> None:
        """Let every robot accept tasks again."""
        for robot in self._robots.values():
            robot.resume()

    def shut_down(self, now_ns: int) -> TickReport:
        """Abort every task and stop every wheel in one last tick; later goals are rejected, and every robot is lost."""
        self._is_shut_down = True
        for robot in self._robots.values():
            robot.abort(Reason.SHUTDOWN)
        report = self.tick(now_ns)
        for robot in self._robots.values():
            robot.on_lost("its driver has ended")
        return report

    def on_measured_pose(self, robot_id: int, pose: Pose2D, stamp_ns: int, now_ns: int) -> Rejection | None:
        """Hand a robot a pose measured by its pose source at `stamp_ns`; return why it is not used, None if it is."""
        return self._robot(robot_id).on_measured_pose(pose, stamp_ns, now_ns)

    def tracker(self, robot_id: int) -> TrackerConfig:
        """Return a robot's control law and its tuning."""
        return self._robot(robot_id).tracker

    def configure_tracker(self, robot_id: int, tracker: TrackerConfig, now_ns: int) -> None:
        """Let a robot use another control law, or other gains, from now on; a running task continues with it."""
        self._robot(robot_id).configure_tracker(tracker, now_ns)

    def chassis(self, robot_id: int) -> Chassis:
        """Return what was learned about a robot's wheels, for diagnostics."""
        return self._robot(robot_id).chassis

    def gain_stds(self, robot_id: int) -> Gains:
        """Return the standard deviations of a robot's wheel gains."""
        return self._robot(robot_id).gain_stds

    def task_id(self, robot_id: int) -> str:
        """Return the id of a robot's assigned task, "" when it is idle."""
        return self._robot(robot_id).task_id

    def estimate(self, robot_id: int) -> Estimate | None:
        """Return a robot's latest pose, or None before anything was heard of it."""
        return self._robot(robot_id).estimate

    def odometry(self, robot_id: int) -> Odometry | None:
        """Return a robot's latest wheel odometry; None before the first report, and if no driver topic needs it."""
        return self._robot(robot_id).odometry

    def odom_in_map(self, robot_id: int, now_ns: int) -> Pose2D | None:
        """Return the pose of a robot's odometry frame in the fleet's frame, None while unknown."""
        return self._robot(robot_id).odom_in_map(now_ns)

    def localization(self, robot_id: int, now_ns: int) -> Localization:
        """Return how well a robot's pose is known."""
        return self._robot(robot_id).localization(now_ns)

    def status(self, robot_id: int, now_ns: int) -> RobotStatus:
        """Return a snapshot of a robot."""
        status = self._robot(robot_id).status(now_ns)
        crowding = self._crowding(robot_id) if self._link.budgets else ""
        return replace(status, crowding=crowding) if crowding else status

    def _crowding(self, robot_id: int) -> str:
        """Return how far a robot's target exceeds its budget, "" if it does not."""
        targets = (address.target for address, binding in self._bindings.items() if binding.robot.config.id == robot_id)
        budget = self._link.budgets.get(next(targets, ""))
        return budget.text if budget is not None and budget.is_over else ""

    def _robot(self, robot_id: int) -> Robot:
        try:
            return self._robots[robot_id]
        except KeyError:
            raise UnknownRobotError(robot_id, self.config.path) from None

    def _objection(self, robot: Robot, request: TaskRequest, now_ns: int) -> Reason | None:
        if self._is_shut_down or robot.config.id in self._elsewhere:
            return Reason.SHUTDOWN if self._is_shut_down else Reason.SERVED_ELSEWHERE
        if not request.task_id:
            return Reason.EMPTY_ID
        if len(request.task_id) > MAX_TASK_ID_LENGTH or not request.task_id.isprintable():
            return Reason.BAD_ID
        if request.task_id in self._ids:
            return Reason.DUPLICATE_ID
        arena = self.config.arena
        if arena is not None and not all(map(arena.contains, request.places)):
            return Reason.OUT_OF_ARENA
        return robot.objection(request, now_ns)

    def _on_event(self, event: LinkEvent, now_ns: int) -> None:
        if isinstance(event, UserEvent):
            if event.rank == _ODOMETRY:
                self._on_odometry(event)
        else:
            self._on_other_event(event, now_ns)

    def _on_odometry(self, event: UserEvent) -> None:
        binding = self._bindings.get(event.address)
        if binding is None:
            return
        try:
            binding.robot.on_odometry(event.args, event.stamp_ns)
        except MessageError:
            return  # another program's event of the same rank; without odometry the robot turns stale and stops

    def _on_other_event(self, event: LinkEvent, now_ns: int) -> None:
        match event:
            case NodeFound(node):
                self._found[node.address] = node
            case NodeGone(address):
                self._found.pop(address, None)
                self._overheard.discard(address)
            case AnonymousEvent(address, Event.ODOMETRY):
                self._overheard.add(address)
            case NodeReady(node, is_loaded):
                self._overheard.discard(node.address)
                if is_loaded:
                    self._unbind(node.address, "it runs a script that was loaded to it")
                else:
                    self._bind(node, now_ns)
            case NodeLost(address, reason) | NodeFaulted(address, reason):
                self._unbind(address, reason)
            case VariablesRead(address, name, values, stamp_ns) if address in self._bindings:
                if name == BATTERY_VARIABLE:
                    self._bindings[address].robot.on_battery(values, stamp_ns)

    def _bind(self, node: Node, now_ns: int) -> None:
        """Give a node to the robot that claims it; a robot that already has another node keeps that one."""
        taken = {binding.robot.config.id for address, binding in self._bindings.items() if address != node.address}
        claims = (robot for robot in self._robots.values() if robot.config.id not in taken)
        robot = next((robot for robot in claims if robot.config.is_node(node)), None)
        if robot is None:
            self._strangers[node.address] = node
            return
        self._bindings[node.address] = _Binding(robot, node, self._link.node(node.address))
        robot.on_ready(now_ns)

    def _unbind(self, address: NodeAddress, reason: str) -> None:
        """Take a node from its robot; a fault of a node that was never ready goes to the robot that claims it."""
        self._strangers.pop(address, None)
        binding = self._bindings.pop(address, None)
        robots: Iterable[Robot] = [binding.robot] if binding else self._robots.values()
        bound = {other.robot.config.id for other in self._bindings.values()}
        for robot in robots:
            if binding or (robot.config.is_at(address) and robot.config.id not in bound):
                robot.on_lost(reason)

    def _command(self, now_ns: int) -> None:
        """Send motor targets, request battery voltages, and give up robots that other hosts serve."""
        for binding in self._by_urgency():
            self._send(binding, binding.robot.units_raw, now_ns)
            self._ask_battery(binding, now_ns)
        if self._elsewhere:
            self._leave_alone()

    def _leave_alone(self) -> None:
        """Give up the nodes of robots that are left to another host, after sending them zero speeds."""
        for address, binding in list(self._bindings.items()):
            if binding.robot.config.id in self._elsewhere:
                binding.handle.abandon()
                self._unbind(address, "another host serves it")

    def _by_urgency(self) -> list[_Binding]:
        """Return the bindings in sending order: first robots that must stop, then by the longest wait."""
        bindings = list(self._bindings.values())
        if not self._link.budgets:
            return bindings
        return sorted(bindings, key=lambda binding: (any(binding.robot.units_raw), binding.sent_ns))

    def _send(self, binding: _Binding, speeds_raw: tuple[int, int], now_ns: int) -> None:
        """Send wheel speeds that changed, and unchanged ones now and then, as a keep-alive for the robot."""
        (left_raw, right_raw), (sent_left_raw, sent_right_raw) = speeds_raw, binding.speeds_raw
        moves = left_raw != 0 or right_raw != 0
        if left_raw == sent_left_raw and right_raw == sent_right_raw:
            period_s = self.config.link.keep_alive_s if moves else _IDLE_KEEP_ALIVE_S
            if (now_ns - binding.sent_ns) * 1e-9 < period_s:
                return
        if moves and not self._has_room(binding, now_ns):
            return  # the next tick has newer speeds; without any the robot stops by itself
        binding.waits_ns = None
        targets_raw = binding.robot.chassis.next_targets_raw()
        if binding.handle.emit(_SET_SPEED, (binding.node.address.node_id, targets_raw[0], targets_raw[1])):
            binding.speeds_raw, binding.sent_ns = speeds_raw, now_ns
            binding.robot.on_sent(targets_raw, now_ns)

    def _has_room(self, binding: _Binding, now_ns: int) -> bool:
        """Whether speeds may be sent to a node now, or must wait."""
        if binding.waits_ns is None:
            binding.waits_ns = now_ns
        is_late = (now_ns - binding.waits_ns) * 1e-9 > _LATE_PERIODS * self.config.link.keep_alive_s
        return binding.handle.has_room(is_late)

    def _ask_battery(self, binding: _Binding, now_ns: int) -> None:
        asked_ns = binding.battery_asked_ns
        if asked_ns is not None and (now_ns - asked_ns) * 1e-9 < _BATTERY_PERIOD_S:
            return
        if not binding.handle.has_room():
            return
        binding.battery_asked_ns = now_ns
        if binding.node.description.address(BATTERY_VARIABLE) is not None:
            binding.handle.request_variable(BATTERY_VARIABLE)
