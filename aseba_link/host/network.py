"""The host's role on a connection: finds nodes and keeps a session with each.

No input or output happens here: the owner passes in messages and the time, and empties the outbox.
"""

from typing import Final

from aseba_link.errors import MessageError
from aseba_link.host.description_collector import PROTOCOL_VERSION
from aseba_link.host.link_events import AnonymousEvent, Outbox
from aseba_link.host.node import Node, NodeAddress
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.host.session import NODE_TIMEOUT_S, NodeSession, NodeState
from aseba_link.wire.message import HOST_ID, Message, MessageType, from_words

LIST_PERIOD_S: Final = 1.0
# uploading all scripts at once would exceed the time nodes have to confirm theirs; robots become ready one by one
UPLOADS_AT_ONCE: Final = 16
# over radio this also limits identification; half of each is for nodes that have not confirmed that their script runs
NARROW_AT_ONCE: Final = 2
PATIENCE_S: Final = 10.0  # a node that is not identified within this time no longer delays others
MAX_NODES: Final = 512

_SILENT_NS: Final = int(NODE_TIMEOUT_S * 1e9)
_TO_ALL: Final = (MessageType.LIST_NODES, MessageType.GET_DESCRIPTION)  # their first word is not a node id
FIRST_HOST_TYPE: Final = 0xA000  # this type and higher ones are sent by hosts, not by nodes


class Network:
    """All nodes behind a connection; each connection gets its own.

    Parameters
    ----------
    target
        The configured name of the connection.
    script_policy
        Which scripts nodes receive, and how they are kept running.
    outbox
        Collects messages for the connection, and events.
    is_narrow
        Whether the connection is too slow to prepare more than a few nodes at a time.

    `dropped` counts malformed messages, `killed` events whose handler a node aborted because the next event arrived.
    """

    def __init__(self, target: str, script_policy: ScriptPolicy, outbox: Outbox, *, is_narrow: bool = False) -> None:
        self.dropped = 0
        self.killed = 0
        self._target = target
        self._script_policy = script_policy
        self._is_narrow = is_narrow
        self._outbox = outbox
        self._sessions: dict[int, NodeSession] = {}
        self._next_list_ns: int | None = None

    @property
    def nodes(self) -> dict[NodeAddress, Node]:
        """Nodes that are ready."""
        return {
            session.address: session.node
            for session in self._sessions.values()
            if session.node is not None and session.state is NodeState.READY
        }

    def session(self, node_id: int) -> NodeSession | None:
        """Return the session with a node; None while the node is unknown."""
        return self._sessions.get(node_id)

    def receive(self, message: Message, now_ns: int) -> None:
        """Process a message from the connection or from another host; never fails, whatever the message."""
        try:
            if message.type >= FIRST_HOST_TYPE:
                self._overhear(message, now_ns)
            elif message.is_user_event:
                if message.source != HOST_ID:
                    self._receive_event(message, now_ns)
            elif message.source != HOST_ID:
                self._receive_from_node(message, now_ns)
        except MessageError:
            self.dropped += 1

    def advance(self, now_ns: int) -> None:
        """Perform the actions due at this time."""
        if self._next_list_ns is None or now_ns >= self._next_list_ns:
            self._next_list_ns = now_ns + round(LIST_PERIOD_S * 1e9)
            self._outbox.messages.append(from_words(HOST_ID, MessageType.LIST_NODES, [PROTOCOL_VERSION]))
        for node_id, session in tuple(self._sessions.items()):
            if now_ns - session.received_ns > _SILENT_NS:
                self._lose(node_id, f"silent for {NODE_TIMEOUT_S:g} s")
            elif not self._is_narrow or self._may_advance(session, now_ns):
                session.advance(now_ns)

    def close(self, reason: str) -> None:
        """Report every node as disconnected, because the connection is lost."""
        for node_id in list(self._sessions):
            self._lose(node_id, reason)

    def _receive_event(self, message: Message, now_ns: int) -> None:
        if len(message.payload) & 1:
            raise MessageError("an event with half a word at its end")
        session = self._sessions.get(message.source)
        if session is not None:
            session.receive_event(message, now_ns)
            return
        address = NodeAddress(self._target, message.source)
        self._outbox.events.append(AnonymousEvent(address, message.type, message.words(), now_ns))

    def _receive_from_node(self, message: Message, now_ns: int) -> None:
        if message.type == MessageType.NODE_PRESENT:
            self._receive_present(message, now_ns)
        session = self._sessions.get(message.source)
        if session is None:
            return
        if message.type == MessageType.DISCONNECTED:
            self._lose(message.source, "it left the network")
        else:
            self.killed += message.type == MessageType.EVENT_EXECUTION_KILLED
            session.receive(message, now_ns)

    def _receive_present(self, message: Message, now_ns: int) -> None:
        """Start a session with a new node, or with a node whose protocol version has changed."""
        words = message.unsigned_words()
        if not words:
            raise MessageError("a node is present without a protocol version")
        known = self._sessions.get(message.source)
        if known is not None and known.protocol_version != words[0]:
            self._lose(message.source, "it reconnected with another firmware")
            known = None
        if known is None and len(self._sessions) < MAX_NODES:
            address = NodeAddress(self._target, message.source)
            session = NodeSession(address, words[0], self._script_policy, self._outbox, self._may_upload)
            session.received_ns = now_ns
            self._sessions[message.source] = session

    def _may_upload(self, is_again: bool) -> bool:
        """Return whether one more upload may start; after a failed upload the limit is half."""
        at_once = NARROW_AT_ONCE if self._is_narrow else UPLOADS_AT_ONCE
        uploading = sum(session.state is NodeState.UPLOADING for session in self._sessions.values())
        return uploading < (at_once // 2 if is_again else at_once)

    def _may_advance(self, session: NodeSession, now_ns: int) -> bool:
        """Return whether a node may proceed before others are identified."""
        if session.state is not NodeState.DESCRIBING or session.identification_start_ns is not None:
            return True
        since_ns = now_ns - int(PATIENCE_S * 1e9)
        starts_ns = (
            other.identification_start_ns for other in self._sessions.values() if other.state is NodeState.DESCRIBING
        )
        return sum(start_ns is not None and start_ns > since_ns for start_ns in starts_ns) < NARROW_AT_ONCE

    def _overhear(self, message: Message, now_ns: int) -> None:
        if message.type in _TO_ALL:
            return
        words = message.unsigned_words()
        session = self._sessions.get(words[0]) if words else None
        if session is not None:
            session.overhear(message, now_ns)

    def _lose(self, node_id: int, reason: str) -> None:
        session = self._sessions.pop(node_id)
        session.close(reason)
