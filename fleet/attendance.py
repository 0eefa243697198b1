"""Which actions somebody on the graph has a client of."""

from rclpy.node import Node, NodeNameNonExistentError

_CANCEL = "/_action/cancel_goal"  # the service by which a client of an action cancels goals
_OURS = "/factory"  # the namespace of the nodes of robots; whoever has a client there is asked for one by one


class Attendance:
    """Knows the actions that have clients, as of when it looked at the graph.

    Counting the clients of one action goes through everything that is on the graph, most of which are our own robots;
    so the clients of all actions are looked up at once, by the nodes that are not robots. They are found by their
    services: what rclpy has for actions loses some kilobytes with each call.

    Parameters
    ----------
    node : sees the graph
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._attended: set[str] = set()

    def look(self) -> None:
        """Look at the graph."""
        self._attended = {
            action
            for name, namespace in self._node.get_node_names_and_namespaces()
            if namespace != _OURS
            for action in self._actions_of(name, namespace)
        }

    def has_client(self, action: str) -> bool:
        """Whether anybody could cancel goals of an action.

        Of several nodes of the same name the graph tells the clients of one only; so what was not seen is counted.
        """
        return action in self._attended or bool(self._node.count_clients(action + _CANCEL))

    def _actions_of(self, name: str, namespace: str) -> list[str]:
        try:
            clients = self._node.get_client_names_and_types_by_node(name, namespace)
        except NodeNameNonExistentError:  # it has just left
            return []
        return [service.removesuffix(_CANCEL) for service, _ in clients if service.endswith(_CANCEL)]
