"""Tracks which actions have a client on the ROS graph."""

from typing import Protocol

from rclpy.node import Node, NodeNameNonExistentError

_CANCEL = "/_action/cancel_goal"  # the service through which an action client cancels goals
_OURS = "/factory"  # the namespace of the robots' nodes; clients there are counted action by action


class Presence(Protocol):
    """Knows which actions have clients."""

    def clients(self, action: str) -> tuple[str, ...]:
        """Return the full names of the nodes seen so far that could cancel goals of an action."""

    def has_client(self, action: str) -> bool:
        """Whether any client could cancel goals of an action."""


class ClientPresence:
    """Tracks which actions have clients, as of the last query of the graph.

    Counting the clients of one action scans the whole graph, which consists mostly of our own robots; so the clients
    of all actions are looked up at once, on the nodes that are not robots. They are found by their services: rclpy's
    own functions for actions leak some kilobytes with each call.

    Parameters
    ----------
    node : queries the graph
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._clients: dict[str, list[str]] = {}  # full names of nodes, by action

    def update(self) -> None:
        """Query the graph."""
        self._clients = {}
        for name, namespace in self._node.get_node_names_and_namespaces():
            if namespace != _OURS:
                for action in self._actions_of(name, namespace):
                    self._clients.setdefault(action, []).append(f"{namespace.rstrip('/')}/{name}")

    def clients(self, action: str) -> tuple[str, ...]:
        """Return the full names of the nodes seen so far that could cancel goals of an action."""
        return tuple(sorted(self._clients.get(action, ())))

    def has_client(self, action: str) -> bool:
        """Whether any client could cancel goals of an action.

        Of several nodes with the same name, the graph lists the clients of only one; so an action that was not seen to
        have a client is counted.
        """
        return action in self._clients or bool(self._node.count_clients(action + _CANCEL))

    def _actions_of(self, name: str, namespace: str) -> list[str]:
        try:
            clients = self._node.get_client_names_and_types_by_node(name, namespace)
        except NodeNameNonExistentError:  # it has just left
            return []
        return [service.removesuffix(_CANCEL) for service, _ in clients if service.endswith(_CANCEL)]
