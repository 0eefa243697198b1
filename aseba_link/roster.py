"""The nodes of a network, in the order in which they get places: who is accepted, who is ignored, and why."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aseba_link.acceptance import Admission
from aseba_link.node import Node, NodeAddress

MAX_LOST = 256  # nodes that were accepted once and are remembered while they are gone

Admit = Callable[[Sequence[Node]], Mapping[NodeAddress, Admission]]


@dataclass(frozen=True, slots=True)
class Place:
    """An accepted node; one that is gone keeps its place until another needs it."""

    node: Node
    admission: Admission
    is_connected: bool


class Roster:
    """Keeps account of found and gone nodes; `admit` decides who is accepted, see `acceptance.admit`."""

    def __init__(self, admit: Admit) -> None:
        self._admit = admit
        self._present: dict[NodeAddress, Node] = {}
        self._lost: dict[NodeAddress, Node] = {}
        self.accepted: dict[NodeAddress, Place] = {}
        self.ignored: dict[NodeAddress, str] = {}  # present nodes, and why they are ignored

    @property
    def ignored_nodes(self) -> list[Node]:
        """The nodes that are there and are ignored."""
        return [node for address, node in self._present.items() if address in self.ignored]

    def find(self, node: Node) -> None:
        """Take in a node that is there, perhaps again."""
        self._lost.pop(node.address, None)
        self._present[node.address] = node
        self.update()

    def lose(self, address: NodeAddress) -> None:
        """Note that a node is gone."""
        node = self._present.pop(address, None)
        if node is not None and address in self.accepted:
            self._lost[address] = node
            while len(self._lost) > MAX_LOST:
                self._lost.pop(next(iter(self._lost)))
        self.update()

    def update(self) -> None:
        """Decide anew: those who have a place first, then the others as they came, then those who are gone."""
        seated = [node for address, node in self._present.items() if address in self.accepted]
        waiting = [node for address, node in self._present.items() if address not in self.accepted]
        lost = list(self._lost.values())
        admissions = self._admit([*seated, *waiting, *lost])
        nodes = self._present | self._lost
        self.accepted = {
            address: Place(nodes[address], admission, address in self._present)
            for address, admission in admissions.items()
            if not admission.refusal
        }
        self.ignored = {
            address: admission.refusal
            for address, admission in admissions.items()
            if admission.refusal and address in self._present
        }
        self._lost = {address: node for address, node in self._lost.items() if address in self.accepted}
