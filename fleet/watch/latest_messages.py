"""The latest message of each robot on a topic, decoded only when it is read."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from rclpy.node import Node
from rclpy.qos import QoSProfile

from fleet.watch.taken_topic import TakenTopic

Value = TypeVar("Value")


class LatestMessages(Mapping[int, Value], Generic[Value]):
    """The latest values that robots published, by robot ID; robots without a message are not in it.

    Parameters
    ----------
    node : owns the subscriptions, and has no executor
    message_type : the ROS type
    read : converts a message to a value; None for an invalid one
    """

    def __init__(self, node: Node, message_type: Any, read: Callable[[Any], Value | None]) -> None:
        self._node = node
        self._type = message_type
        self._read = read
        self._topics: dict[int, TakenTopic] = {}
        self._values: dict[int, Value] = {}
        self._counts: dict[int, int] = {}
        self._read_s: dict[int, float] = {}  # when a robot's latest message was read, on the monotonic clock

    def watch(self, robot_id: int, topic: str, qos: QoSProfile | None = None) -> None:
        """Subscribe to a robot's topic; without a QoS, also receive its latest earlier message where offered."""
        self._topics[robot_id] = TakenTopic(self._node, self._type, topic, qos)

    def adapt(self) -> None:
        """Ask for what all publishers of a topic offer: asking for more receives nothing."""
        for topic in self._topics.values():
            topic.adapt()

    def count(self, robot_id: int) -> int:
        """Return how many messages of a robot have been read."""
        self._read_new(robot_id)
        return self._counts.get(robot_id, 0)

    def age_s(self, robot_id: int) -> float | None:
        """Return the time since a robot's latest message was first read; None without one."""
        self._read_new(robot_id)
        return time.monotonic() - self._read_s[robot_id] if robot_id in self._values else None

    def clear(self) -> None:
        """Forget all messages so far."""
        for robot_id in self._topics:
            self._read_new(robot_id)
        self._values.clear()

    def __getitem__(self, robot_id: int) -> Value:
        self._read_new(robot_id)
        return self._values[robot_id]

    def __iter__(self) -> Iterator[int]:
        for robot_id in self._topics:
            self._read_new(robot_id)
        return iter(list(self._values))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def _read_new(self, robot_id: int) -> None:
        """Read a robot's new message, if there is one."""
        topic = self._topics.get(robot_id)
        message = None if topic is None else topic.take_message()
        value = None if message is None else self._read(message)
        if value is not None:
            self._values[robot_id] = value
            self._counts[robot_id] = self._counts.get(robot_id, 0) + 1
            self._read_s[robot_id] = time.monotonic()
