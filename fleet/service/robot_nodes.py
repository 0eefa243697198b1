"""Tracks which node on the link belongs to which robot, and which robots another host serves."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from aseba_link.errors import MessageError
from aseba_link.host.link_events import (
    AnonymousEvent,
    LinkEvent,
    NodeDisconnected,
    NodeFaulted,
    NodeFound,
    NodeLost,
    NodeReady,
    UserEvent,
    VariablesRead,
)
from aseba_link.host.node import Node, NodeAddress
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.node_handle import NodeHandle
from aseba_link.thymio.events import Event
from fleet.robots.robot import Robot
from fleet.service.keep_alive import KeepAlive
from fleet.tasks.explanations import USER_SCRIPT

BATTERY_VARIABLE: Final = "_vbat"
_ODOMETRY: Final[int] = Event.ODOMETRY  # looked up once because every report uses it
_REPORTS: Final[list[int]] = [Event.ODOMETRY, Event.PROXIMITY]


@dataclass(slots=True)
class Binding:
    """A robot's node while it can be reached, with times of commands and requests."""

    robot: Robot
    node: Node
    handle: NodeHandle
    keep_alive: KeepAlive
    waits_ns: int | None = None  # since when a command has been waiting for room on the link
    battery_requested_ns: int | None = None


class RobotNodes:
    """Binds robots to their nodes as these come and go, and passes on the nodes' reports.

    Parameters
    ----------
    robots : all robots of the configuration, in its order
    link : reaches the nodes
    keep_alive_s : period of repeating an unchanged command while a robot moves

    Attributes
    ----------
    bindings : nodes of reachable robots, by address
    unconfigured_nodes : nodes that run our script but belong to no configured robot
    user_scripts : nodes that run a script that a user loaded
    """

    def __init__(self, robots: Collection[Robot], link: AsebaLink, keep_alive_s: float) -> None:
        self.bindings: dict[NodeAddress, Binding] = {}
        self.unconfigured_nodes: dict[NodeAddress, Node] = {}
        self.user_scripts: set[NodeAddress] = set()
        self._robots = robots
        self._link = link
        self._keep_alive_s = keep_alive_s
        self._all_nodes: dict[NodeAddress, Node] = {}
        self._reporting_elsewhere: set[NodeAddress] = set()

    @property
    def all_nodes(self) -> Mapping[NodeAddress, Node]:
        """All nodes on the link, whatever they run."""
        return self._all_nodes

    def binding(self, robot_id: int) -> Binding | None:
        """Return a robot's node; None while it cannot be reached."""
        bindings = self.bindings.values()
        return next((binding for binding in bindings if binding.robot.config.id == robot_id), None)

    def robot_id_at(self, address: NodeAddress) -> int | None:
        """Return the robot that a node currently is, or None."""
        binding = self.bindings.get(address)
        return None if binding is None else binding.robot.config.id

    def reporting_elsewhere(self) -> set[int]:
        """Return the robots that report odometry with a script that this driver did not load."""
        addresses = self._reporting_elsewhere
        nodes = [self._all_nodes[address] for address in addresses if address in self._all_nodes]
        unknown = [address for address in addresses if address not in self._all_nodes]
        robots = [robot.config for robot in self._robots] if addresses else []
        return {robot.id for robot in robots if any(map(robot.is_node, nodes)) or any(map(robot.is_at, unknown))}

    def robot_of(self, event: LinkEvent) -> Robot | None:
        """Return the robot whose node sent an event; None if the node belongs to no robot."""
        match event:
            case NodeReady(node) | NodeFound(node):
                binding = self.bindings.get(node.address)
            case (
                UserEvent(address)
                | AnonymousEvent(address)
                | VariablesRead(address)
                | NodeLost(address)
                | NodeFaulted(address)
                | NodeDisconnected(address)
            ):
                binding = self.bindings.get(address)
            case _:
                return None
        return None if binding is None else binding.robot

    def on_event(self, event: LinkEvent, now_ns: int) -> None:
        """Process an event of the link."""
        if isinstance(event, UserEvent):
            if event.rank in _REPORTS:
                self._on_report(event)
        else:
            self._on_other_event(event, now_ns)

    def unbind(self, address: NodeAddress, reason: str) -> None:
        """Unbind a node from its robot; a fault of a node that was never ready goes to the robot that claims it."""
        self.unconfigured_nodes.pop(address, None)
        binding = self.bindings.pop(address, None)
        robots: Iterable[Robot] = [binding.robot] if binding else self._robots
        bound = {other.robot.config.id for other in self.bindings.values()}
        for robot in robots:
            if binding or (robot.config.is_at(address) and robot.config.id not in bound):
                robot.telemetry.on_lost(reason)

    def _on_report(self, event: UserEvent) -> None:
        binding = self.bindings.get(event.address)
        if binding is None:
            return
        try:
            if event.rank == _ODOMETRY:
                binding.robot.telemetry.on_odometry(event.args, event.stamp_ns)
            else:
                binding.robot.telemetry.on_proximity(event.args)
        except MessageError:
            return  # another program's event of the same rank; without odometry the robot turns stale and stops

    def _on_other_event(self, event: LinkEvent, now_ns: int) -> None:
        match event:
            case NodeFound(node):
                self._all_nodes[node.address] = node
            case NodeDisconnected(address):
                self._all_nodes.pop(address, None)
                self.user_scripts.discard(address)
                self._reporting_elsewhere.discard(address)
            case AnonymousEvent(address, Event.ODOMETRY):
                self._reporting_elsewhere.add(address)
            case NodeReady(node, is_loaded):
                self._reporting_elsewhere.discard(node.address)
                if is_loaded:
                    self.user_scripts.add(node.address)
                    self.unbind(node.address, USER_SCRIPT)
                else:
                    self.user_scripts.discard(node.address)
                    self._bind(node, now_ns)
            case NodeLost(address, reason) | NodeFaulted(address, reason):
                self.unbind(address, reason)
            case VariablesRead(address, name, values, stamp_ns) if address in self.bindings:
                if name == BATTERY_VARIABLE:
                    self.bindings[address].robot.telemetry.on_battery(values, stamp_ns)

    def _bind(self, node: Node, now_ns: int) -> None:
        """Bind a node to the robot that claims it; a robot that already has another node keeps that one."""
        bound = {binding.robot.config.id for address, binding in self.bindings.items() if address != node.address}
        claims = (robot for robot in self._robots if robot.config.id not in bound)
        robot = next((robot for robot in claims if robot.config.is_node(node)), None)
        if robot is None:
            self.unconfigured_nodes[node.address] = node
            return
        self.bindings[node.address] = Binding(robot, node, self._link.node(node.address), KeepAlive(self._keep_alive_s))
        robot.telemetry.on_ready(now_ns)
