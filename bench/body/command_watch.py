"""Watches the commands of an arm: when they come, and when they last change."""

import time
from types import TracebackType
from typing import Any

import rclpy
from rclpy.context import Context

from thymio_base.ros.executors import create_executor, spin_once


class CommandWatch:
    """A node that hears one topic of position references.

    Parameters
    ----------
    message_type : has a field `position`
    topic : its name
    """

    def __init__(self, message_type: Any, topic: str) -> None:
        self._context = Context()
        rclpy.init(context=self._context)
        self._node = rclpy.create_node("command_watch", context=self._context)
        self._executor = create_executor(context=self._context)
        self._executor.add_node(self._node)
        self._node.create_subscription(message_type, topic, self._on_message, 100)
        self._latest: list[float] = []
        self.times_s: list[float] = []
        self.latest_change_s = 0.0

    def __enter__(self) -> "CommandWatch":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.try_shutdown()

    def clear(self) -> None:
        """Forget the arrivals until now."""
        self.times_s.clear()

    def run(self, seconds: float) -> None:
        """Hear for a time."""
        end_s = time.monotonic() + seconds
        while (left_s := end_s - time.monotonic()) > 0:
            spin_once(self._executor, left_s)

    def _on_message(self, message: Any) -> None:
        now_s = time.monotonic()
        positions = list(message.position)
        if positions != self._latest:
            self._latest, self.latest_change_s = positions, now_s
        self.times_s.append(now_s)
