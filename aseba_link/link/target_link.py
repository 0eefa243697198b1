"""A configured target: dials it, feeds its network, and dials again when the connection breaks."""

from collections.abc import Sequence
from concurrent.futures import Future
from enum import Enum, auto
from typing import Final

from aseba_link.errors import ConnectionLostError, MessageError
from aseba_link.host.link_events import LinkEvent, Outbox, TargetConnected, TargetLost
from aseba_link.host.network import FIRST_HOST_TYPE, Network
from aseba_link.host.node import Node, NodeAddress
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.host.session import NodeSession
from aseba_link.link.budget import Budget
from aseba_link.link.connection import MAX_RECEIVED, Connection
from aseba_link.link.dialer import Dialer
from aseba_link.link.peer import Peer
from aseba_link.link.target import Target
from aseba_link.wire.message import HEADER_SIZE, HOST_ID, Message, user_event

SHORTEST_PAUSE_S = 0.5  # between attempts; the Aseba playground crashes if dialled within 10 ms of a close
LONGEST_PAUSE_S = 5.0
STEADY_S = 5.0  # after a connection that lasted this long, pauses start from the shortest again
MAX_WAITING: Final = 0x2000  # bytes; further messages from others are dropped, so that ours reach a slow peer in time
_READS: Final = 4  # at most per poll; enough for a hundred nodes describing themselves
MAX_STALE: Final = 0x100  # bytes, about ten commands; with more unread, a peer gets only urgent messages


class TargetLinkState(Enum):
    """State of a target."""

    PAUSING = auto()  # waiting for the next attempt
    DIALLING = auto()  # an attempt is in progress
    CONNECTED = auto()  # bytes can flow
    CLOSED = auto()  # permanently


_CONNECTED: Final = TargetLinkState.CONNECTED  # looked up once: needed for every poll


