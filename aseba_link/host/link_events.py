"""The events that a link reports to its owner, in chronological order."""

from dataclasses import dataclass
from typing import Final

from aseba_link.host.node import Node, NodeAddress
from aseba_link.wire.message import Message


@dataclass(frozen=True, slots=True)
class TargetConnected:
    """A configured target answered; its nodes are being discovered."""

    target: str


@dataclass(frozen=True, slots=True)
class TargetLost:
    """A target cannot be reached or its connection broke; the link keeps trying."""

    target: str
    reason: str


@dataclass(frozen=True, slots=True)
class NodeFound:
    """A node was identified; it may or may not receive a script."""

    node: Node


@dataclass(frozen=True, slots=True)
class NodeReady:
    """A node runs our script: it now accepts commands and sends reports. Repeated each time the node reconnects.

    `is_loaded`: the script was loaded onto this node in place of the script for all nodes.
    """

    node: Node
    is_loaded: bool = False


@dataclass(frozen=True, slots=True)
class NodeLost:
    """A ready node no longer runs our script: it is disconnected, or the script was stopped or replaced."""

    address: NodeAddress
    reason: str


@dataclass(frozen=True, slots=True)
class NodeDisconnected:
    """A known node is silent, or the connection to its target broke."""

    address: NodeAddress
    reason: str


@dataclass(frozen=True, slots=True)
class NodeFaulted:
    """A node is connected but cannot run our script (compiler, memory, run-time error); `reason` is human-readable."""

    address: NodeAddress
    reason: str


@dataclass(init=False, unsafe_hash=True, slots=True)
class UserEvent:
    """A script emitted event `rank` with `args` (signed words); `stamp_ns` is when the link read it."""

    address: Final[NodeAddress]
    rank: Final[int]
    args: Final[tuple[int, ...]]
    stamp_ns: Final[int]

    def __init__(self, address: NodeAddress, rank: int, args: tuple[int, ...], stamp_ns: int) -> None:
        self.address = address
        self.rank = rank
        self.args = args
        self.stamp_ns = stamp_ns


@dataclass(init=False, unsafe_hash=True, slots=True)
class AnonymousEvent:
    """An event without a known name, from a node that does not run our script."""

    address: Final[NodeAddress]
    rank: Final[int]
    args: Final[tuple[int, ...]]
    stamp_ns: Final[int]

    def __init__(self, address: NodeAddress, rank: int, args: tuple[int, ...], stamp_ns: int) -> None:
        self.address = address
        self.rank = rank
        self.args = args
        self.stamp_ns = stamp_ns


@dataclass(frozen=True, slots=True)
class VariablesRead:
    """The answer to `NodeHandle.request_variable`: the words of variable `name`."""

    address: NodeAddress
    name: str
    values: tuple[int, ...]
    stamp_ns: int


LinkEvent = (
    TargetConnected
    | TargetLost
    | NodeFound
    | NodeReady
    | NodeLost
    | NodeDisconnected
    | NodeFaulted
    | UserEvent
    | AnonymousEvent
    | VariablesRead
)


class Outbox:
    """Queues messages for the connection, and events for the owner, which removes them."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.events: list[LinkEvent] = []
