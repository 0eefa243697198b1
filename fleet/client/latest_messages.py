"""The latest message of each robot on a topic, decoded only when it is read."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription

Value = TypeVar("Value")

FAST_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)  # of poses
_LATCHED_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_VOLATILE_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.VOLATILE)


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
        self._topics: dict[int, str] = {}
        self._subscriptions: dict[int, Subscription] = {}
        self._values: dict[int, Value] = {}
        self._counts: dict[int, int] = {}
        self._read_s: dict[int, float] = {}  # when a robot's latest message was read, on the monotonic clock

    def watch(self, robot_id: int, topic: str, qos: QoSProfile | None = None) -> None:
        """Subscribe to a robot's topic; without a QoS, also receive its latest earlier message where offered."""
        self._subscribe(robot_id, topic, qos or _LATCHED_QOS)
        if qos is None:
            self._topics[robot_id] = topic

    def adapt(self) -> None:
        """Subscribe with the durability that all publishers of a topic offer; requesting more receives nothing."""
        for robot_id, topic in self._topics.items():
            offered = self._offered(topic)
            if offered is not None and offered.durability != self._subscriptions[robot_id].qos_profile.durability:
                self._node.destroy_subscription(self._subscriptions[robot_id])
                self._subscribe(robot_id, topic, offered)

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
        for robot_id in self._subscriptions:
            self._read_new(robot_id)
        self._values.clear()

    def __getitem__(self, robot_id: int) -> Value:
        self._read_new(robot_id)
        return self._values[robot_id]

    def __iter__(self) -> Iterator[int]:
        for robot_id in self._subscriptions:
            self._read_new(robot_id)
        return iter(list(self._values))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def _subscribe(self, robot_id: int, topic: str, qos: QoSProfile) -> None:
        self._subscriptions[robot_id] = self._node.create_subscription(self._type, topic, _unread, qos)

    def _offered(self, topic: str) -> QoSProfile | None:
        """Return the QoS that all publishers of a topic offer, None if there is no publisher."""
        offered = [info.qos_profile.durability for info in self._node.get_publishers_info_by_topic(topic)]
        if not offered:
            return None
        return _LATCHED_QOS if all(one == DurabilityPolicy.TRANSIENT_LOCAL for one in offered) else _VOLATILE_QOS

    def _read_new(self, robot_id: int) -> None:
        """Read a robot's new message, if there is one."""
        subscription = self._subscriptions.get(robot_id)
        if subscription is None:
            return
        with subscription.handle:
            received = subscription.handle.take_message(self._type, False)
        value = None if received is None else self._read(received[0])
        if value is not None:
            self._values[robot_id] = value
            self._counts[robot_id] = self._counts.get(robot_id, 0) + 1
            self._read_s[robot_id] = time.monotonic()


def _unread(_: Any) -> None:
    """Stand in for a callback: no executor serves the node."""
