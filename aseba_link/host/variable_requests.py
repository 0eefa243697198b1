"""Open requests for the values of a node's variables; an answer may arrive in several messages."""

from dataclasses import dataclass, field

from aseba_link.errors import MessageError
from aseba_link.host.link_events import VariablesRead
from aseba_link.host.node import NodeAddress
from aseba_link.wire.message import HOST_ID, Message, MessageType, from_words

REQUEST_TIMEOUT_S = 1.0
MAX_REQUEST_WORDS = 256


@dataclass(slots=True)
class _Request:
    """An open request for a variable; missing words are None."""

    name: str
    expires_ns: int
    values: list[int | None] = field(default_factory=list)


class VariableRequests:
    """Open requests to a node, by first word; unanswered requests expire silently."""

    def __init__(self, address: NodeAddress) -> None:
        self._address = address
        self._requests: dict[int, _Request] = {}

    def request(self, name: str, start: int, size: int, now_ns: int) -> list[Message]:
        """Return the messages that request `size` words from word `start`."""
        expires_ns = now_ns + round(REQUEST_TIMEOUT_S * 1e9)
        self._requests[start] = _Request(name, expires_ns, [None] * size)
        return [
            from_words(
                HOST_ID,
                MessageType.GET_VARIABLES,
                [self._address.node_id, position, min(MAX_REQUEST_WORDS, start + size - position)],
            )
            for position in range(start, start + size, MAX_REQUEST_WORDS)
        ]

    def receive(self, message: Message, now_ns: int) -> list[VariablesRead]:
        """Return the answers that a VARIABLES message completes; raises MessageError if it is malformed."""
        if len(message.payload) < 2:
            raise MessageError("variables without a first word")
        position = message.unsigned_words()[0]
        words = message.words()[1:]
        answers = []
        for start, request in list(self._requests.items()):
            for index in range(max(start, position), min(start + len(request.values), position + len(words))):
                request.values[index - start] = words[index - position]
            values = tuple(value for value in request.values if value is not None)
            if len(values) == len(request.values):
                del self._requests[start]
                answers.append(VariablesRead(self._address, request.name, values, now_ns))
        return answers

    def advance(self, now_ns: int) -> None:
        """Discard requests that were not answered in time."""
        if not self._requests:
            return
        for start, request in list(self._requests.items()):
            if now_ns >= request.expires_ns:
                del self._requests[start]
