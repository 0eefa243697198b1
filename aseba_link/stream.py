"""Bytes in chunks of any size become messages; Aseba has no sync mark, so an impossible frame ends the stream."""

from aseba_link.errors import MessageError
from aseba_link.message import FIRST_SYSTEM_TYPE, HEADER_SIZE, MAX_PAYLOAD_SIZE, Message, decode_header

# bootloader, from nodes, to nodes (Aseba common/consts.h); any other system type means that the framing is lost
_SYSTEM_TYPE_CLASSES = (0x80, 0x90, 0xA0)


class MessageStream:
    """Cuts one direction of a connection into messages; holds at most one incomplete frame between calls.

    What is framed well but malformed inside is returned, for a switch passes on what it does not understand.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()

    @property
    def pending(self) -> int:
        """Number of bytes of a frame of which the rest has not come yet."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[Message]:
        """Return the messages that `data` completes.

        Raises
        ------
        MessageError
            The framing is lost: close the connection and open it again, with a new stream.
        """
        self._buffer += data
        messages: list[Message] = []
        position = 0
        while len(self._buffer) - position >= HEADER_SIZE:
            size, source, message_type = decode_header(self._buffer, position)
            _check_frame(size, message_type)
            end = position + HEADER_SIZE + size
            if end > len(self._buffer):
                break
            messages.append(Message(source, message_type, bytes(self._buffer[position + HEADER_SIZE : end])))
            position = end
        del self._buffer[:position]
        return messages


def _check_frame(size: int, message_type: int) -> None:
    if size > MAX_PAYLOAD_SIZE:
        raise MessageError(f"framing is lost: a message of {size} bytes, at most {MAX_PAYLOAD_SIZE} are possible")
    if message_type >= FIRST_SYSTEM_TYPE and message_type >> 8 not in _SYSTEM_TYPE_CLASSES:
        raise MessageError(f"framing is lost: there are no messages of type 0x{message_type:04x}")
