"""Messages of a master that were not looked at yet: a flood of orders never pushes a cancel out."""

from collections import deque
from typing import Final

ORDERS_MAX: Final = 20
INSTANTS_MAX: Final = 100
SIZE_MAX: Final = 500_000  # bytes of a message


class MessageQueue:
    """Two queues, for orders and for instant actions; the oldest messages of a full one are dropped and counted.

    Attributes
    ----------
    dropped : how many messages were dropped because there were too many, or because they were too large
    """

    def __init__(self) -> None:
        self._orders: deque[bytes] = deque()
        self._instants: deque[bytes] = deque()
        self.dropped = 0

    def put_order(self, data: bytes) -> None:
        """Add an order."""
        self._put(self._orders, data, ORDERS_MAX)

    def put_instant(self, data: bytes) -> None:
        """Add a message of instant actions."""
        self._put(self._instants, data, INSTANTS_MAX)

    def take_order(self) -> bytes | None:
        """Return the oldest order; None without one."""
        return self._orders.popleft() if self._orders else None

    def take_instant(self) -> bytes | None:
        """Return the oldest message of instant actions; None without one."""
        return self._instants.popleft() if self._instants else None

    def _put(self, queue: deque[bytes], data: bytes, limit: int) -> None:
        if len(data) > SIZE_MAX:
            self.dropped += 1
            return
        queue.append(data)
        while len(queue) > limit:
            queue.popleft()
            self.dropped += 1
