"""The host's work with a node: identifies it, keeps our script running on it, reads and writes its variables."""

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Final

from aseba_link.errors import AsebaLinkError, MessageError
from aseba_link.host.identification import NodeIdentification
from aseba_link.host.link_events import (
    AnonymousEvent,
    NodeDisconnected,
    NodeFaulted,
    NodeFound,
    NodeLost,
    NodeReady,
    Outbox,
    UserEvent,
)
from aseba_link.host.node import Node, NodeAddress
from aseba_link.host.run_time_error import RUN_TIME_ERRORS, run_time_error
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.host.upload import CHUNK_WORDS, UploadAnswers, fit_problem, upload_messages
from aseba_link.host.upload_contest import UploadContest
from aseba_link.host.variable_requests import VariableRequests
from aseba_link.wire.bytecode import STOPPED, CompiledScript
from aseba_link.wire.description import Variable, locate
from aseba_link.wire.message import HOST_ID, Message, MessageType, from_words

UPLOAD_TIMEOUT_S: Final = 1.0
UPLOADS_BEFORE_FAULT = 3
MAX_BACKOFF_S = 10.0
STEADY_S = 10.0  # after a script has run for this long, back-off starts from the shortest pause again
CHECK_PERIOD_S = 2.0  # between checks that a script without an event timeout is still running
NODE_TIMEOUT_S: Final = 3.0  # that of Aseba's NodesManager

_MEMORY_WORDS: Final = 0x10000  # addressable words; a node may claim more
_IDENTIFICATION_TYPES = (
    MessageType.DESCRIPTION,
    MessageType.NAMED_VARIABLE_DESCRIPTION,
    MessageType.LOCAL_EVENT_DESCRIPTION,
    MessageType.NATIVE_FUNCTION_DESCRIPTION,
    MessageType.DEVICE_INFO,
)
_DEBUG_COMMANDS = (MessageType.RESET, MessageType.PAUSE, MessageType.STEP, MessageType.STOP)


class NodeState(Enum):
    """The host's progress with a node."""

    DESCRIBING = auto()  # being identified
    UPLOADING = auto()  # the script was sent, but the node has not yet confirmed that it runs
    READY = auto()  # running our script
    WAITING = auto()  # for the next upload: the script failed, or other nodes come first
    HALTED = auto()  # another host has stopped our script
    UNSCRIPTED = auto()  # we have no script for it
    UNUSABLE = auto()  # our script does not fit or does not compile
    CONTESTED = auto()  # another host keeps loading its own script, so neither should


_KEPT_STATES = (NodeState.UPLOADING, NodeState.READY, NodeState.WAITING, NodeState.HALTED)  # we keep a script running
_READY: Final = NodeState.READY  # looked up once: needed for every event


