"""The robots that one driver serves: creates their interfaces, publishes what is due, and removes them."""

import time
from collections.abc import Callable, Iterator, Sequence

from rclpy.context import Context
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.subscription import Subscription

from aseba_link.host.link_events import LinkEvent, NodeReady, UserEvent, VariablesRead
from fleet.hosts.known_fleet import KnownRobot
from fleet.robots.robot_status import TaskOutcome
from fleet.ros.edge.client_presence import Presence
from fleet.ros.edge.driver_edge import Edge
from fleet.ros.fleet_topics.poses_topic import PosesTopic
from fleet.ros.leaving_nodes import LeavingNodes
from fleet.ros.robot_interface import RobotInterface
from fleet.ros.robot_topics import RobotTopics
from fleet.ros.task_actions import HEARTBEAT_S, PROGRESS_S
from fleet.ros.thymio_topics.driver_topics import DriverTopics
from fleet.service.staggered_schedule import StaggeredSchedule
from fleet.settings.config import RobotConfig
from thymio_base.fence import Fence
from thymio_base.instant import Instant
from thymio_base.parts import Parts, WorkInParts
from thymio_base.ros.answers import serve_unannounced
from thymio_base.ros.diagnostics import Source
from thymio_base.ros.fenced_node import FencedNode
from thymio_base.ros.start.garbage import collect_in_small_steps

_INTERFACES_S = 0.005  # for creating or destroying interfaces in a tick, once robots drive
LEAVING_S = 1.0  # for sending the results of the last goals


