"""The latest message of each robot on a topic, decoded only when it is read."""

import math
import time
from collections.abc import Callable, Iterator, KeysView, Mapping
from typing import Any, Generic, TypeVar

from rclpy.node import Node
from rclpy.qos import QoSProfile

from fleet.watch.taken_topic import TakenTopic

Value = TypeVar("Value")


class LatestMessages(Mapping[int, Value], Generic[Value]):
    """The latest values published by robots, by robot ID; robots without a valid latest message are missing.

    Parameters
    ----------
    node : owns the subscriptions, and has no executor
    message_type : the ROS type
    read : decodes a serialized message; raises ValueError for an invalid one
    on_invalid : called with the error of an invalid message
    """

    def __init__(
        self,
        node: Node,
        message_type: Any,
        read: Callable[[bytes], Value],
        on_invalid: Callable[[ValueError], None] = lambda _: None,
    ) -> None:
        self._node = node
        self._type = message_type
        self._read = read
        self._on_invalid = on_invalid
        self._topics: dict[int, TakenTopic] = {}
        self._latest: dict[int, tuple[bytes, Value]] = {}
        self._read_s: dict[int, float] = {}  # when a robot's latest message was read, on the monotonic clock
        self._silent: set[int] = set()  # robots without a message since the last `adapt`

    @property
    def followed(self) -> KeysView[int]:
        """The robots whose topics are subscribed to."""
        return self._topics.keys()

    def watch(self, robot_id: int, topic: str, qos: QoSProfile | None = None) -> None:
        """Subscribe to a robot's topic; without a QoS, also receive its latest earlier message where offered."""
        if robot_id not in self._topics:
            self._topics[robot_id] = TakenTopic(self._node, self._type, topic, qos)
            self._silent.add(robot_id)

    def forget(self, robot_id: int) -> None:
        """Stop following a robot."""
        if robot_id in self._topics:
            self._topics.pop(robot_id).destroy()
            self._latest.pop(robot_id, None)

    def adapt(self) -> None:
        """Match the QoS offered on silent topics: a subscription that requests more receives nothing."""
        for robot_id in self._silent & self._topics.keys():
            self._topics[robot_id].adapt()
        self._silent = set(self._topics)

    def take(self, robot_id: int) -> tuple[Value, bool] | None:
        """Return a robot's new value, and whether it repeats the previous one; None if there is no new one."""
        topic = self._topics.get(robot_id)
        data = None if topic is None else topic.take()
        if data is None:
            return None
        self._silent.discard(robot_id)
        before = self._latest.get(robot_id)
        is_repeated = before is not None and before[0] == data
        if before is None or not is_repeated:
            try:
                self._latest[robot_id] = before = data, self._read(data)
            except ValueError as error:
                self._latest.pop(robot_id, None)
                self._on_invalid(error)
                return None
        self._read_s[robot_id] = time.monotonic()
        return before[1], is_repeated

    def read_s(self, robot_id: int) -> float:
        """Return when a robot's latest message was first read, on the monotonic clock; -inf without one."""
        return self._read_s[robot_id] if robot_id in self else -math.inf

    def age_s(self, robot_id: int) -> float | None:
        """Return the time since a robot's latest message was first read; None without one."""
        return time.monotonic() - self._read_s[robot_id] if robot_id in self else None

    def clear(self) -> None:
        """Forget all messages so far."""
        for robot_id in self._topics:
            self.take(robot_id)
        self._latest.clear()

    def __contains__(self, robot_id: object) -> bool:
        if not isinstance(robot_id, int):
            return False
        self.take(robot_id)
        return robot_id in self._latest

    def __getitem__(self, robot_id: int) -> Value:
        self.take(robot_id)
        return self._latest[robot_id][1]

    def __iter__(self) -> Iterator[int]:
        for robot_id in self._topics:
            self.take(robot_id)
        return iter(list(self._latest))

    def __len__(self) -> int:
        return len(list(iter(self)))
