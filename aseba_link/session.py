"""What the host does with one node: asks what it is, gives it its script, and watches that it runs."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import Enum, auto

from aseba_link.bytecode import CompiledScript
from aseba_link.description import NodeDescription
from aseba_link.errors import AsebaLinkError, MessageError
from aseba_link.event import LinkEvent, NodeFaulted, NodeLost, NodeReady, UserEvent
from aseba_link.interview import Interview
from aseba_link.message import Message, MessageType
from aseba_link.node import Node, NodeAddress
from aseba_link.upload import STOPPED_FLAG, fit_problem, upload_messages

UPLOAD_TIMEOUT_S = 1.0
UPLOADS_BEFORE_FAULT = 3
LONGEST_REST_S = 10.0
STEADY_S = 10.0  # a script that ran for so long begins with the shortest rest again

ScriptFor = Callable[[NodeDescription], CompiledScript | Future[CompiledScript] | None]

_INTERVIEW_TYPES = (
    MessageType.DESCRIPTION,
    MessageType.NAMED_VARIABLE_DESCRIPTION,
    MessageType.LOCAL_EVENT_DESCRIPTION,
    MessageType.NATIVE_FUNCTION_DESCRIPTION,
    MessageType.DEVICE_INFO,
)
_RUN_TIME_ERRORS = {
    MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS: "array access out of bounds",
    MessageType.DIVISION_BY_ZERO: "division by zero",
    MessageType.NODE_SPECIFIC_ERROR: "node specific error",
}


class NodeState(Enum):
    """How far the host has come with a node."""

    DESCRIBING = auto()  # it is being asked what it is
    COMPILING = auto()  # its script is not there yet
    UPLOADING = auto()  # it was given the script and has not yet said that it runs
    READY = auto()  # it runs our script
    RESTING = auto()  # the script failed; it will be uploaded again
    UNSCRIPTED = auto()  # there is no script for it
    UNUSABLE = auto()  # it cannot hold our script, or there is none that compiles


@dataclass(slots=True)
class Outbox:
    """What a network gives to its owner: messages for the connection, and events."""

    messages: list[Message] = field(default_factory=list)
    events: list[LinkEvent] = field(default_factory=list)


class NodeSession:
    """One node from its first NODE_PRESENT until it is lost."""

    def __init__(
        self,
        address: NodeAddress,
        protocol_version: int,
        script_for: ScriptFor,
        event_timeout_s: float | None,
        outbox: Outbox,
    ) -> None:
        self.address = address
        self.protocol_version = protocol_version
        self.state = NodeState.DESCRIBING
        self.node: Node | None = None
        self.heard_ns = 0
        self._script_for = script_for
        self._event_timeout_s = event_timeout_s
        self._outbox = outbox
        self._interview = Interview(address.node_id, protocol_version)
        self._future: Future[CompiledScript] = Future()
        self._script = CompiledScript(())
        self._deadline_ns = 0
        self._ready_ns = 0
        self._event_ns = 0
        self._failures = 0
        self._told_fault = ""

    def receive(self, message: Message, now_ns: int) -> None:
        """Take a message from the node; a malformed one raises MessageError and changes nothing."""
        self.heard_ns = now_ns
        if message.is_user_event:
            self._receive_event(message, now_ns)
        elif self.state is NodeState.DESCRIBING and message.type in _INTERVIEW_TYPES:
            self._outbox.messages += self._interview.receive(message, now_ns)
        elif message.type == MessageType.EXECUTION_STATE_CHANGED:
            self._receive_execution_state(message, now_ns)
        elif message.type in _RUN_TIME_ERRORS and self.state in (NodeState.UPLOADING, NodeState.READY):
            self._fault(_run_time_error(message), now_ns)

    def advance(self, now_ns: int) -> None:
        """Do what is due."""
        if self.state is NodeState.DESCRIBING:
            self._outbox.messages += self._interview.advance(now_ns)
            self._find_script(now_ns)
        elif self.state is NodeState.COMPILING:
            self._take_compiled(now_ns)
        elif self.state is NodeState.UPLOADING and now_ns >= self._deadline_ns:
            self._retry_upload(now_ns)
        elif self.state is NodeState.RESTING and now_ns >= self._deadline_ns:
            self._upload(now_ns)
        elif self.state is NodeState.READY and self._is_silent():
            self._lose(f"no event for {self._event_timeout_s:g} s, it was probably switched off and on", now_ns)

    def _is_silent(self) -> bool:
        """Whether the node answers, but its script has told nothing for too long."""
        return self._event_timeout_s is not None and self.heard_ns - self._event_ns > self._event_timeout_s * 1e9

    def _receive_event(self, message: Message, now_ns: int) -> None:
        """Pass an event on; while our script does not run, it comes from another one."""
        self._event_ns = now_ns
        if self.state is NodeState.READY:
            self._outbox.events.append(UserEvent(self.address, message.type, message.words(), now_ns))

    def _receive_execution_state(self, message: Message, now_ns: int) -> None:
        words = message.unsigned_words()
        if len(words) < 2:
            raise MessageError("an execution state without flags")
        is_stopped = bool(words[1] & STOPPED_FLAG)
        if self.state is NodeState.UPLOADING and not is_stopped:
            self._become_ready(now_ns)
        elif self.state is NodeState.READY and is_stopped:
            self._lose("its script was stopped by somebody else", now_ns)

    def _find_script(self, now_ns: int) -> None:
        """Leave the interview when it is over."""
        identity = self._interview.identity
        if identity is None:
            return
        self.node = Node(self.address, identity.description, identity.uuid)
        try:
            found = self._script_for(identity.description)
        except AsebaLinkError as error:
            self._give_up(str(error))
            return
        if found is None:
            self.state = NodeState.UNSCRIPTED
        elif isinstance(found, CompiledScript):
            self._begin(found, now_ns)
        else:
            self.state = NodeState.COMPILING
            self._future = found
            self._take_compiled(now_ns)

    def _take_compiled(self, now_ns: int) -> None:
        if not self._future.done():
            return
        error = self._future.exception()
        if error is None:
            self._begin(self._future.result(), now_ns)
        else:
            self._give_up(str(error))

    def _begin(self, script: CompiledScript, now_ns: int) -> None:
        self._script = script
        problem = fit_problem(script, self._known_node().description)
        if problem:
            self._give_up(problem)
        else:
            self._upload(now_ns)

    def _upload(self, now_ns: int) -> None:
        self.state = NodeState.UPLOADING
        self._deadline_ns = now_ns + round(UPLOAD_TIMEOUT_S * 1e9)
        description = self._known_node().description
        self._outbox.messages += upload_messages(self.address.node_id, self._script, description)

    def _retry_upload(self, now_ns: int) -> None:
        self._rest(now_ns, 0.5)
        if self._failures >= UPLOADS_BEFORE_FAULT:
            self._tell_fault("it does not say that it runs the script it was given")

    def _become_ready(self, now_ns: int) -> None:
        self.state = NodeState.READY
        self._told_fault = ""
        self._ready_ns = self._event_ns = now_ns
        self._outbox.events.append(NodeReady(self._known_node()))

    def _lose(self, reason: str, now_ns: int) -> None:
        self._outbox.events.append(NodeLost(self.address, reason))
        self._rest(now_ns, 0.0 if self._was_steady(now_ns) else 1.0)

    def _fault(self, reason: str, now_ns: int) -> None:
        self._was_steady(now_ns)
        self._rest(now_ns, 1.0)
        self._tell_fault(reason)

    def _was_steady(self, now_ns: int) -> bool:
        """Whether the script had been running well until now; forgets earlier failures if so."""
        if self.state is NodeState.READY and now_ns - self._ready_ns >= STEADY_S * 1e9:
            self._failures = 0
        return self._failures == 0

    def _rest(self, now_ns: int, shortest_s: float) -> None:
        """Wait before the next upload: the shortest rest at first, twice as long after each failure."""
        rest_s = min(shortest_s * 2**self._failures, LONGEST_REST_S)
        self._failures = min(self._failures + 1, 16)
        self._deadline_ns = now_ns + round(rest_s * 1e9)
        self.state = NodeState.RESTING

    def _give_up(self, reason: str) -> None:
        self.state = NodeState.UNUSABLE
        self._tell_fault(reason)

    def _tell_fault(self, reason: str) -> None:
        """Tell a cause once, until the node was ready again."""
        if reason != self._told_fault:
            self._told_fault = reason
            self._outbox.events.append(NodeFaulted(self.address, reason))

    def _known_node(self) -> Node:
        """Return the node; after the interview it is always known."""
        if self.node is None:
            raise AssertionError("the interview is not over")
        return self.node


def _run_time_error(message: Message) -> str:
    """Return what a run-time error message says, for a human."""
    words = message.unsigned_words()
    place = f" at bytecode word {words[0]}" if words else ""
    detail = ""
    if message.type == MessageType.NODE_SPECIFIC_ERROR:
        text = message.payload[3 : 3 + message.payload[2]] if len(message.payload) > 2 else b""
        detail = f": {text.decode(errors='replace')}" if text else ""
    if message.type == MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS and len(words) > 2:
        detail = f": index {words[2]} of an array of {words[1]} words"
    return f"run-time error of the script, {_RUN_TIME_ERRORS[MessageType(message.type)]}{place}{detail}"