class ServedRobots:
    """Holds an interface for each served robot; it has no timer, the tick drives it.

    Parameters
    ----------
    edge : the driver's edge
    presence : knows which actions have clients
    diagnose : starts publishing a robot's diagnostics from a source
    node_for : returns the node of a new robot
    poses : also publishes the poses of all robots together; may be None
    """

    def __init__(
        self,
        edge: Edge,
        *,
        presence: Presence,
        diagnose: Callable[[int, Source], None],
        node_for: Callable[[RobotConfig], Node],
        poses: PosesTopic | None = None,
    ) -> None:
        self._edge = edge
        self._service = edge.service
        self._poses = poses
        self._node_for = node_for
        self._presence = presence
        self._diagnose = diagnose
        self._fence = edge.fence
        self._executor: Executor | None = None
        config = edge.service.config
        self._robot_ids = [robot.id for robot in config.robots]
        self._waiting: dict[int, RobotConfig] = {}  # robots that have no interface yet
        self._creation: tuple[int, WorkInParts[None]] | None = None  # of one robot's interface
        self._is_started = False  # the robots of the start have their interfaces
        self._topics: dict[int, RobotTopics] = {}  # of those waiting robots that already have topics
        self._arrived: dict[int, NodeReady] = {}
        self._interfaces: dict[int, RobotInterface] = {}
        self._driver_topics: dict[int, DriverTopics] = {}
        # interfaces of robots that another host now serves, and when to destroy them
        self._leaving: dict[int, tuple[RobotInterface, float]] = {}
        self._left = LeavingNodes()
        self._late: dict[int, RobotTopics] = {}  # of robots that had no new pose yet when it was due
        self._poses_due = self._schedule(1.0 / config.rates.pose_hz)
        self._statuses_due = self._schedule(1.0 / config.rates.status_hz)
        self._progress_due = self._schedule(PROGRESS_S)
        self._heartbeats_due = self._schedule(HEARTBEAT_S)

    def join(self, executor: Executor) -> None:
        """Serve the nodes of served robots by an executor."""
        self._executor = executor

    def serve(self, robot: RobotConfig) -> None:
        """Serve a robot from now on; its interface is created in the next ticks."""
        self._dismiss(robot.id)
        self._waiting[robot.id] = robot

    def admit_all(self) -> None:
        """Create every missing interface, however long that takes."""
        while self._waiting:
            self._admit_further()

    def leave(self, robot_id: int) -> None:
        """Stop serving a robot; the results of its last goals are still sent."""
        self._stop_waiting(robot_id)
        self._arrived.pop(robot_id, None)
        if robot_id in self._topics:
            self._left.add(robot_id, self._topics.pop(robot_id).node)
        self._driver_topics.pop(robot_id, None)
        self._late.pop(robot_id, None)
        if robot_id in self._interfaces:
            self._leaving[robot_id] = self._interfaces.pop(robot_id), time.monotonic() + LEAVING_S

    @property
    def dropped_events(self) -> int:
        """Number of events so far that did not match the script."""
        return sum(topics.dropped for topics in self._driver_topics.values())

    def on_events(self, events: Sequence[LinkEvent], now: Instant) -> None:
        """Handle events of the link."""
        for event in events:
            if isinstance(event, NodeReady):
                self._note_arrival(event)
            if self._driver_topics:
                self._fence.call("topics of robots", self._pass_on, event, now)

    def finish(self, outcome: TaskOutcome) -> None:
        """Report the end of a task to its client."""
        for interface in self._present():
            if interface.robot_id == outcome.robot_id:
                self._fence.call(f"end of task {outcome.task_id!r}", interface.tasks.finish, outcome)
                self._fence.call(f"task of robot {outcome.robot_id}", interface.publish_task, self._presence)

    def step(self, slot: int, now: Instant, until_s: float) -> None:
        """Do the work due in a tick's slot, and create interfaces while there is time."""
        for robot_id in [robot_id for robot_id, (_, end_s) in self._leaving.items() if time.monotonic() > end_s]:
            self._dismiss(robot_id)
        for interface in self._present():
            self._fence.call(f"goals of robot {interface.robot_id}", interface.tasks.step)
        for robot_id, topics in self._driver_topics.items():
            self._fence.call(f"topics of robot {robot_id}", topics.step, now)
        self._publish(slot, now)
        if self._left:
            self._fence.call("interfaces", self._left.step, min(until_s, time.monotonic() + _INTERFACES_S))
        if self._waiting:
            self._fence.call("interfaces", self._admit, until_s)

    def publish_poses(self, slot: int, now: Instant) -> None:
        """Publish the poses that are due in a tick's slot of time, and those that were late in the slot before."""
        due = {interface.robot_id: interface.topics for interface in self._due(self._poses_due, slot)}
        self._late = {
            robot_id: topics
            for robot_id, topics in (self._late | due).items()
            if self._fence.call(f"pose of robot {robot_id}", topics.publish_pose, now) is False
        }
        if self._poses is not None:
            self._fence.call("poses", self._poses.publish, now)

    def publish_statuses(self, now: Instant) -> None:
        """Publish every robot's status, whether it is due or not."""
        for interface in self._interfaces.values():
            self._fence.call(f"status of robot {interface.robot_id}", interface.topics.publish_status, now)

    def known(self, now: Instant) -> list[KnownRobot]:
        """Return the robots that have published a status, as last published."""
        found = (interface.topics.known(now) for interface in self._interfaces.values())
        return [robot for robot in found if robot is not None]

    def destroy(self) -> None:
        """Leave the executor and the graph."""
        self._left.finish()
        for robot_id in list(self._leaving):
            self._dismiss(robot_id)
        for interface in self._interfaces.values():
            self._left.add(interface.robot_id, interface.topics.node, self._executor)
        for topics in self._topics.values():
            topics.node.destroy_node()

    def _present(self) -> Iterator[RobotInterface]:
        """Yield the interfaces that are on the graph."""
        yield from self._interfaces.values()
        for interface, _ in self._leaving.values():
            yield interface

    # Interfaces that come and go

    def _admit(self, until_s: float) -> None:
        """Create missing topics and interfaces while the tick has time, at least one part.

        At the start, no robot drives yet, and a hundred may wait: then, at least one gets its interface per tick.
        """
        if self._is_started:
            until_s = min(until_s, time.monotonic() + _INTERFACES_S)
        begun = self._admit_further()
        while self._admissible and (time.monotonic() < until_s or (begun and not self._is_started)):
            begun = self._admit_further()
        if not self._waiting:
            self._is_started = True
            collect_in_small_steps()

    def _admit_further(self) -> bool:
        """Create one robot's topics or, once all have theirs, a part of the rest; return whether that is unfinished."""
        admissible = self._admissible
        if not admissible:
            return False
        silent = next((robot for robot in admissible if robot.id not in self._topics), None)
        if silent is not None:
            self._topics[silent.id] = RobotTopics(
                self._service, silent, self._node_for(silent), self._edge.clock, self._poses
            )
            return False
        if self._creation is None:
            robot = next((robot for robot in admissible if robot.id in self._arrived), admissible[0])
            self._creation = robot.id, WorkInParts(self._create_interface(robot))
        robot_id, creation = self._creation
        try:
            is_unfinished = creation.do_part()
        except BaseException:
            self._stop_waiting(robot_id)
            raise
        if not is_unfinished:
            self._stop_waiting(robot_id)
        return is_unfinished

    @property
    def _admissible(self) -> list[RobotConfig]:
        """The waiting robots whose former node is gone."""
        return [robot for robot in self._waiting.values() if robot.id not in self._left]

    def _stop_waiting(self, robot_id: int) -> None:
        self._waiting.pop(robot_id, None)
        if self._creation is not None and self._creation[0] == robot_id:
            self._creation = None

    def _create_interface(self, robot: RobotConfig) -> Parts[None]:
        """Create a robot's entities beside its topics, a few in each part; serve it in the last part."""
        topics = self._topics[robot.id]
        interface = RobotInterface(self._edge, robot, topics)
        yield from interface.create()
        if self._service.config.driver.is_on:
            driver_topics = DriverTopics(self._edge, robot, topics.node)
            yield from driver_topics.create()
            self._driver_topics[robot.id] = driver_topics
            if robot.id in self._arrived:
                driver_topics.on_event(self._arrived[robot.id], self._edge.clock())
        self._interfaces[robot.id] = interface
        del self._topics[robot.id]
        self._diagnose(robot.id, topics.diagnostic)
        if self._executor is not None:
            self._executor.add_node(topics.node)

    def _dismiss(self, robot_id: int) -> None:
        """Remove a robot that another host serves from the graph, if it is still there."""
        interface, _ = self._leaving.pop(robot_id, (None, 0.0))
        if interface is not None:
            self._left.add(robot_id, interface.topics.node, self._executor)

    # Events from the link

    def _note_arrival(self, event: NodeReady) -> None:
        robot_id = self._service.robot_id_at(event.node.address)
        if robot_id in self._waiting:
            self._arrived[robot_id] = event

    def _pass_on(self, event: LinkEvent, now: Instant) -> None:
        """Pass an event to the driver topics of its robot."""
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

    # Periodic messages

    def _publish(self, slot: int, now: Instant) -> None:
        call = self._fence.call
        for interface in self._due(self._statuses_due, slot):
            call(f"status of robot {interface.robot_id}", interface.topics.publish_status, now)
        for interface in self._due(self._progress_due, slot):
            call(f"progress of robot {interface.robot_id}", self._publish_progress, interface)
        for interface in self._due(self._heartbeats_due, slot):
            call(f"heartbeat of robot {interface.robot_id}", self._publish_heartbeat, interface, now)

    def _publish_progress(self, interface: RobotInterface) -> None:
        interface.tasks.publish_progress()
        interface.publish_task(self._presence)

    def _publish_heartbeat(self, interface: RobotInterface, now: Instant) -> None:
        interface.tasks.publish_heartbeat()
        serve_unannounced(interface.topics.node)
        may_be_canceled = interface.tasks.may_be_canceled(self._presence)
        self._service.robot(interface.robot_id).note_client(may_be_canceled, now.core_ns)

    def _due(self, schedule: StaggeredSchedule, slot: int) -> Iterator[RobotInterface]:
        """Yield the interfaces that are due, for robots that have one."""
        for place in schedule.due(slot):
            interface = self._interfaces.get(self._robot_ids[place])
            if interface is not None:
                yield interface

    def _schedule(self, period_s: float) -> StaggeredSchedule:
        """Return the ticks at which each robot, by its place in the configuration, does its periodic work."""
        return StaggeredSchedule(len(self._robot_ids), max(1.0, period_s * self._service.config.rates.control_hz))


class BareNode(FencedNode):
    """A node below /factory without default entities; each robot has one, created and destroyed as a whole.

    Executors do not serve its subscriptions: the tick reads the messages.
    """

    def __init__(self, name: str, fence: Fence, context: Context | None = None) -> None:
        super().__init__(
            name,
            fence,
            context=context,
            namespace="/factory",
            start_parameter_services=False,
            enable_rosout=False,
            parameter_overrides=[Parameter("start_type_description_service", value=False)],
        )

    @property
    def subscriptions(self) -> Iterator[Subscription]:
        """The subscriptions that an executor serves: none."""
        return iter(())
