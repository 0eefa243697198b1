"""A network and its nodes, joined without a connection."""

from collections.abc import Callable
from typing import TypeVar

from aseba_link.host.link_events import LinkEvent, NodeFaulted, NodeLost, NodeReady, Outbox
from aseba_link.host.network import Network
from aseba_link.host.node import NodeAddress
from aseba_link.host.script_policy import ScriptFor, ScriptPolicy
from aseba_link.host.session import NodeSession, NodeState
from aseba_link.wire.bytecode import CompiledScript
from aseba_link.wire.message import Message, MessageType
from harness.aseba.fake_node import FakeNode, small_description

Kind = TypeVar("Kind", bound=LinkEvent)

SCRIPT = CompiledScript(tuple(range(3, 603)))
STEP_NS = 10_000_000


def keep(messages: list[Message]) -> list[Message]:
    return messages


class Wire:
    """A network and its nodes on one clock; `disturb` acts on the nodes' answers in transit.

    While `is_frozen`, as programs are that get no processor, nodes neither read nor send; then they read what waits.
    They freeze by themselves when a message of the type `freezes_at` is about to be read.
    """

    def __init__(
        self,
        *nodes: FakeNode,
        script_for: ScriptFor = lambda _: SCRIPT,
        script_policy: ScriptPolicy | None = None,
        is_narrow: bool = False,
    ) -> None:
        self.nodes = list(nodes)
        self.outbox = Outbox()
        self.network = Network("tcp:x", script_policy or ScriptPolicy(script_for), self.outbox, is_narrow=is_narrow)
        self.events: list[LinkEvent] = []
        self.disturb: Callable[[list[Message]], list[Message]] = keep
        self.now_ns = 0
        self.reporting = True
        self.is_frozen = False
        self.freezes_at: MessageType | None = None
        self._unread: list[Message] = []

    def step(self) -> None:
        """Let 10 ms pass; running nodes report every 50 ms."""
        self.now_ns += STEP_NS
        self.network.advance(self.now_ns)
        self._unread += self.sent()
        for message in self._read():
            for node in self.nodes:
                for answer in self.disturb(node.handle(message)):
                    self.network.receive(answer, self.now_ns)
        if self.reporting and not self.is_frozen and self.now_ns % (5 * STEP_NS) == 0:
            for node in self.nodes:
                if node.running:
                    self.network.receive(node.odometry(), self.now_ns)
        self.events += self.outbox.events
        self.outbox.events.clear()

    def _read(self) -> list[Message]:
        """Return what the nodes read now."""
        if any(message.type == self.freezes_at for message in self._unread):
            self.is_frozen, self.freezes_at = True, None
        if self.is_frozen:
            return []
        messages, self._unread = self._unread, []
        return messages

    def sent(self) -> list[Message]:
        """Return the messages that the network has sent since the last call."""
        messages, self.outbox.messages = self.outbox.messages, []
        return messages

    def session(self, node_id: int = 1) -> NodeSession:
        """Return the session with a discovered node."""
        session = self.network.session(node_id)
        assert session is not None
        return session

    def run(self, duration_s: float) -> None:
        for _ in range(round(duration_s * 1e9 / STEP_NS)):
            self.step()

    def deliver(self, *messages: Message) -> None:
        for message in messages:
            self.network.receive(message, self.now_ns)

    def of_kind(self, kind: type[Kind]) -> list[Kind]:
        return [event for event in self.events if isinstance(event, kind)]

    def outages(self) -> list[LinkEvent]:
        return [event for event in self.events if isinstance(event, NodeReady | NodeLost | NodeFaulted)]


def address(node_id: int = 1) -> NodeAddress:
    return NodeAddress("tcp:x", node_id)


def ready_wire() -> Wire:
    wire = Wire(FakeNode())
    wire.run(1)
    assert wire.session().state is NodeState.READY
    wire.events.clear()
    return wire


def old_node() -> FakeNode:
    return FakeNode(1, small_description(5))
