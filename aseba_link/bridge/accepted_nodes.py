"""The nodes of a network: which are accepted, which are ignored, and why."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aseba_link.bridge.acceptance import Admission
from aseba_link.host.node import Node, NodeAddress

MAX_LOST = 256  # accepted nodes remembered while they are disconnected

Admit = Callable[[Sequence[Node]], Mapping[NodeAddress, Admission]]


@dataclass(frozen=True, slots=True)
class NodePlace:
    """An accepted node; after a disconnection it keeps its place until another node needs it."""

    node: Node
    admission: Admission
    is_connected: bool


class AcceptedNodes:
    """Tracks connected and disconnected nodes; `admit` decides which are accepted, see `acceptance.admit`."""

    def __init__(self, admit: Admit) -> None:
        self._admit = admit
        self._present: dict[NodeAddress, Node] = {}
        self._lost: dict[NodeAddress, Node] = {}
        self.accepted: dict[NodeAddress, NodePlace] = {}
        self.ignored: dict[NodeAddress, str] = {}  # connected nodes, and why they are ignored

    @property
    def ignored_nodes(self) -> list[Node]:
        """Connected nodes that are ignored."""
        return [node for address, node in self._present.items() if address in self.ignored]

    def add(self, node: Node) -> None:
        """Add a node that has connected or reconnected."""
        self._lost.pop(node.address, None)
        self._present[node.address] = node
        self.update()

    def mark_disconnected(self, address: NodeAddress) -> None:
        """Mark a node as disconnected."""
        node = self._present.pop(address, None)
        if node is not None and address in self.accepted:
            self._lost[address] = node
            while len(self._lost) > MAX_LOST:
                self._lost.pop(next(iter(self._lost)))
        self.update()

    def update(self) -> None:
        """Decide again: first nodes with a place, then others in order of arrival, then disconnected nodes."""
        accepted = [node for address, node in self._present.items() if address in self.accepted]
        waiting = [node for address, node in self._present.items() if address not in self.accepted]
        lost = list(self._lost.values())
        admissions = self._admit([*accepted, *waiting, *lost])
        nodes = self._present | self._lost
        self.accepted = {
            address: NodePlace(nodes[address], admission, address in self._present)
            for address, admission in admissions.items()
            if not admission.refusal
        }
        self.ignored = {
            address: admission.refusal
            for address, admission in admissions.items()
            if admission.refusal and address in self._present
        }
        self._lost = {address: node for address, node in self._lost.items() if address in self.accepted}
