"""Programs that speak Aseba to our switch or simulator, joined in memory."""

from collections.abc import Callable

from aseba_link.errors import ConnectionLostError
from aseba_link.link.connection import Connection, pipe
from aseba_link.wire.message import Message, encode
from aseba_link.wire.stream import MessageStream


class Client:
    """A program at one end of a connection.

    Parameters
    ----------
    attach : called with the other end
    """

    def __init__(self, attach: Callable[[Connection], object]) -> None:
        self.connection, other = pipe()
        self._stream = MessageStream()
        attach(other)

    def send(self, *messages: Message) -> None:
        """Send messages."""
        self.connection.send(b"".join(encode(message) for message in messages))

    def received(self) -> list[Message]:
        """Return the messages received since the last call."""
        messages: list[Message] = []
        while data := self.connection.receive():
            messages += self._stream.feed(data)
        return messages

    @property
    def is_cut(self) -> bool:
        """Whether the other end has closed the connection; data received before that is dropped."""
        try:
            while self.connection.receive():
                pass
        except ConnectionLostError:
            return True
        return False


class WaitingConnections:
    """The connections of clients that wait to be accepted by a switch."""

    def __init__(self) -> None:
        self.closed = False
        self._waiting: list[Connection] = []

    def add(self, connection: Connection) -> None:
        """Add the end of a connection."""
        self._waiting.append(connection)

    def accept(self) -> list[Connection]:
        """Return the waiting connections, and forget them."""
        waiting, self._waiting = self._waiting, []
        return waiting

    def close(self) -> None:
        """Drop the waiting connections."""
        self.closed = True
        self._waiting.clear()
