"""Reaches robots through messages that somebody else carries: the bytes of each direction, as a whole.

An orchestrator gives and takes them as messages on topics, so that nothing reads from a device.
"""

from concurrent.futures import Future
from typing import Final

from aseba_link.link.connection import MAX_RECEIVED, Connection, pipe
from aseba_link.link.target import Target


class MessageDialer:
    """Connects one target at once; whoever carries the messages has the other end."""

    def __init__(self) -> None:
        near, far = pipe()
        self._near: Final[Connection] = near
        self._far: Final[Connection] = far

    def dial(self, target: Target) -> Future[Connection]:
        """See `Dialer.dial`."""
        future: Future[Connection] = Future()
        future.set_result(self._near)
        return future

    def give(self, data: bytes) -> None:
        """Give bytes that robots have sent.

        Raises
        ------
        ConnectionLostError
            Too many wait already.
        """
        self._far.send(data)

    def take(self) -> bytes:
        """Return all bytes to the robots that wait; b"" if none do."""
        parts: list[bytes] = []
        while not parts or len(parts[-1]) == MAX_RECEIVED:
            parts.append(self._far.receive())
        return b"".join(parts)
