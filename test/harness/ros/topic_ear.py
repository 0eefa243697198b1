"""A node of its own that hears topics."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile


class TopicEar:
    """Keeps the latest message of each topic.

    Parameters
    ----------
    topics : type of each by name
    quality : of the subscriptions
    """

    def __init__(self, context: Context, topics: dict[str, Any], quality: QoSProfile) -> None:
        self.latest: dict[str, Any] = {}
        self._node = rclpy.create_node("topic_ear", context=context)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self._node)
        for name, kind in topics.items():
            self._node.create_subscription(
                kind, name, lambda message, name=name: self.latest.__setitem__(name, message), quality
            )

    def wait_for(self, condition: Callable[[dict[str, Any]], bool], what: str, deadline_s: float = 60.0) -> None:
        end_s = time.monotonic() + deadline_s
        while not condition(self.latest):
            assert time.monotonic() < end_s, f"waited in vain for {what}"
            self._executor.spin_once(timeout_sec=0.1)

    def close(self) -> None:
        self._executor.shutdown()
        self._node.destroy_node()


@contextmanager
def topic_ear(topics: dict[str, Any], quality: QoSProfile | None = None) -> Iterator[TopicEar]:
    """Yield an ear; by default it is reliable, and hears nothing that was published before it was found."""
    context = Context()
    rclpy.init(context=context)
    ear = TopicEar(context, topics, quality or QoSProfile(depth=10))
    try:
        yield ear
    finally:
        ear.close()
        context.try_shutdown()
