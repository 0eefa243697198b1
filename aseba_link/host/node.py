"""A node of an Aseba network as seen by its host."""

from dataclasses import dataclass, field
from typing import Final

from aseba_link.wire.description import NodeDescription


@dataclass(init=False, slots=True)
class NodeAddress:
    """The address of a node: the configured text of its target, and the node's id on that target.

    Ids are unique only within a target; robots on USB all have id 1.
    """

    target: Final[str]
    node_id: Final[int]
    _hash: int = field(init=False, repr=False)

    def __init__(self, target: str, node_id: int) -> None:
        self.target = target
        self.node_id = node_id
        self._hash = hash((target, node_id))  # needed for every event

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NodeAddress) and self.node_id == other.node_id and self.target == other.target

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return f"node {self.node_id} on {self.target}"


@dataclass(frozen=True, slots=True)
class Node:
    """A discovered node; `uuid` is 32 hexadecimal digits, or "" if the node reports none (protocol 5)."""

    address: NodeAddress
    description: NodeDescription
    uuid: str
