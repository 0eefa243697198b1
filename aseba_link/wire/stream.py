"""Splits a byte stream into messages; Aseba has no sync mark, so an invalid frame ends the stream."""

from aseba_link.errors import MessageError
from aseba_link.wire.message import FIRST_SYSTEM_TYPE, HEADER_SIZE, MAX_PAYLOAD_SIZE, Message, decode_header

# bootloader, from nodes, to nodes (Aseba common/consts.h); any other system type means that framing is lost
_SYSTEM_TYPE_CLASSES = (0x80, 0x90, 0xA0)


class MessageStream:
    """Splits one direction of a connection into messages; buffers at most one incomplete frame between calls.

    Well-framed messages with malformed content are returned, because a switch forwards unknown messages.
    """

    def __init__(self) -> None:
        self._rest = b""

    @property
    def pending(self) -> int:
        """Number of bytes in the incomplete frame."""
        return len(self._rest)

    def feed(self, data: bytes) -> list[Message]:
        """Return the messages that `data` completes.

        Raises
        ------
        MessageError
            Framing is lost: close the connection and reopen it with a new stream.
        """
        messages: list[Message] = []
        if not data:
            return messages
        if self._rest:
            data = self._rest + data
        position, length = 0, len(data)
        while length - position >= HEADER_SIZE:
            size, source, message_type = decode_header(data, position)
            _check_frame(size, message_type)
            start = position + HEADER_SIZE
            if start + size > length:
                break
            position = start + size
            messages.append(Message(source, message_type, data[start:position]))
        self._rest = data[position:]
        return messages


def _check_frame(size: int, message_type: int) -> None:
    if size > MAX_PAYLOAD_SIZE:
        raise MessageError(f"framing is lost: a message of {size} bytes, at most {MAX_PAYLOAD_SIZE} are possible")
    if message_type >= FIRST_SYSTEM_TYPE and message_type >> 8 not in _SYSTEM_TYPE_CLASSES:
        raise MessageError(f"framing is lost: there are no messages of type 0x{message_type:04x}")
