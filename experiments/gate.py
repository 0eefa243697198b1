"""A connection to robots of which some can be cut off, as by a radio that does not reach them for a while."""

from collections.abc import Set as AbstractSet

from aseba_link.connection import Connection
from aseba_link.message import Message, encode
from aseba_link.stream import MessageStream


class Gate:
    """The robots' end of a host's connection.

    A node that is cut off hears nothing that is meant for it, and nothing that it says gets through. Messages are meant
    for the node whose id is their first word, as those of Aseba's hosts and the events of our script are.

    Parameters
    ----------
    connection : what goes through
    cut_off : ids of nodes; looked at with each message
    """

    def __init__(self, connection: Connection, cut_off: AbstractSet[int]) -> None:
        self._connection = connection
        self._cut_off = cut_off
        self._stream = MessageStream()  # of the host: what has come of its last message

    @property
    def queued(self) -> int:
        """See `Connection.queued`."""
        return self._connection.queued

    def send(self, data: bytes) -> None:
        """See `Connection.send`; the network sends whole messages."""
        if self._cut_off:
            heard = [message for message in MessageStream().feed(data) if message.source not in self._cut_off]
            data = _encoded(heard)
        self._connection.send(data)

    def receive(self) -> bytes:
        """See `Connection.receive`."""
        messages = self._stream.feed(self._connection.receive())
        return _encoded([message for message in messages if not self._is_lost(message)])

    def close(self) -> None:
        """See `Connection.close`."""
        self._connection.close()

    def _is_lost(self, message: Message) -> bool:
        return bool(self._cut_off) and message.unsigned_words()[:1] in {(node_id,) for node_id in self._cut_off}


def _encoded(messages: list[Message]) -> bytes:
    return b"".join(encode(message) for message in messages)
