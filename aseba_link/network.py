"""The host's role on one connection: finds nodes, keeps our script running on them, reads variables.

No input or output happens here: the owner brings messages and the time, and takes messages and events away.
"""

from collections.abc import Sequence

from aseba_link.description_collector import PROTOCOL_VERSION
from aseba_link.errors import MessageError
from aseba_link.event import LinkEvent, NodeLost
from aseba_link.message import HOST_ID, Message, MessageType, from_words
from aseba_link.node import Node, NodeAddress
from aseba_link.session import NodeSession, NodeState, Outbox, ScriptFor
from aseba_link.variable_requests import VariableRequests

LIST_PERIOD_S = 1.0
NODE_TIMEOUT_S = 3.0  # as Aseba's own NodesManager
EVENT_TIMEOUT_S = 1.5
MAX_NODES = 512

_FIRST_HOST_TYPE = 0xA000  # from here on messages come from hosts, not from nodes


class Network:
    """Everything that one connection leads to; made anew for each connection.

    Parameters
    ----------
    target
        The name under which the connection is configured.
    script_for
        Gives the script for nodes with a description: at once, later (a future), or None where there is none.
    event_timeout_s
        A script of which no event came for so long, while its node still answers, is taken for lost; None for
        scripts that may be silent.

    `dropped` counts malformed messages, `killed` events that the node broke off because the next one came.
    """

    def __init__(self, target: str, script_for: ScriptFor, event_timeout_s: float | None = EVENT_TIMEOUT_S) -> None:
        self.dropped = 0
        self.killed = 0
        self._target = target
        self._script_for = script_for
        self._event_timeout_s = event_timeout_s
        self._outbox = Outbox()
        self._sessions: dict[int, NodeSession] = {}
        self._variables = VariableRequests()
        self._next_list_ns: int | None = None

    @property
    def nodes(self) -> dict[NodeAddress, Node]:
        """The nodes that are ready."""
        return {
            session.address: session.node
            for session in self._sessions.values()
            if session.node is not None and session.state is NodeState.READY
        }

    def state(self, node_id: int) -> NodeState | None:
        """Return how far a node is, or None while it is not known."""
        session = self._sessions.get(node_id)
        return None if session is None else session.state

    def receive(self, message: Message, now_ns: int) -> None:
        """Take a message from the connection; whatever it is, this does not fail."""
        if message.source == HOST_ID or message.type >= _FIRST_HOST_TYPE:
            return
        try:
            self._receive_from_node(message, now_ns)
        except MessageError:
            self.dropped += 1

    def advance(self, now_ns: int) -> None:
        """Do what is due at this time."""
        if self._next_list_ns is None or now_ns >= self._next_list_ns:
            self._next_list_ns = now_ns + round(LIST_PERIOD_S * 1e9)
            self._outbox.messages.append(from_words(HOST_ID, MessageType.LIST_NODES, [PROTOCOL_VERSION]))
        for node_id, session in list(self._sessions.items()):
            if now_ns - session.heard_ns > NODE_TIMEOUT_S * 1e9:
                self._lose(node_id, f"silent for {NODE_TIMEOUT_S:g} s")
            else:
                session.advance(now_ns)
        self._variables.advance(now_ns)

    def emit(self, node_id: int, rank: int, args: Sequence[int]) -> bool:
        """Send event `rank` if the node is ready; every node of the network gets it.

        Raises
        ------
        MessageError
            The arguments do not fit into an event.
        """
        if self.state(node_id) is not NodeState.READY:
            return False
        self._outbox.messages.append(from_words(HOST_ID, rank, args))
        return True

    def request_variable(self, node_id: int, name: str, now_ns: int) -> bool:
        """Ask a ready node for a variable; False if it is not ready or has none of that name."""
        session = self._sessions.get(node_id)
        if session is None or session.node is None or session.state is not NodeState.READY:
            return False
        start = session.node.description.address(name)
        if start is None:
            return False
        size = next(variable.size for variable in session.node.description.variables if variable.name == name)
        self._outbox.messages += self._variables.ask(session.address, name, start, size, now_ns)
        return True

    def take_messages(self) -> list[Message]:
        """Return the messages to send since the last call."""
        messages, self._outbox.messages = self._outbox.messages, []
        return messages

    def take_events(self) -> list[LinkEvent]:
        """Return what happened since the last call."""
        events, self._outbox.events = self._outbox.events, []
        return events

    def close(self, reason: str) -> None:
        """Lose every node, because the connection is gone."""
        for node_id in list(self._sessions):
            self._lose(node_id, reason)

    def _receive_from_node(self, message: Message, now_ns: int) -> None:
        if message.type == MessageType.NODE_PRESENT:
            self._receive_present(message, now_ns)
        session = self._sessions.get(message.source)
        if session is None:
            return
        if message.type == MessageType.DISCONNECTED:
            self._lose(message.source, "it said good-bye")
        elif message.type == MessageType.VARIABLES:
            session.heard_ns = now_ns
            self._outbox.events += self._variables.receive(message, now_ns)
        else:
            self.killed += message.type == MessageType.EVENT_EXECUTION_KILLED
            session.receive(message, now_ns)

    def _receive_present(self, message: Message, now_ns: int) -> None:
        """Begin with a node that is new, or that speaks another protocol than before."""
        words = message.unsigned_words()
        if not words:
            raise MessageError("a node is present without a protocol version")
        known = self._sessions.get(message.source)
        if known is not None and known.protocol_version != words[0]:
            self._lose(message.source, "it came back with another firmware")
            known = None
        if known is None and len(self._sessions) < MAX_NODES:
            address = NodeAddress(self._target, message.source)
            session = NodeSession(address, words[0], self._script_for, self._event_timeout_s, self._outbox)
            session.heard_ns = now_ns
            self._sessions[message.source] = session

    def _lose(self, node_id: int, reason: str) -> None:
        session = self._sessions.pop(node_id)
        self._variables.forget(node_id)
        if session.state is NodeState.READY:
            self._outbox.events.append(NodeLost(session.address, reason))