class NodeSession:
    """A node from its first NODE_PRESENT until it is lost.

    Parameters
    ----------
    address : the node's address
    protocol_version : the node's protocol version
    script_policy : which script the node receives, and how it is kept running
    outbox : collects messages for the node, and events
    may_upload : returns whether its connection has room for an upload, given whether an earlier upload failed
    """

    def __init__(
        self,
        address: NodeAddress,
        protocol_version: int,
        script_policy: ScriptPolicy,
        outbox: Outbox,
        may_upload: Callable[[bool], bool],
    ) -> None:
        self.address = address
        self.protocol_version = protocol_version
        self.state = NodeState.DESCRIBING
        self.node: Node | None = None
        self.received_ns = 0
        self.identification_start_ns: int | None = None
        self._script_policy = script_policy
        self._event_timeout_s = script_policy.event_timeout_s
        self._outbox = outbox
        self._may_upload = may_upload
        self._identification = NodeIdentification(address.node_id, protocol_version)
        self._requests = VariableRequests(address)
        self._contest = UploadContest(address.node_id)
        self._answers = UploadAnswers()
        self._script = CompiledScript(())
        self._deadline_ns = 0
        self._ready_ns = 0
        self._event_ns = 0
        self._check_ns = 0
        self._is_debugged = False  # by another host
        self._is_loaded = False
        self._failures = 0
        self._reported_fault = ""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables in the node's memory, from word 0: its own, then those of our script while it runs."""
        if self.node is None:
            return ()
        return self.node.description.variables + (self._script.variables if self.state is _READY else ())

    def receive(self, message: Message, now_ns: int) -> None:
        """Process a message from the node; a malformed message raises MessageError and changes nothing."""
        self.received_ns = now_ns
        if message.type == MessageType.VARIABLES:
            self._outbox.events += self._requests.receive(message, now_ns)
        elif self.state is NodeState.DESCRIBING and message.type in _IDENTIFICATION_TYPES:
            self._outbox.messages += self._identification.receive(message, now_ns)
        elif message.type == MessageType.EXECUTION_STATE_CHANGED:
            self._receive_execution_state(message, now_ns)
        elif message.type in RUN_TIME_ERRORS and self.state in (NodeState.UPLOADING, NodeState.READY):
            self._fault(run_time_error(message), now_ns)

    def receive_event(self, message: Message, now_ns: int) -> None:
        """Forward an event from the node; its name is known only while our script runs."""
        self.received_ns = self._event_ns = now_ns
        if self.state is _READY:
            self._outbox.events.append(UserEvent(self.address, message.type, message.words(), now_ns))
        else:
            self._outbox.events.append(AnonymousEvent(self.address, message.type, message.words(), now_ns))

    def overhear(self, message: Message, now_ns: int) -> None:
        """Note a command to this node from another host, or one of ours that a switch has sent back."""
        self._contest.hear(message, now_ns)
        if self.state in (NodeState.READY, NodeState.HALTED):
            self._is_debugged = self._is_debugged or message.type in _DEBUG_COMMANDS
        if message.type == MessageType.SET_BYTECODE and self._is_replaced_by(message):
            self._on_replaced("another host uploaded a script", now_ns)
        elif message.type == MessageType.RESET and self._script_policy.reclaims and self.state in _KEPT_STATES:
            self._on_replaced("another host reset it", now_ns)

    def _is_replaced_by(self, upload: Message) -> bool:
        """Return whether a part of a script, from another host or ourselves, replaces our script."""
        if self.state is NodeState.UPLOADING:
            return self._script_policy.reclaims and not (self._contest.is_echoed and self._is_ours(upload))
        return self.state in (NodeState.READY, NodeState.HALTED)

    def _is_ours(self, upload: Message) -> bool:
        """Return whether a part of a script equals that part of ours."""
        words = upload.unsigned_words()
        if len(words) < 2:
            return False
        start, chunk = words[1], words[2:]
        return tuple(word & 0xFFFF for word in self._script.bytecode[start : start + len(chunk)]) == chunk

    def _on_replaced(self, reason: str, now_ns: int) -> None:
        """Upload our script again, unless it yields to the other host or neither can keep its script."""
        if not self._script_policy.reclaims:
            self._release(NodeState.UNSCRIPTED, reason)
        elif self._contest.lose(now_ns):
            self._give_up_contest()
        else:
            self._lose(reason, now_ns)

    def _give_up_contest(self) -> None:
        """Stop the node, and leave it alone while another host is interested in it."""
        text = f"another host on {self.address.target} loads another script into it; stop one of the two"
        self._release(NodeState.CONTESTED, text)
        self._send(MessageType.RESET)
        self._report_fault(text)

    def _follow_contest(self, now_ns: int) -> None:
        """Signal our interest in the node; upload our script once no other host is interested."""
        if self._contest.is_over(now_ns):
            self._contest.restart()
            self._answers.forget()
            self._upload(now_ns)
        elif self._contest.is_sign_due(now_ns):
            self._outbox.messages.append(self._sign(now_ns))

    def _sign(self, now_ns: int) -> Message:
        return self._contest.sign(self._identified_node().description.variables_size, now_ns)

    def load(self, script: CompiledScript, now_ns: int) -> bool:
        """Upload another script, which may be silent; False until the node is identified."""
        if self.node is None:
            return False
        self._release(NodeState.UPLOADING, "another script is loaded")
        self._event_timeout_s = None
        self._is_loaded = True
        self._failures, self._reported_fault = 0, ""
        self._start_script(script, now_ns)
        return True

    def restore(self, now_ns: int) -> bool:
        """Upload the script of `script_policy` again; False until the node is identified."""
        if self.node is None:
            return False
        self._release(NodeState.UPLOADING, "its default script is loaded again")
        self._event_timeout_s = self._script_policy.event_timeout_s
        self._is_loaded = False
        self._failures, self._reported_fault = 0, ""
        self._find_script(self.node, now_ns)
        return True

    def abandon(self) -> None:
        """Leave the node to other programs until `load` or `restore`."""
        if self.node is not None:
            self._release(NodeState.UNSCRIPTED, "it was released to other programs")

    def request_variable(self, name: str, now_ns: int) -> bool:
        """Request a variable from the node; False if it has no such variable, or one without words."""
        start, size = self._words_of(name) or (0, 0)
        if not size:
            return False
        self._outbox.messages += self._requests.request(name, start, size, now_ns)
        return True

    def set_variable(self, name: str, values: Sequence[int]) -> bool:
        """Write a variable or its first words; False if the node has no such variable.

        Raises
        ------
        MessageError
            There are more values than the variable has words, or a value does not fit 16 bits.
        """
        words = self._words_of(name)
        if words is None:
            return False
        start, size = words
        if len(values) > size:
            raise MessageError(f"{len(values)} values for variable {name}, which has {size} words")
        for offset in range(0, len(values), CHUNK_WORDS):
            command = [self.address.node_id, start + offset, *values[offset : offset + CHUNK_WORDS]]
            self._outbox.messages.append(from_words(HOST_ID, MessageType.SET_VARIABLES, command))
        return True

    def _words_of(self, name: str) -> tuple[int, int] | None:
        """Return the first word and the size of a variable; None if it is unknown or lies beyond the memory."""
        words = locate(self.variables, name)
        return None if words is None or words[0] + words[1] > _MEMORY_WORDS else words

    def close(self, reason: str) -> None:
        """End the session and report the node as disconnected."""
        self._release(NodeState.DESCRIBING, reason)
        if self.node is not None:
            self._outbox.events.append(NodeDisconnected(self.address, reason))

    def advance(self, now_ns: int) -> None:
        """Perform the actions that are due."""
        self._requests.advance(now_ns)
        if self.state is _READY:
            self._watch(now_ns)
        elif self.state is NodeState.DESCRIBING:
            if self.identification_start_ns is None:
                self.identification_start_ns = now_ns
            self._outbox.messages += self._identification.advance(now_ns)
            self._finish_identification(now_ns)
        elif self.state is NodeState.UPLOADING and now_ns >= self._deadline_ns:
            self._retry_upload(now_ns)
        elif self.state is NodeState.WAITING and now_ns >= self._deadline_ns:
            self._upload(now_ns)
        elif self.state is NodeState.CONTESTED:
            self._follow_contest(now_ns)

    def _watch(self, now_ns: int) -> None:
        """Check that the script is still running."""
        if self._is_silent():
            self._lose(f"no event for {self._event_timeout_s:g} s, it was probably switched off and on", now_ns)
        elif self._event_timeout_s is None and now_ns >= self._check_ns:
            self._check_ns = now_ns + round(CHECK_PERIOD_S * 1e9)
            self._send(MessageType.GET_EXECUTION_STATE)

    def _is_silent(self) -> bool:
        """Return whether the node answers although its script has sent nothing for too long."""
        return self._event_timeout_s is not None and self.received_ns - self._event_ns > self._event_timeout_s * 1e9

    def _receive_execution_state(self, message: Message, now_ns: int) -> None:
        words = message.unsigned_words()
        if len(words) < 2:
            raise MessageError("an execution state without flags")
        is_stopped = bool(words[1] & STOPPED)
        if self.state is NodeState.UPLOADING or (self.state is NodeState.WAITING and self._answers.unconfirmed):
            self._on_upload_state(is_stopped, now_ns)
        elif self.state is NodeState.HALTED and not is_stopped:
            self._become_ready(now_ns)
        elif self.state is _READY and is_stopped:
            self._on_stopped(now_ns)

    def _on_upload_state(self, is_stopped: bool, now_ns: int) -> None:
        """Wait until the node runs the last upload."""
        self._answers.note_state(is_stopped)
        if self._answers.is_running and not self._answers.unconfirmed:
            self._become_ready(now_ns)

    def _on_stopped(self, now_ns: int) -> None:
        """Upload the script again, unless an upload of ours or another host stopped it."""
        is_new = now_ns - self._ready_ns < NODE_TIMEOUT_S * 1e9  # answers are never later: the node would be lost
        if self._answers.unconfirmed and is_new:
            self._release(NodeState.UPLOADING, "it receives its script for the second time")
            self._deadline_ns = now_ns + round(UPLOAD_TIMEOUT_S * 1e9)
            self._answers.note_state(is_stopped=True)
        elif self._script_policy.reclaims or not self._is_debugged:
            self._lose("its script was stopped by another program", now_ns)
        else:
            self._release(NodeState.HALTED, "another host stopped its script")

    def _finish_identification(self, now_ns: int) -> None:
        """Find the node's script once its identity is known."""
        identity = self._identification.identity
        if identity is None:
            return
        self.node = Node(self.address, identity.description, identity.uuid)
        self._outbox.events.append(NodeFound(self.node))
        self._find_script(self.node, now_ns)

    def _find_script(self, node: Node, now_ns: int) -> None:
        try:
            found = self._script_policy.script_for(node)
        except AsebaLinkError as error:
            self._give_up(str(error))
            return
        if found is None:
            self.state = NodeState.UNSCRIPTED
        else:
            self._start_script(found, now_ns)

    def _start_script(self, script: CompiledScript, now_ns: int) -> None:
        self._script = script
        problem = fit_problem(script, self._identified_node().description)
        if problem:
            self._give_up(problem)
        else:
            self._answers.forget()
            self._upload(now_ns)

    def _upload(self, now_ns: int) -> None:
        """Send the script to the node; while too many uploads are in progress, leave that to `advance`."""
        if not self._may_upload(self._failures > 0):
            self.state = NodeState.WAITING
            self._deadline_ns = now_ns
            return
        self.state = NodeState.UPLOADING
        self._answers.note_upload()
        self._deadline_ns = now_ns + round(UPLOAD_TIMEOUT_S * 1e9)
        description = self._identified_node().description
        self._outbox.messages.append(self._sign(now_ns))
        self._outbox.messages += upload_messages(self.address.node_id, self._script, description)

    def _retry_upload(self, now_ns: int) -> None:
        """Send the script again after a pause, unless the node runs an earlier upload: then only the last was lost."""
        if self._answers.is_running:
            self._become_ready(now_ns)
            return
        self._back_off(now_ns, 0.5)
        if self._failures >= UPLOADS_BEFORE_FAULT:
            self._report_fault("it does not confirm that it runs the uploaded script")

    def _become_ready(self, now_ns: int) -> None:
        self.state = NodeState.READY
        self._reported_fault = ""
        self._is_debugged = False
        self._ready_ns = self._event_ns = self._check_ns = now_ns
        self._outbox.events.append(NodeReady(self._identified_node(), self._is_loaded))

    def _lose(self, reason: str, now_ns: int) -> None:
        """Report that the script no longer runs, and schedule its next upload."""
        pause_s = 0.0 if self._was_steady(now_ns) else 1.0
        self._release(NodeState.WAITING, reason)
        self._answers.forget()
        self._back_off(now_ns, pause_s)

    def _release(self, state: NodeState, reason: str) -> None:
        """Enter a state in which our script does not run; report the loss if it was running."""
        if self.state is _READY:
            self._outbox.events.append(NodeLost(self.address, reason))
        self.state = state

    def _send(self, command: MessageType) -> None:
        self._outbox.messages.append(from_words(HOST_ID, command, [self.address.node_id]))

    def _fault(self, reason: str, now_ns: int) -> None:
        self._was_steady(now_ns)
        self._answers.forget()
        self._back_off(now_ns, 1.0)
        self._report_fault(reason)

    def _was_steady(self, now_ns: int) -> bool:
        """Return whether the script has been running steadily; if so, forget earlier failures."""
        if self.state is _READY and now_ns - self._ready_ns >= STEADY_S * 1e9:
            self._failures = 0
        return self._failures == 0

    def _back_off(self, now_ns: int, shortest_s: float) -> None:
        """Wait before the next upload: the shortest pause at first, twice as long after each failure."""
        backoff_s = min(shortest_s * 2**self._failures, MAX_BACKOFF_S)
        self._failures = min(self._failures + 1, 16)
        self._deadline_ns = now_ns + round(backoff_s * 1e9)
        self.state = NodeState.WAITING

    def _give_up(self, reason: str) -> None:
        self.state = NodeState.UNUSABLE
        self._report_fault(reason)

    def _report_fault(self, reason: str) -> None:
        """Report a fault once, until the node has been ready again or the reason changes."""
        if reason != self._reported_fault:
            self._reported_fault = reason
            self._outbox.events.append(NodeFaulted(self.address, reason))

    def _identified_node(self) -> Node:
        """Return the node, which is known after its identification."""
        if self.node is None:
            raise AssertionError("the node is not identified yet")
        return self.node
