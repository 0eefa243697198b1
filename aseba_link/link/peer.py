"""The Aseba program at the other end of a connection: a target, or a host using our switch."""

from collections.abc import Sequence
from typing import Final

from aseba_link.errors import MessageError
from aseba_link.link.connection import Connection
from aseba_link.wire.message import Message, encode
from aseba_link.wire.stream import MessageStream

STALL_S: Final = 3.0  # the limit for a message to arrive completely


class Peer:
    """Exchanges messages over a connection; `received_size` is the number of bytes of the last `receive`.

    `has_spoken` says whether a whole message has ever arrived; `first` holds the very first bytes.

    Messages sent between `hold` and `release` go out in one piece: twenty robots behind a target receive their speeds
    in one write instead of twenty.
    """

    def __init__(self, connection: Connection, now_ns: int) -> None:
        self.connection = connection
        self.received_size = 0
        self.has_spoken = False
        self.first = b""
        self._stream = MessageStream()
        self._is_held = False
        self._held_frames: list[bytes] = []
        self._started_ns = now_ns  # no earlier than the start of the incomplete message

    def receive(self, now_ns: int) -> list[Message]:
        """Return the messages that have arrived.

        Raises
        ------
        ConnectionLostError
            The connection is lost.
        MessageError
            The peer sends something other than Aseba, or a message takes longer than `STALL_S`.
        """
        data = self.connection.receive()
        self.received_size = len(data)
        self.first = self.first or data[:16]
        was_between = self._stream.pending == 0
        messages = self._stream.feed(data)
        self.has_spoken = self.has_spoken or bool(messages)
        if messages or was_between:
            self._started_ns = now_ns
        elif now_ns - self._started_ns > STALL_S * 1e9:
            raise MessageError(f"a message takes longer than {STALL_S:g} s")
        return messages

    def send(self, messages: Sequence[Message]) -> None:
        """Send messages, or keep them for `release` while held; raises ConnectionLostError."""
        for message in messages:
            self._held_frames.append(encode(message))
        if not self._is_held:
            self.release()

    def hold(self) -> None:
        """Hold outgoing messages until `release`."""
        self._is_held = True

    def release(self) -> None:
        """Send the held messages, and hold no more; raises ConnectionLostError."""
        self._is_held = False
        if self._held_frames:
            data = b"".join(self._held_frames)
            self._held_frames.clear()
            self.connection.send(data)
