"""The command topics of one robot: motion, LEDs and sound; invalid messages are logged and ignored."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

from geometry_msgs.msg import Twist
from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import Bool, Empty

from aseba_link.errors import InvalidValueError
from aseba_link.thymio.events import Event
from fleet.reason import Reason
from fleet.ros.edge.driver_edge import Edge
from fleet.ros.thymio_topics.command_messages import (
    BEEP,
    COMM_TOPICS,
    LED_TOPICS,
    SOUND_TOPICS,
    Command,
    CommandTopic,
    twist_from_ros,
)
from fleet.settings.config import RobotConfig
from fleet.settings.driver_config import AcceptConfig
from thymio_base.parts import Parts

LATEST_QOS = QoSProfile(depth=1)  # a twist replaces the previous one
COMMAND_QOS = QoSProfile(depth=10)
PERIOD_S = 3.0  # as in ros-thymio
_SENT_PER_TICK = 4  # a robot's buffers are small, and so is the radio; ros-thymio waits 5 ms after each
_WAITING = 32
_LOG_PERIOD_NS = 5_000_000_000  # for each topic and reason


class Alarm:
    """Decides when one robot beeps."""

    def __init__(self) -> None:
        self._is_on = False
        self._beeped_ns: int | None = None

    def switch(self, is_on: bool) -> None:
        """Switch the alarm on or off; switching it on again changes nothing."""
        if not is_on:
            self._beeped_ns = None
        self._is_on = is_on

    def beeps(self, now_ns: int) -> bool:
        """Return whether it is time for a beep, which then counts as done."""
        if not self._is_on:
            return False
        if self._beeped_ns is not None and (now_ns - self._beeped_ns) * 1e-9 < PERIOD_S:
            return False
        self._beeped_ns = now_ns
        return True


class CommandTopics:
    """Receives the commands of one robot, in each tick.

    An executor would wake for every message: 40 000 twists a second, of which only the last in each tick counts, would
    leave no time for other robots.

    Parameters
    ----------
    edge : sends the commands, and holds the configuration of the topics
    robot : the robot to serve
    node : gets the subscriptions, once `create` has created them; no executor may serve it
    """

    def __init__(self, edge: Edge, robot: RobotConfig, node: Node) -> None:
        self._edge = edge
        self._robot = robot
        self._alarm = Alarm()
        self._waiting: deque[Command] = deque()
        self._logged_ns: dict[tuple[str, Reason | None], int] = {}
        self._node = node
        self._inputs: list[_Input] = []

    def create(self) -> Parts[None]:
        """Create the subscriptions, one in each part."""
        for message_type, name, callback, qos in self._topics(self._edge.service.config.driver.accept):
            topic = f"/factory/{self._robot.name}/{name}"
            subscription = self._node.create_subscription(message_type, topic, callback, qos)
            self._inputs.append(_Input(subscription, message_type, qos.depth, callback))
            yield

    def step(self, now_ns: int) -> None:
        """Receive new messages, and send a few of the waiting commands; call it in every tick."""
        for _, handle in sorted((received for each in self._inputs for received in each.receive()), key=itemgetter(0)):
            handle()
        if self._alarm.beeps(now_ns):
            self._waiting.append(BEEP)
        for _ in range(min(_SENT_PER_TICK, len(self._waiting))):
            command = self._waiting.popleft()
            if not self._edge.service.emit(self._robot.id, command.event, command.words):
                self._refuse(command.event.name.lower(), "the robot cannot be reached")

    def _topics(self, accept: AcceptConfig) -> Iterator[tuple[Any, str, Callable[[Any], None], QoSProfile]]:
        """Yield type, name, handler and QoS of each accepted topic."""
        if accept.cmd_vel:
            yield Twist, "cmd_vel", self._on_cmd_vel, LATEST_QOS
        for topic in _topics(accept):
            yield topic.type, topic.name, partial(self._on_command, topic), COMMAND_QOS
        if accept.sound:
            yield Bool, "alarm", lambda message: self._alarm.switch(message.data), COMMAND_QOS
        if accept.shutdown:
            yield Empty, "shutdown", self._on_shutdown, COMMAND_QOS

    def _on_cmd_vel(self, message: Twist) -> None:
        try:
            twist = twist_from_ros(message)
        except InvalidValueError as error:
            self._refuse("cmd_vel", str(error))
            return
        reason = self._edge.service.drive(self._robot.id, twist, self._edge.clock().core_ns)
        if reason is not None:
            self._refuse_for("cmd_vel", reason)

    def _on_command(self, topic: CommandTopic, message: Any) -> None:
        try:
            commands = topic.commands_from_ros(message)
        except InvalidValueError as error:
            self._refuse(topic.name, str(error))
            return
        self._queue(topic.name, commands)

    def _on_shutdown(self, _: Empty) -> None:
        if self._edge.service.robot(self._robot.id).task_id:
            self._refuse_for("shutdown", Reason.BUSY)
        else:
            self._queue("shutdown", (Command(Event.SHUTDOWN),))

    def _queue(self, name: str, commands: tuple[Command, ...]) -> None:
        if len(self._waiting) + len(commands) > _WAITING:
            self._refuse(name, f"{len(self._waiting)} commands are already waiting")
        else:
            self._waiting += commands

    def _refuse_for(self, name: str, reason: Reason) -> None:
        """Refuse a command that the robot cannot obey now."""
        task_id = self._edge.service.robot(self._robot.id).task_id
        text = f"{reason.value}: it performs task {task_id!r}" if reason is Reason.BUSY else reason.value
        self._refuse(name, text, reason)

    def _refuse(self, name: str, text: str, reason: Reason | None = None) -> None:
        """Log a refusal, at most once in five seconds for each topic and reason."""
        now_ns = self._edge.clock().core_ns
        logged_ns = self._logged_ns.get((name, reason))
        if logged_ns is not None and now_ns - logged_ns < _LOG_PERIOD_NS:
            return
        self._logged_ns[name, reason] = now_ns
        self._edge.logger.warning(f"{self._robot.name}: {name} refused: {text}")


@dataclass(frozen=True, slots=True)
class _Input:
    """A topic whose messages are read in the tick."""

    subscription: Any
    message_type: Any
    depth: int
    callback: Callable[[Any], None]

    def receive(self) -> Iterator[tuple[int, Callable[[], None]]]:
        """Yield each new message's time of arrival [ns] and handler; at most as many as the topic's history holds."""
        take_message = self.subscription.handle.take_message
        for _ in range(self.depth):
            received = take_message(self.message_type, False)
            if received is None:
                return
            message, info = received
            yield int(info["received_timestamp"]), partial(self.callback, message)


def command_names(accept: AcceptConfig) -> list[str]:
    """Return the names of accepted command topics, below the robot's name."""
    names = ["cmd_vel"] if accept.cmd_vel else []
    names += [topic.name for topic in _topics(accept)]
    names += ["alarm"] if accept.sound else []
    return [*names, "shutdown"] if accept.shutdown else names


def _topics(accept: AcceptConfig) -> Iterable[CommandTopic]:
    if accept.led:
        yield from LED_TOPICS
    if accept.sound:
        yield from SOUND_TOPICS
    if accept.comm:
        yield from COMM_TOPICS
