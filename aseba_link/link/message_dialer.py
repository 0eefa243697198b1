"""Reaches robots by messages that the owner carries: the bytes of each direction in one piece.

An orchestrator exchanges them as messages on topics, so that no device is read.
"""

from concurrent.futures import Future
from contextlib import suppress
from typing import Final

from aseba_link.errors import ConnectionLostError
from aseba_link.link.connection import MAX_RECEIVED, Connection, pipe
from aseba_link.link.target import Target


class MessagePipe:
    """A connection whose far end exchanges bytes as messages."""

    def __init__(self) -> None:
        near, far = pipe()
        self.connection: Final[Connection] = near
        self._far: Final[Connection] = far

    def give(self, data: bytes) -> None:
        """Pass bytes to the connection, which receives them.

        Raises
        ------
        ConnectionLostError
            The connection is closed, or too many bytes are waiting.
        """
        self._far.send(data)

    def take(self) -> bytes:
        """Return all bytes that the connection has sent; b"" if none are waiting."""
        parts: list[bytes] = []
        while not parts or len(parts[-1]) == MAX_RECEIVED:
            parts.append(self._far.receive())
        return b"".join(parts)


class MessageDialer:
    """Connects a single target at once; the owner carries the messages, which are dropped while the link is lost."""

    def __init__(self) -> None:
        self._pipe = MessagePipe()
        self._has_dialled = False

    def dial(self, target: Target) -> Future[Connection]:
        """See `Dialer.dial`; each dial after the first replaces a lost connection."""
        if self._has_dialled:
            self._pipe = MessagePipe()
        self._has_dialled = True
        future: Future[Connection] = Future()
        future.set_result(self._pipe.connection)
        return future

    def give(self, data: bytes) -> None:
        """Pass bytes to the link."""
        with suppress(ConnectionLostError):
            self._pipe.give(data)

    def take(self) -> bytes:
        """Return all bytes that the link has sent; b"" if none are waiting."""
        with suppress(ConnectionLostError):
            return self._pipe.take()
        return b""
