"""A node that answers like a Thymio, and a dialer that reaches it in memory."""

from collections.abc import Callable
from concurrent.futures import Future

from aseba_link.errors import ConnectionLostError, MessageError
from aseba_link.link.connection import Connection, pipe
from aseba_link.link.target import Target
from aseba_link.wire.description import (
    LocalEvent,
    NativeFunction,
    NodeDescription,
    Variable,
    encode_description,
    encode_header,
    encode_items,
)
from aseba_link.wire.message import DeviceInfo, Message, MessageType, encode, from_words
from aseba_link.wire.stream import MessageStream

UUID = bytes(range(16))


def small_description(protocol_version: int = 9) -> NodeDescription:
    """Return a Thymio's description with few variables, and enough functions for several windows of requests."""
    return NodeDescription(
        name="thymio-II",
        protocol_version=protocol_version,
        bytecode_size=1534,
        stack_size=32,
        variables_size=640,
        variables=(
            Variable("_id", 1),
            Variable("event.source", 1),
            Variable("event.args", 32),
            Variable("motor.left.target", 1),
            Variable("motor.right.target", 1),
            Variable("motor.left.speed", 1),
            Variable("motor.right.speed", 1),
        ),
        local_events=(LocalEvent("motor", "every 10 ms"), LocalEvent("prox", "every 100 ms")),
        native_functions=tuple(NativeFunction(f"math.f{k}", "", ((-1, "dest"), (1, "value"))) for k in range(15)),
    )


class FakeNode:
    """A node without a virtual machine; `running` and `words` show the effects of the host's messages."""

    def __init__(self, node_id: int = 1, description: NodeDescription | None = None) -> None:
        self.node_id = node_id
        self.description = small_description() if description is None else description
        self.running = False
        self.words: dict[int, int] = {}
        self.variables = [0] * self.description.variables_size
        self.received: list[Message] = []

    @property
    def bytecode(self) -> tuple[int, ...]:
        return tuple(self.words[place] for place in sorted(self.words))

    def requests(self, message_type: MessageType) -> list[Message]:
        return [message for message in self.received if message.type == message_type]

    def handle(self, message: Message) -> list[Message]:
        self.received.append(message)
        words = message.unsigned_words()
        if message.type == MessageType.LIST_NODES:
            return [from_words(self.node_id, MessageType.NODE_PRESENT, [self.description.protocol_version])]
        if message.is_user_event or not words or words[0] != self.node_id:
            return []
        return self._answer(MessageType(message.type), words)

    def state(self) -> Message:
        return from_words(self.node_id, MessageType.EXECUTION_STATE_CHANGED, [0, 0 if self.running else 2])

    def odometry(self, ticks: int = 0) -> Message:
        return from_words(self.node_id, 1, [ticks, 0, 0, 0, 0])

    def _answer(self, message_type: MessageType, words: tuple[int, ...]) -> list[Message]:
        if message_type is MessageType.GET_NODE_DESCRIPTION:
            return encode_description(self.node_id, self.description)
        if message_type is MessageType.GET_NODE_DESCRIPTION_FRAGMENT:
            if words[2] == 0xFFFF:
                return [encode_header(self.node_id, self.description.header())]
            return [encode_items(self.node_id, self.description)[words[2]]]
        if message_type is MessageType.GET_DEVICE_INFO:
            return [Message(self.node_id, MessageType.DEVICE_INFO, bytes([DeviceInfo.UUID, len(UUID)]) + UUID)]
        if message_type is MessageType.GET_VARIABLES:
            values = self.variables[words[1] : words[1] + words[2]]
            return [from_words(self.node_id, MessageType.VARIABLES, [words[1], *values])]
        return self._obey(message_type, words)

    def _obey(self, message_type: MessageType, words: tuple[int, ...]) -> list[Message]:
        if message_type is MessageType.SET_VARIABLES:
            self.variables[words[1] : words[1] + len(words) - 2] = words[2:]
            return []
        if message_type is MessageType.SET_BYTECODE:
            self.running = False
            self.variables = [0] * len(self.variables)
            self.words.update(enumerate(words[2:], words[1]))
        if message_type is MessageType.RUN:
            self.running = True
        return [self.state()]


class FakeTarget:
    """Some nodes behind one connection."""

    def __init__(self, *nodes: FakeNode) -> None:
        self.nodes = nodes
        self.connection: Connection | None = None
        self.is_deaf = False  # messages to the nodes are lost
        self._stream = MessageStream()

    def accept(self, connection: Connection) -> None:
        self.connection = connection
        self._stream = MessageStream()

    def step(self) -> None:
        if self.connection is None:
            return
        try:
            for message in self._stream.feed(self.connection.receive()):
                for node in () if self.is_deaf else self.nodes:
                    self.send(node.handle(message))
        except (ConnectionLostError, MessageError):
            self.connection = None

    def send(self, messages: list[Message]) -> None:
        if self.connection is None:
            return
        try:
            self.connection.send(b"".join(encode(message) for message in messages))
        except ConnectionLostError:
            self.connection = None


class PipeDialer:
    """Reaches targets by their port; refuses a port that is not served."""

    def __init__(self, accept: dict[int, Callable[[Connection], None]]) -> None:
        self.accept = accept
        self.attempts = 0

    def dial(self, target: Target) -> Future[Connection]:
        self.attempts += 1
        future: Future[Connection] = Future()
        accept = self.accept.get(getattr(target, "port", 0))
        if accept is None:
            future.set_exception(ConnectionLostError("Connection refused"))
        else:
            ours, theirs = pipe()
            accept(theirs)
            future.set_result(ours)
        return future


def dialer_to(*targets: FakeTarget) -> PipeDialer:
    """Return a dialer that reaches these targets by the ports 1, 2 and so on."""
    return PipeDialer({port: target.accept for port, target in enumerate(targets, 1)})
