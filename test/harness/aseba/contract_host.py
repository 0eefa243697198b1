"""A host that tests one node against the contract: it sends requests, awaits answers, and runs scripts there."""

import contextlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from aseba_link.aesl.compiler import compile_code
from aseba_link.aesl.syntax.script import EventDefinition
from aseba_link.errors import ConnectionLostError
from aseba_link.host.identification import NodeIdentification, NodeIdentity
from aseba_link.host.upload import upload_messages
from aseba_link.wire.bytecode import START_EVENT, CompiledScript
from aseba_link.wire.message import HOST_ID, Message, MessageType, from_words
from harness.aseba.node_under_test import NodeUnderTest
from harness.aseba.thymio_contract import Terms

PATIENCE_S = 60.0  # time limit for anything that must happen
REPEAT_S = 0.5  # interval between repeated requests: radio loses some
QUIET_S = 0.2  # time in which an answer would have arrived
EVENTS = {"ping": 4, "pong": 4, "long": 32, "counts": 6}  # of every script; ranks are in this order
PING, PONG, LONG, COUNTS = range(4)

_INNER_LOOP = 4  # ASEBA_VM_EVENT_RUNNING_MASK
_OF_INTERVIEWS = (
    MessageType.DESCRIPTION,
    MessageType.NAMED_VARIABLE_DESCRIPTION,
    MessageType.LOCAL_EVENT_DESCRIPTION,
    MessageType.NATIVE_FUNCTION_DESCRIPTION,
    MessageType.DEVICE_INFO,
)


