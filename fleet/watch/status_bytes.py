"""Reads diagnostic_msgs/DiagnosticStatus from bytes: as a ROS message, a status has dozens of nested messages.

`thymio_base.cdr` describes the encoding.
"""

import struct
from dataclasses import dataclass
from typing import Final

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.serialization import deserialize_message

from thymio_base.cdr import PREFIX_BYTES, aligned

_LENGTHS: Final = (struct.Struct(">I"), struct.Struct("<I"))  # by the byte order in the prefix
_LENGTH_BYTES: Final = 4  # as many as of the prefix: offsets in `data` are aligned as those in the message
_FIRST_TEXT: Final = PREFIX_BYTES + 4  # after the level, one byte, and what aligns the text


@dataclass(frozen=True, slots=True)
class ReadStatus:
    """The content of a status."""

    level: int
    message: str
    values: dict[str, str]


def read_status(data: bytes) -> ReadStatus:
    """Return the content of a serialized DiagnosticStatus; the last of several values with one key counts.

    Raises
    ------
    ValueError
        The bytes are not a DiagnosticStatus.
    """
    try:
        if data[0] != 0 or data[1] > 1:
            return _from_ros(deserialize_message(data, DiagnosticStatus))
        length = _LENGTHS[data[1]]
        _, offset = _text(data, length, _FIRST_TEXT)  # the name
        message, offset = _text(data, length, offset)
        _, offset = _text(data, length, offset)  # hardware_id
        values = _values(data, length, offset)
    except (IndexError, RuntimeError, UnicodeDecodeError, struct.error) as error:
        raise ValueError(f"{len(data)} bytes are not a status: {error}") from error
    return ReadStatus(data[PREFIX_BYTES], message, values)


def _values(data: bytes, length: struct.Struct, offset: int) -> dict[str, str]:
    """Return the pairs at an offset; `_text` is inlined here, as a fleet has thousands of texts a second."""
    count, offset = length.unpack_from(data, offset)[0], offset + length.size
    characters, size, unpack = data.decode("latin-1"), len(data), length.unpack_from
    texts = []
    for _ in range(2 * count):
        start = offset + _LENGTH_BYTES
        end = start + unpack(data, offset)[0]
        if not start < end <= size:
            raise IndexError(f"a text ends at byte {end}")
        text = characters[start : end - 1]
        texts.append(text if text.isascii() else data[start : end - 1].decode())
        offset = end + -end % _LENGTH_BYTES
    return dict(zip(texts[::2], texts[1::2], strict=True))


def _text(data: bytes, length: struct.Struct, offset: int) -> tuple[str, int]:
    """Return the text at an offset, and the offset of the next field."""
    start = offset + length.size
    end = start + length.unpack_from(data, offset)[0]
    if not start < end <= len(data):
        raise IndexError(f"a text ends at byte {end}")
    return data[start : end - 1].decode(), PREFIX_BYTES + aligned(end - PREFIX_BYTES, length.size)


def _from_ros(message: DiagnosticStatus) -> ReadStatus:
    return ReadStatus(message.level[0], message.message, {value.key: value.value for value in message.values})
