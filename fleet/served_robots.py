"""The robots that one driver serves: their interfaces come, tell what is due, and go."""

import gc
import time
from collections.abc import Callable, Iterator, Sequence

from rclpy.executors import Executor
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node
from rclpy.parameter import Parameter

from aseba_link.diagnostics import Source
from aseba_link.event import LinkEvent, NodeReady, UserEvent, VariablesRead
from aseba_link.instant import Instant
from fleet.attendance import Attendance
from fleet.config import RobotConfig
from fleet.driver.driver_topics import DriverTopics
from fleet.robot_interface import RobotInterface
from fleet.robot_topics import RobotTopics
from fleet.rota import Rota
from fleet.service import FleetService
from fleet.status import TaskOutcome
from fleet.task_actions import PROGRESS_S, SIGN_OF_LIFE_S

_YOUNG_OBJECTS = 20_000  # that are made before garbage is looked for: some ticks' worth, instead of one robot's
FAREWELL_S = 1.0  # for the results of the last goals to leave


class ServedRobots:
    """Has an interface for each robot that is served; it has no timer, the tick drives it.

    Parameters
    ----------
    service : knows and drives the robots
    clock : tells the time
    logger : the driver's
    attendance : knows which actions have clients
    diagnose : has what a source says of a robot published from now on
    """

    def __init__(
        self,
        service: FleetService,
        clock: Callable[[], Instant],
        logger: RcutilsLogger,
        *,
        attendance: Attendance,
        diagnose: Callable[[int, Source], None],
    ) -> None:
        self._service = service
        self._clock = clock
        self._logger = logger
        self._attendance = attendance
        self._diagnose = diagnose
        self._executor: Executor | None = None
        config = service.config
        self._robot_ids = [robot.id for robot in config.robots]
        self._waiting: dict[int, RobotConfig] = {}  # who has no interface yet
        self._topics: dict[int, RobotTopics] = {}  # of those of them that have got theirs
        self._arrived: dict[int, NodeReady] = {}
        self._interfaces: dict[int, RobotInterface] = {}
        self._driver_topics: dict[int, DriverTopics] = {}
        self._leaving: dict[int, tuple[RobotInterface, float]] = {}  # of robots that another host has now, until when
        self._late: dict[int, RobotTopics] = {}  # of robots that knew no new pose yet when it was due
        self._poses_due = self._rota(1.0 / config.rates.pose_hz)
        self._statuses_due = self._rota(1.0 / config.rates.status_hz)
        self._progress_due = self._rota(PROGRESS_S)
        self._signs_due = self._rota(SIGN_OF_LIFE_S)

    def join(self, executor: Executor) -> None:
        """Let an executor serve each robot's node for as long as the robot is served."""
        self._executor = executor

    def serve(self, robot: RobotConfig) -> None:
        """Serve a robot from now on; its interface is made in the next ticks."""
        self._dismiss(robot.id)
        self._waiting[robot.id] = robot

    def leave(self, robot_id: int) -> None:
        """Serve a robot no longer; the results of its last goals still leave."""
        self._waiting.pop(robot_id, None)
        self._arrived.pop(robot_id, None)
        if robot_id in self._topics:
            self._topics.pop(robot_id).node.destroy_node()
        self._driver_topics.pop(robot_id, None)
        self._late.pop(robot_id, None)
        if robot_id in self._interfaces:
            self._leaving[robot_id] = self._interfaces.pop(robot_id), time.monotonic() + FAREWELL_S

    @property
    def has_open_goals(self) -> bool:
        """Whether a goal has not been told its end yet."""
        return any(interface.tasks.has_open_goals for interface in self._interfaces.values())

    @property
    def dropped_events(self) -> int:
        """Number of events so far that were not what the script sends."""
        return sum(topics.dropped for topics in self._driver_topics.values())

    def on_events(self, events: Sequence[LinkEvent], now: Instant) -> None:
        """Take in what the link told."""
        for event in events:
            if isinstance(event, NodeReady):
                self._note_arrival(event)
            if self._driver_topics:
                self._pass_on(event, now)

    def finish(self, outcome: TaskOutcome) -> None:
        """Tell the client of a task how it ended."""
        interface = self._interfaces.get(outcome.robot_id) or self._leaving[outcome.robot_id][0]
        interface.tasks.finish(outcome)

    def step(self, slot: int, now: Instant, until_s: float) -> None:
        """Do what is due in a tick for a slot of time, and make interfaces while there is time."""
        for robot_id in [robot_id for robot_id, (_, end_s) in self._leaving.items() if time.monotonic() > end_s]:
            self._dismiss(robot_id)
        for topics in self._driver_topics.values():
            topics.step(now)
        self._publish(slot, now)
        if self._waiting:
            self._admit(until_s)

    def publish_statuses(self, now: Instant) -> None:
        """Publish every robot's status, whether it is due or not."""
        for interface in self._interfaces.values():
            interface.topics.publish_status(now)

    def destroy(self) -> None:
        """Leave the executor and the graph."""
        for robot_id in list(self._leaving):
            self._dismiss(robot_id)
        for interface in self._interfaces.values():
            self._destroy(interface)
        for topics in self._topics.values():
            topics.node.destroy_node()

    # Interfaces that come and go

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
            self._topics[silent.id] = RobotTopics(self._service, silent, bare_node(silent.name), self._clock)
        else:
            arrived = (robot_id for robot_id in self._arrived if robot_id in self._waiting)
            self._create_interface(self._waiting.pop(next(arrived, next(iter(self._waiting)))))

    def _create_interface(self, robot: RobotConfig) -> None:
        topics = self._topics.pop(robot.id)
        self._interfaces[robot.id] = RobotInterface(self._service, robot, topics, self._clock, self._logger)
        self._diagnose(robot.id, topics.diagnostic)
        if self._service.config.driver.is_on:
            driver_topics = DriverTopics(self._service, robot, topics.node, self._clock, self._logger)
            self._driver_topics[robot.id] = driver_topics
            if robot.id in self._arrived:
                driver_topics.on_event(self._arrived[robot.id], self._clock())
        if self._executor is not None:
            self._executor.add_node(topics.node)

    def _dismiss(self, robot_id: int) -> None:
        """Take a robot that another host has off the graph, if it is still there."""
        interface, _ = self._leaving.pop(robot_id, (None, 0.0))
        if interface is not None:
            self._destroy(interface)

    def _destroy(self, interface: RobotInterface) -> None:
        if self._executor is not None:
            self._executor.remove_node(interface.topics.node)
        interface.destroy()

    # What they are told

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

    # What they tell

    def _publish(self, slot: int, now: Instant) -> None:
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

    def _rota(self, period_s: float) -> Rota:
        """Return at which ticks robots, by their place in the configuration, do what they do once in a period."""
        return Rota(len(self._robot_ids), max(1.0, period_s * self._service.config.rates.control_hz))


def bare_node(name: str) -> Node:
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