class TargetLink:
    """The link to a target; its events report an outage once, and again only when the reason changes.

    Parameters
    ----------
    is_shared : whether other hosts receive our messages; see `pop_sent`

    `now_ns` is the time of the latest poll, `emitted` the number of events sent to individual nodes.
    """

    def __init__(
        self,
        name: str,
        target: Target,
        script_policy: ScriptPolicy,
        dialer: Dialer,
        budget: Budget | None = None,
        *,
        is_shared: bool = True,
    ) -> None:
        self.state = TargetLinkState.PAUSING
        self.now_ns = 0
        self.emitted = 0
        self._name = name
        self._target = target
        self._script_policy = script_policy
        self._dialer = dialer
        self._budget = budget
        self._is_shared = is_shared
        self._backlog = 0  # bytes from earlier polls that the peer has not read
        self._attempt: Future[Connection] = Future()
        self._peer: Peer | None = None
        self._outbox = Outbox()
        self._network = self._new_network()
        self._received: list[Message] = []
        self._sent: list[Message] = []
        self._dropped_before = 0
        self._pause_s = SHORTEST_PAUSE_S
        self._dial_ns = 0
        self._connected_ns = 0
        self._reported_reason = ""

    @property
    def nodes(self) -> dict[NodeAddress, Node]:
        """Nodes that are ready."""
        return self._network.nodes

    @property
    def dropped(self) -> int:
        """Number of malformed messages so far."""
        return self._dropped_before + self._network.dropped

    def session(self, node_id: int) -> NodeSession | None:
        """Return the session with a node, None while the node is unknown; `flush` sends its messages."""
        return self._network.session(node_id)

    def poll(self, now_ns: int) -> list[LinkEvent]:
        """Dial, receive and send without blocking; return the events."""
        self.release()
        self.now_ns = now_ns
        self._received = []
        if self._budget is not None:
            self._budget.advance(now_ns)
        if self.state is not _CONNECTED:
            self._dial(now_ns)
        if self.state is _CONNECTED:
            self._exchange(now_ns)
        return self.take_events()

    def take_events(self) -> list[LinkEvent]:
        """Return the events since the last call."""
        events, self._outbox.events = self._outbox.events, []
        return events

    def hold(self) -> None:
        """Hold outgoing messages until `release`."""
        if self._peer is not None:
            self._peer.hold()

    def release(self) -> None:
        """Send the held messages, and hold no more; `poll` does the same, so nothing is held for long."""
        if self._peer is None:
            return
        try:
            self._peer.release()
        except ConnectionLostError as error:
            self._disconnect(str(error), self.now_ns)

    def has_room(self, is_late: bool) -> bool:
        """Return whether the peer keeps reading and the budget has room for a message that can wait."""
        return self._backlog <= MAX_STALE and (self._budget is None or self._budget.allows(is_late))

    @property
    def received(self) -> list[Message]:
        """Messages from nodes in the latest poll, for other hosts."""
        return self._received

    def pop_sent(self) -> list[Message]:
        """Return the messages that we have sent since the last call, for other hosts."""
        sent, self._sent = self._sent, []
        return sent

    def forward(self, messages: Sequence[Message]) -> None:
        """Send messages of another host or network, and pass those of hosts to our network."""
        if self.state is not _CONNECTED:
            return
        for message in messages:
            if message.source == HOST_ID or message.type >= FIRST_HOST_TYPE:  # some hosts have an id (thymiodirect)
                self._network.receive(message, self.now_ns)
        fitting = self._fitting(messages)
        self._dropped_before += len(messages) - len(fitting)
        self._send_all(fitting)

    def _fitting(self, messages: Sequence[Message]) -> Sequence[Message]:
        """Return the first of `messages`, as many as may be queued for a slow peer."""
        room = MAX_WAITING - self._connected_peer().connection.queued
        for count, message in enumerate(messages):
            room -= HEADER_SIZE + len(message.payload)
            if room < 0:
                return messages[:count]
        return messages

    def post(self, message: Message) -> bool:
        """Queue a message and `flush`; also False if there is no connection."""
        if self._peer is None:
            return False
        self._outbox.messages.append(message)
        return self.flush()

    def flush(self) -> bool:
        """Send the queued messages, or keep them for `release` while held; False if that breaks the connection."""
        messages, self._outbox.messages = self._outbox.messages, []
        if not messages:
            return True
        if self._is_shared:
            self._sent += messages
        return self._send_all(messages)

    def broadcast(self, rank: int, args: Sequence[int]) -> None:
        """See `AsebaLink.broadcast`."""
        if not self.keeps_up:
            self._dropped_before += 1
        elif self.state is _CONNECTED:
            self.post(user_event(rank, args))

    @property
    def keeps_up(self) -> bool:
        """Whether the peer reads fast enough for non-urgent messages, which are dropped otherwise."""
        return self._peer is None or self._peer.connection.queued < MAX_WAITING

    def break_off(self, reason: str, now_ns: int) -> None:
        """Close the connection, whatever its state, and reconnect after a pause."""
        if self._peer is not None:
            self._disconnect(reason, now_ns)
        elif self.state is not TargetLinkState.CLOSED:
            self._pause(reason, now_ns)

    def close(self) -> None:
        """Close the connection permanently; a pending attempt is closed when it succeeds."""
        if self.state is TargetLinkState.DIALLING:
            self._attempt.add_done_callback(_close_result)
        if self._peer is not None:
            self._peer.connection.close()
            self._peer = None
        self._network = self._new_network()
        self._outbox.events.clear()
        self.state = TargetLinkState.CLOSED

    def _new_network(self) -> Network:
        """Return a network without nodes; discard messages queued for an earlier connection."""
        self._outbox.messages.clear()
        return Network(self._name, self._script_policy, self._outbox, is_narrow=self._budget is not None)

    def _finish_attempt(self, now_ns: int) -> None:
        try:
            self._peer = Peer(self._attempt.result(), now_ns)
        except ConnectionLostError as error:
            self._pause(str(error), now_ns)
            return
        self.state = TargetLinkState.CONNECTED
        self._connected_ns = now_ns
        self._reported_reason = ""
        self._dropped_before = self.dropped
        self._network = self._new_network()
        self._outbox.events.append(TargetConnected(self._name))

    def _dial(self, now_ns: int) -> None:
        if self.state is TargetLinkState.PAUSING and now_ns >= self._dial_ns:
            self.state = TargetLinkState.DIALLING
            self._attempt = self._dialer.dial(self._target)
        if self.state is TargetLinkState.DIALLING and self._attempt.done():
            self._finish_attempt(now_ns)

    def _exchange(self, now_ns: int) -> None:
        """Receive and send once; close a broken connection."""
        try:
            self._receive(now_ns)
        except (ConnectionLostError, MessageError) as error:
            self._disconnect(str(error), now_ns)
            return
        self._backlog = self._connected_peer().connection.queued
        self._network.advance(now_ns)
        self.flush()

    def _receive(self, now_ns: int) -> None:
        peer = self._connected_peer()
        self._received = []
        for _ in range(_READS):
            received = peer.receive(now_ns)
            self._received += received
            for message in received:
                self._network.receive(message, now_ns)
            if peer.received_size < MAX_RECEIVED:
                break
        if self._budget is not None:
            self._budget.receive(len(self._received))

    def _send_all(self, messages: Sequence[Message]) -> bool:
        """Send messages, or keep them for `release` while held; False without a connection, or if sending breaks it."""
        peer = self._peer
        if peer is None:
            return False
        if self._budget is not None:
            self._budget.send(len(messages))
        try:
            peer.send(messages)
        except ConnectionLostError as error:
            self._disconnect(str(error), self.now_ns)
            return False
        return True

    def _disconnect(self, reason: str, now_ns: int) -> None:
        """Close the connection and report its nodes as disconnected."""
        self._connected_peer().connection.close()
        self._peer = None
        self._network.close(f"{self._name} disconnected: {reason}")
        if now_ns - self._connected_ns >= STEADY_S * 1e9:
            self._pause_s = SHORTEST_PAUSE_S
        self._pause(reason, now_ns)

    def _pause(self, reason: str, now_ns: int) -> None:
        """Wait before the next attempt, twice as long after each failure."""
        self.state = TargetLinkState.PAUSING
        self._dial_ns = now_ns + round(self._pause_s * 1e9)
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        if reason != self._reported_reason:
            self._reported_reason = reason
            self._outbox.events.append(TargetLost(self._name, reason))

    def _connected_peer(self) -> Peer:
        if self._peer is None:
            raise AssertionError(f"{self._name} is not connected")
        return self._peer


def _close_result(attempt: Future[Connection]) -> None:
    """Close the connection of an attempt that is no longer needed."""
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().close()
