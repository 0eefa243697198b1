"""Queues of a vehicle's received messages, one per topic, so that a flood of orders never displaces a cancel."""

from collections import deque
from enum import Enum
from typing import Final, TypeAlias


class Topic(Enum):
    """A topic of a vehicle; the value is the last part of its name."""

    ORDER = "order"
    INSTANT_ACTIONS = "instantActions"
    STATE = "state"
    CONNECTION = "connection"
    FACTSHEET = "factsheet"
    VISUALIZATION = "visualization"


SIZE_MAX: Final = 500_000  # bytes of a message
_LIMITS: Final = {Topic.ORDER: 20, Topic.INSTANT_ACTIONS: 100, Topic.CONNECTION: 100, Topic.STATE: 100}
_Message: TypeAlias = tuple[bytes, bool]


class ReceivedMessages:
    """Queues of limited length; one thread may put messages while another takes them.

    Attributes
    ----------
    dropped : number of messages dropped as too many or too large
    """

    def __init__(self) -> None:
        self._queues: Final = {topic: deque[_Message](maxlen=limit) for topic, limit in _LIMITS.items()}
        self.dropped = 0

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def put(self, topic: Topic, payload: bytes, *, is_kept: bool = False) -> None:
        """Add a message; the oldest of a full topic is dropped and counted. `is_kept`: the broker had retained it."""
        queue = self._queues.get(topic)
        if queue is None:
            return
        if len(payload) > SIZE_MAX:
            self.dropped += 1
            return
        self.dropped += len(queue) == queue.maxlen
        queue.append((payload, is_kept))

    def take(self, topic: Topic) -> _Message | None:
        """Return the oldest message of a topic, and whether the broker had retained it; None without one."""
        queue = self._queues[topic]
        return queue.popleft() if queue else None