class ContractHost:
    """The host of the first node that is present on a network."""

    def __init__(self, node: NodeUnderTest, terms: Terms) -> None:
        self.terms = terms
        self._node = node
        self._inbox: deque[Message] = deque()  # of all nodes
        present = self._answer(from_words(HOST_ID, MessageType.LIST_NODES, (9,)), MessageType.NODE_PRESENT)
        self.node_id = present.source
        self.protocol_version = present.unsigned_words()[0]
        self.identity = self._interviewed()
        self.description = self.identity.description

    @property
    def now_s(self) -> float:
        """The node's time."""
        return self._node.now_s

    def send(self, message_type: int, *words: int) -> None:
        """Send a command to the node."""
        self.send_message(from_words(HOST_ID, message_type, (self.node_id, *words)))

    def send_message(self, message: Message) -> None:
        """Send any message."""
        self._node.send(message)

    def received(self, duration_s: float = QUIET_S) -> list[Message]:
        """Return the node's messages since the last call and within a duration."""
        end_s = self.now_s + duration_s
        while self.now_s < end_s:
            self._inbox += self._node.listen()
        messages = [message for message in self._inbox if message.source == self.node_id]
        self._inbox.clear()
        return messages

    def wait_for(self, message_type: int, condition: Callable[[Message], bool] = lambda _: True) -> Message:
        """Return the node's next message of a type that satisfies the condition."""
        found = self._next(
            message_type, PATIENCE_S, lambda message: message.source == self.node_id and condition(message)
        )
        assert found is not None, f"the expected message 0x{message_type:04x} has not arrived within {PATIENCE_S:g} s"
        return found

    def request(self, message_type: int, *words: int, answer: int) -> Message:
        """Repeat a request until it is answered; return the answer."""
        request = from_words(HOST_ID, message_type, (self.node_id, *words))
        return self._answer(request, answer, lambda message: message.source == self.node_id)

    def state(self) -> tuple[int, int]:
        """Return the program counter of the node's script, and its flags, after time to settle.

        Aseba's own machine leaves the mark of its inner loop in the flags when it meets a breakpoint.
        """
        self.received()
        answer = self.request(MessageType.GET_EXECUTION_STATE, answer=MessageType.EXECUTION_STATE_CHANGED)
        place, flags = answer.unsigned_words()
        return place, flags & ~_INNER_LOOP

    def read(self, start: int, count: int) -> list[int]:
        """Return words of memory, which may arrive in several messages."""
        self._inbox.clear()
        self.send(MessageType.GET_VARIABLES, start, count)
        words: list[int] = []
        while len(words) < count:
            place, *more = self.wait_for(MessageType.VARIABLES).words()
            assert place == start + len(words), f"received words from {place} on, not from {start + len(words)} on"
            words += more
        return words

    def address(self, name: str) -> int:
        """Return the address of a variable of the firmware."""
        found = self.description.address(name)
        assert found is not None, name
        return found

    @property
    def free(self) -> int:
        """The word at which the variables of scripts start."""
        return sum(variable.size for variable in self.description.variables)

    def compiled(self, code: str) -> CompiledScript:
        """Return the bytecode of a script for this node."""
        definitions = [EventDefinition(name, size) for name, size in EVENTS.items()]
        return compile_code(code, definitions, {}, self.description)

    def run(self, code: str) -> None:
        """Upload a script to the node, and start it."""
        for message in upload_messages(self.node_id, self.compiled(code), self.description):
            self.send_message(message)
        end_s = self.now_s + PATIENCE_S
        while self.state()[1] != 0:  # a long start handler runs in parts
            assert self.now_s < end_s, f"the script does not run: {self.state()}"

    def upload(self, code: str) -> int:
        """Upload a script to the node without starting it; return the address of its first instruction."""
        script = self.compiled(code)
        for message in upload_messages(self.node_id, script, self.description):
            if message.type == MessageType.SET_BYTECODE:
                self.send_message(message)
        self.received()
        return _vectors(script)[START_EVENT]

    def emit(self, rank: int, *words: int) -> None:
        """Send an event."""
        self.send_message(from_words(HOST_ID, rank, words))

    def rates_hz(self, rank: int, names: Sequence[str], duration_s: float) -> dict[str, float]:
        """Return the rates of local events over a duration; a script counts them and reports the counts in an event."""
        first, first_s = self.wait_for(rank), self.now_s
        self.received(duration_s)
        last, last_s = self.wait_for(rank), self.now_s
        counts = (after - before for before, after in zip(first.words(), last.words(), strict=True))
        return {name: count / (last_s - first_s) for name, count in zip(names, counts, strict=False)}

    def own_rates_hz(self, rank: int, names: Sequence[str], duration_s: float) -> dict[str, float]:
        """Return the same in the node's own time, counted by the first name's events: CPU load has no effect."""
        tick_hz = self.terms.rates_hz[names[0]]
        first = last = self.wait_for(rank).words()
        while last[0] - first[0] < duration_s * tick_hz:
            last = self.wait_for(rank).words()
        own_s = (last[0] - first[0]) / tick_hz
        return {name: (after - before) / own_s for name, before, after in zip(names, first, last, strict=False)}

    def leave(self) -> None:
        """Leave the node without a script and with its wheels stopped."""
        with contextlib.suppress(ConnectionLostError):
            self.send(MessageType.SET_VARIABLES, self.address("motor.left.target"), 0, 0)
            self.send(MessageType.RESET)
            self.received()

    def _next(self, message_type: int, patience_s: float, condition: Callable[[Message], bool]) -> Message | None:
        """Return the next message of a type that satisfies the condition, None if none arrives in time."""
        end_s = self.now_s + patience_s
        while True:
            while self._inbox:
                message = self._inbox.popleft()
                if message.type == message_type and condition(message):
                    return message
            if self.now_s >= end_s:
                return None
            self._inbox += self._node.listen()

    def _answer(self, request: Message, answer: int, condition: Callable[[Message], bool] = lambda _: True) -> Message:
        """Repeat a request until there is an answer."""
        self._inbox.clear()
        for _ in range(round(PATIENCE_S / REPEAT_S)):
            self._node.send(request)
            found = self._next(answer, REPEAT_S, condition)
            if found is not None:
                return found
        raise AssertionError(f"no answer 0x{answer:04x} to 0x{request.type:04x} within {PATIENCE_S:g} s")

    def _interviewed(self) -> NodeIdentity:
        """Return the node's description of itself, requested as its protocol version defines."""
        interview = NodeIdentification(self.node_id, self.protocol_version)
        end_s = self.now_s + PATIENCE_S
        while interview.identity is None:
            assert self.now_s < end_s, f"node {self.node_id} does not describe itself within {PATIENCE_S:g} s"
            now_ns = round(self.now_s * 1e9)
            questions = interview.advance(now_ns)
            for message in self._node.listen():
                if message.source == self.node_id and message.type in _OF_INTERVIEWS:
                    questions += interview.receive(message, now_ns)
            for request in questions:
                self._node.send(request)
        return interview.identity


def _vectors(script: CompiledScript) -> Mapping[int, int]:
    """Return the start address of each event's code."""
    table: Sequence[int] = script.bytecode[1 : script.bytecode[0]]
    return dict(zip(table[::2], table[1::2], strict=True))
