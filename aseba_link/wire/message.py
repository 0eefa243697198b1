"""An Aseba message and its bytes; the host and the simulated robots use the same codec.

Frame, little endian: `u16 payload length | u16 source | u16 type | payload`. The length counts the payload only.
There is no checksum and no synchronization mark (Aseba protocols 5 to 9).
"""

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from aseba_link.errors import MessageError

HEADER_SIZE: Final = 6  # bytes
MAX_EVENT_ARGS: Final = 258  # words, ASEBA_MAX_EVENT_ARG_COUNT
MAX_PAYLOAD_SIZE: Final = 516  # bytes, two a word
FIRST_SYSTEM_TYPE: Final = 0x8000  # lower types are user events: the type is the event's rank in the script
HOST_ID: Final = 0  # source of a host's messages

_SIGNED: Final = [struct.Struct(f"<{size}h") for size in range(MAX_EVENT_ARGS + 1)]  # by number of words


class MessageType(IntEnum):
    """Types of the system messages that this project reads or writes."""

    # from a node
    DESCRIPTION = 0x9000
    NAMED_VARIABLE_DESCRIPTION = 0x9001
    LOCAL_EVENT_DESCRIPTION = 0x9002
    NATIVE_FUNCTION_DESCRIPTION = 0x9003
    DISCONNECTED = 0x9004
    VARIABLES = 0x9005
    ARRAY_ACCESS_OUT_OF_BOUNDS = 0x9006
    DIVISION_BY_ZERO = 0x9007
    EVENT_EXECUTION_KILLED = 0x9008
    NODE_SPECIFIC_ERROR = 0x9009
    EXECUTION_STATE_CHANGED = 0x900A
    BREAKPOINT_SET_RESULT = 0x900B
    NODE_PRESENT = 0x900C
    DEVICE_INFO = 0x900D
    CHANGED_VARIABLES = 0x900E
    # from the host to all nodes
    GET_DESCRIPTION = 0xA000
    LIST_NODES = 0xA011
    # from the host to one node; the first word of the payload is the node's id
    SET_BYTECODE = 0xA001
    RESET = 0xA002
    RUN = 0xA003
    PAUSE = 0xA004
    STEP = 0xA005
    STOP = 0xA006
    GET_EXECUTION_STATE = 0xA007
    BREAKPOINT_SET = 0xA008
    BREAKPOINT_CLEAR = 0xA009
    BREAKPOINT_CLEAR_ALL = 0xA00A
    GET_VARIABLES = 0xA00B
    SET_VARIABLES = 0xA00C
    WRITE_BYTECODE = 0xA00D
    REBOOT = 0xA00E
    SUSPEND_TO_RAM = 0xA00F
    GET_NODE_DESCRIPTION = 0xA010
    GET_DEVICE_INFO = 0xA012
    SET_DEVICE_INFO = 0xA013
    GET_CHANGED_VARIABLES = 0xA014
    GET_NODE_DESCRIPTION_FRAGMENT = 0xA015


class DeviceInfo(IntEnum):
    """The information that GET_DEVICE_INFO can request (protocol 6 and later)."""

    UUID = 1  # 16 bytes
    NAME = 2  # at most 55 bytes of UTF-8
    RADIO = 3  # network id, node id, channel (protocol 9)


@dataclass(init=False, unsafe_hash=True, slots=True)
class Message:
    """An Aseba message: `source` is the sender's node id (0 for a host), `type` a u16, `payload` raw bytes."""

    source: Final[int]
    type: Final[int]
    payload: Final[bytes]

    def __init__(self, source: int, type: int, payload: bytes = b"") -> None:  # noqa: A002 - as the protocol calls it
        self.source = source
        self.type = type
        self.payload = payload

    @property
    def is_user_event(self) -> bool:
        """Whether a script emitted this message as an event; `type` is then its rank."""
        return self.type < FIRST_SYSTEM_TYPE

    @property
    def addressee(self) -> int:
        """The id of the node that a host's command addresses, its first word; -1 if there is none."""
        return self.payload[0] | self.payload[1] << 8 if len(self.payload) >= 2 else -1

    def words(self) -> tuple[int, ...]:
        """Return the payload as signed 16 bit words; an odd last byte is ignored, as in Aseba's own readers."""
        return _words(self.payload)

    def unsigned_words(self) -> tuple[int, ...]:
        """Return the payload as unsigned 16 bit words; an odd last byte is ignored."""
        return struct.unpack_from(f"<{len(self.payload) // 2}H", self.payload)


def _words(payload: bytes) -> tuple[int, ...]:
    size = len(payload) >> 1
    if size > MAX_EVENT_ARGS:  # only in a message that was never on a wire
        return struct.unpack_from(f"<{size}h", payload)
    return _SIGNED[size].unpack_from(payload)


def from_words(source: int, message_type: int, words: Iterable[int] = ()) -> Message:
    """Return a message with the payload `words`, each from -32768 to 65535.

    Raises
    ------
    MessageError
        A word does not fit 16 bits, or there are more than `MAX_EVENT_ARGS`.
    """
    values = tuple(words)
    if len(values) > MAX_EVENT_ARGS:
        raise MessageError(f"message 0x{message_type:04x}: {len(values)} words, at most {MAX_EVENT_ARGS} fit")
    try:
        return Message(source, message_type, _SIGNED[len(values)].pack(*values))
    except struct.error:  # some words are unsigned, or do not fit
        return Message(source, message_type, _packed(message_type, values))


def user_event(rank: int, args: Iterable[int]) -> Message:
    """Return the message of an event from the host.

    Raises
    ------
    MessageError
        The arguments do not fit into an event, or `rank` is not a valid event rank.
    """
    if not 0 <= rank < FIRST_SYSTEM_TYPE:
        raise MessageError(f"event types are below {FIRST_SYSTEM_TYPE}, not {rank}")
    return from_words(HOST_ID, rank, args)


def _packed(message_type: int, values: tuple[int, ...]) -> bytes:
    """Return words, each signed or unsigned, as bytes."""
    for value in values:
        if not -0x8000 <= value <= 0xFFFF:
            raise MessageError(f"message 0x{message_type:04x}: {value} does not fit 16 bits")
    return struct.pack(f"<{len(values)}H", *(value & 0xFFFF for value in values))


def encode(message: Message) -> bytes:
    """Return the frame of `message`.

    Raises
    ------
    MessageError
        Source or type does not fit 16 bits, or the payload is longer than `MAX_PAYLOAD_SIZE`.
    """
    payload, source, message_type = message.payload, message.source, message.type
    if len(payload) > MAX_PAYLOAD_SIZE:
        raise MessageError(f"message 0x{message_type:04x}: {len(payload)} bytes, at most {MAX_PAYLOAD_SIZE}")
    if not (0 <= source <= 0xFFFF and 0 <= message_type <= 0xFFFF):
        raise MessageError(f"source {source} or type {message_type} does not fit 16 bits")
    return (len(payload) | source << 16 | message_type << 32).to_bytes(HEADER_SIZE, "little") + payload


def decode_header(data: bytes, offset: int = 0) -> tuple[int, int, int]:
    """Return (payload length, source, type) of the frame at `offset`, which must have at least `HEADER_SIZE` bytes."""
    return (
        data[offset] | data[offset + 1] << 8,
        data[offset + 2] | data[offset + 3] << 8,
        data[offset + 4] | data[offset + 5] << 8,
    )
