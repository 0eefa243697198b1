"""A node's description: its variables, local events and native functions, and the messages that carry them."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from aseba_link.errors import MessageError
from aseba_link.wire.message import Message, MessageType


@dataclass(frozen=True, slots=True)
class Variable:
    """A named variable of `size` words."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class LocalEvent:
    """An event that the node raises itself, such as `motor`."""

    name: str
    doc: str


@dataclass(frozen=True, slots=True)
class NativeFunction:
    """A function of the firmware; parameters are (size, name); equal negative sizes share a template."""

    name: str
    doc: str
    parameters: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Header:
    """The first message of a description: sizes in words, and the number of items that follow."""

    name: str
    protocol_version: int
    bytecode_size: int
    stack_size: int
    variables_size: int
    variable_count: int
    event_count: int
    function_count: int


@dataclass(frozen=True, slots=True)
class NodeDescription:
    """A complete description; variables lie in the node's memory in this order, from word 0."""

    name: str
    protocol_version: int
    bytecode_size: int
    stack_size: int
    variables_size: int
    variables: tuple[Variable, ...]
    local_events: tuple[LocalEvent, ...]
    native_functions: tuple[NativeFunction, ...]

    def address(self, name: str) -> int | None:
        """Return the address of a variable's first word; None if the variable does not exist."""
        words = locate(self.variables, name)
        return None if words is None else words[0]

    def header(self) -> Header:
        """Return the content of the first message."""
        return Header(
            self.name,
            self.protocol_version,
            self.bytecode_size,
            self.stack_size,
            self.variables_size,
            len(self.variables),
            len(self.local_events),
            len(self.native_functions),
        )


def locate(variables: Sequence[Variable], name: str) -> tuple[int, int] | None:
    """Return the first word and size of a variable; None if it does not exist."""
    start = 0
    for variable in variables:
        if variable.name == name:
            return start, variable.size
        start += variable.size
    return None


def encode_header(node_id: int, header: Header) -> Message:
    """Return the DESCRIPTION message."""
    sizes = struct.pack(
        "<7H",
        header.protocol_version,
        header.bytecode_size,
        header.stack_size,
        header.variables_size,
        header.variable_count,
        header.event_count,
        header.function_count,
    )
    return Message(node_id, MessageType.DESCRIPTION, _pack_text(header.name) + sizes)


def encode_variable(node_id: int, variable: Variable) -> Message:
    """Return the NAMED_VARIABLE_DESCRIPTION message."""
    payload = struct.pack("<H", variable.size) + _pack_text(variable.name)
    return Message(node_id, MessageType.NAMED_VARIABLE_DESCRIPTION, payload)


def encode_local_event(node_id: int, event: LocalEvent) -> Message:
    """Return the LOCAL_EVENT_DESCRIPTION message."""
    return Message(node_id, MessageType.LOCAL_EVENT_DESCRIPTION, _pack_text(event.name) + _pack_text(event.doc))


def encode_native_function(node_id: int, function: NativeFunction) -> Message:
    """Return the NATIVE_FUNCTION_DESCRIPTION message."""
    payload = _pack_text(function.name) + _pack_text(function.doc) + struct.pack("<H", len(function.parameters))
    for size, name in function.parameters:
        payload += struct.pack("<h", size) + _pack_text(name)
    return Message(node_id, MessageType.NATIVE_FUNCTION_DESCRIPTION, payload)


def encode_description(node_id: int, description: NodeDescription) -> list[Message]:
    """Return all messages of a description, in the order in which nodes send them."""
    return [
        encode_header(node_id, description.header()),
        *encode_items(node_id, description),
    ]


def encode_items(node_id: int, description: NodeDescription) -> list[Message]:
    """Return the messages after the first: variables, then local events, then native functions.

    Item k of this list is the answer to GET_NODE_DESCRIPTION_FRAGMENT for fragment k.
    """
    return [
        *(encode_variable(node_id, variable) for variable in description.variables),
        *(encode_local_event(node_id, event) for event in description.local_events),
        *(encode_native_function(node_id, function) for function in description.native_functions),
    ]


def decode_header(message: Message) -> Header:
    """Return the content of a DESCRIPTION message; raises MessageError."""
    reader = _Reader(message)
    name = reader.text()
    return Header(name, *(reader.word() for _ in range(7)))


def decode_variable(message: Message) -> Variable:
    """Return the content of a NAMED_VARIABLE_DESCRIPTION message; raises MessageError."""
    reader = _Reader(message)
    size = reader.word()
    return Variable(reader.text(), size)


def decode_local_event(message: Message) -> LocalEvent:
    """Return the content of a LOCAL_EVENT_DESCRIPTION message; raises MessageError."""
    reader = _Reader(message)
    return LocalEvent(reader.text(), reader.text())


def decode_native_function(message: Message) -> NativeFunction:
    """Return the content of a NATIVE_FUNCTION_DESCRIPTION message; raises MessageError."""
    reader = _Reader(message)
    name, doc, count = reader.text(), reader.text(), reader.word()
    return NativeFunction(name, doc, tuple((reader.signed_word(), reader.text()) for _ in range(count)))


def assemble(
    header: Header,
    variables: Sequence[Variable],
    local_events: Sequence[LocalEvent],
    native_functions: Sequence[NativeFunction],
) -> NodeDescription:
    """Return the description made from a header and all its items."""
    return NodeDescription(
        header.name,
        header.protocol_version,
        header.bytecode_size,
        header.stack_size,
        header.variables_size,
        tuple(variables),
        tuple(local_events),
        tuple(native_functions),
    )


def _pack_text(text: str) -> bytes:
    """Return a length byte and the text in UTF-8, truncated to 255 bytes."""
    data = text.encode()[:255]
    return bytes([len(data)]) + data


class _Reader:
    """Reads words and texts from a payload; raises MessageError if it is too short."""

    def __init__(self, message: Message) -> None:
        self._message = message
        self._position = 0

    def word(self) -> int:
        """Return the next unsigned word."""
        return int.from_bytes(self._take(2), "little")

    def signed_word(self) -> int:
        """Return the next signed word."""
        return int.from_bytes(self._take(2), "little", signed=True)

    def text(self) -> str:
        """Return the next text."""
        return self._take(self._take(1)[0]).decode(errors="replace")

    def _take(self, size: int) -> bytes:
        end = self._position + size
        if end > len(self._message.payload):
            raise MessageError(f"message 0x{self._message.type:04x} ends after {len(self._message.payload)} bytes")
        data = self._message.payload[self._position : end]
        self._position = end
        return data
