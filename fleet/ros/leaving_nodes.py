"""Nodes of robots that this driver no longer serves: they are destroyed over several ticks."""

import time
from functools import partial

from rclpy.executors import Executor
from rclpy.node import Node

from thymio_base.parts import WorkInParts
from thymio_base.ros.executors import destruction, retire


class LeavingNodes:
    """Destroys nodes, one entity after the other.

    While a node is here, its robot must not get a new node: rmw confuses the entities of two nodes with the same name
    in one process.
    """

    def __init__(self) -> None:
        self._destructions: dict[int, WorkInParts[None] | None] = {}  # None while an executor still serves the node
        self._is_over = False

    def __len__(self) -> int:
        """Return how many nodes are left."""
        return len(self._destructions)

    def __contains__(self, robot_id: int) -> bool:
        """Return whether the node of a robot is left."""
        return robot_id in self._destructions

    def add(self, robot_id: int, node: Node, executor: Executor | None = None) -> None:
        """Destroy the node of a robot, once its executor has released it."""
        if executor is None:
            self._begin(robot_id, node)
        else:
            self._destructions[robot_id] = None
            retire(executor, node, partial(self._begin, robot_id, node))

    def step(self, until_s: float) -> None:
        """Destroy entities until an instant of the monotonic clock, at least one of them."""
        for robot_id, destroying in list(self._destructions.items()):
            while destroying is not None and self._destructions.get(robot_id) is destroying:
                del self._destructions[robot_id]  # an exception is not repeated
                if destroying.do_part():
                    self._destructions[robot_id] = destroying
                if time.monotonic() >= until_s:
                    return

    def finish(self) -> None:
        """Destroy everything left at once, and from now on every node when it is added."""
        self._is_over = True
        for destroying in self._destructions.values():
            while destroying is not None and destroying.do_part():
                pass

    def _begin(self, robot_id: int, node: Node) -> None:
        """Start destroying a node that no executor serves."""
        if self._is_over:
            node.destroy_node()
        else:
            self._destructions[robot_id] = WorkInParts(destruction(node))
