"""Measured poses of one robot that an executor receives, each in a callback that an orchestrator can count."""

from collections import deque
from collections.abc import Iterator
from typing import Any

from fleet.ros.pose_source import PoseSource


class QueuedPoseSource(PoseSource):
    """Keeps poses from their callbacks until the next tick."""

    def __init__(self, *args: Any) -> None:
        self._waiting: deque[bytes] = deque()
        super().__init__(*args)

    def _on_message(self, data: bytes) -> None:
        self._waiting.append(data)

    def _received(self) -> Iterator[tuple[bytes, int]]:
        while self._waiting:
            yield self._waiting.popleft(), 0
