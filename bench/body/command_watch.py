"""Watches an arm's commands: their arrivals, and their latest change."""

import time
from types import TracebackType
from typing import Any

from fleet.client.graph_client import GraphClient


class CommandWatch:
    """A node that subscribes to one topic of position references.

    Parameters
    ----------
    message_type : a type with a field `position`
    topic : the topic's name
    """

    def __init__(self, message_type: Any, topic: str) -> None:
        self._graph = GraphClient()
        self._graph.node.create_subscription(message_type, topic, self._on_message, 100)
        self._latest: list[float] = []
        self.times_s: list[float] = []
        self.latest_change_s = 0.0

    def __enter__(self) -> "CommandWatch":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._graph.close()

    def clear(self) -> None:
        """Forget all arrivals."""
        self.times_s.clear()

    def run(self, seconds: float) -> None:
        """Receive messages for a time."""
        self._graph.spin_until(lambda: False, seconds)

    def _on_message(self, message: Any) -> None:
        now_s = time.monotonic()
        positions = list(message.position)
        if positions != self._latest:
            self._latest, self.latest_change_s = positions, now_s
        self.times_s.append(now_s)
