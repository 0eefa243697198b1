"""Somebody at the other end of a connection who speaks Aseba: a target, or a host that uses our switch."""

from aseba_link.connection import Connection
from aseba_link.errors import MessageError
from aseba_link.message import Message
from aseba_link.stream import MessageStream

STALL_S = 3.0  # a peer that takes so long for one message has lost the rest of it


class Peer:
    """Cuts what comes on a connection into messages; `taken` is the number of bytes that came last."""

    def __init__(self, connection: Connection, now_ns: int) -> None:
        self.connection = connection
        self.taken = 0
        self._stream = MessageStream()
        self._begun_ns = now_ns  # not before the message began of which the rest is missing

    def receive(self, now_ns: int) -> list[Message]:
        """Return messages that have come.

        Raises
        ------
        ConnectionLostError
            The peer has gone.
        MessageError
            What it sends is no Aseba, or a message takes longer than `STALL_S`.
        """
        data = self.connection.receive()
        self.taken = len(data)
        was_between = self._stream.pending == 0
        messages = self._stream.feed(data)
        if messages or was_between:
            self._begun_ns = now_ns
        elif now_ns - self._begun_ns > STALL_S * 1e9:
            raise MessageError(f"a message takes longer than {STALL_S:g} s")
        return messages
