"""The link to all robots: every configured target, its connection and its network, driven by `AsebaLink.poll`."""

from collections.abc import Sequence

from aseba_link.dialer import Dialer
from aseba_link.event import LinkEvent
from aseba_link.line import Line, LineState
from aseba_link.network import EVENT_TIMEOUT_S
from aseba_link.node import Node, NodeAddress
from aseba_link.session import ScriptFor
from aseba_link.target import parse_target


class AsebaLink:
    """Keeps our script running on every node behind the targets, and passes events both ways; nothing here waits.

    Parameters
    ----------
    targets
        Dashel target strings; each is reached on its own, so that none delays another.
    script_for
        Gives the script for nodes with a description, see `Network`.
    dialer
        Opens the connections.
    event_timeout_s
        See `Network`.

    Raises
    ------
    TargetError
        A target string is wrong.
    """

    def __init__(
        self,
        targets: Sequence[str],
        script_for: ScriptFor,
        dialer: Dialer,
        event_timeout_s: float | None = EVENT_TIMEOUT_S,
    ) -> None:
        self._lines = {
            target: Line(target, parse_target(target), script_for, dialer, event_timeout_s) for target in targets
        }

    def poll(self, now_ns: int) -> list[LinkEvent]:
        """Receive, do what is due, send, and return what happened; call it at least some ten times per second."""
        return [event for line in self._lines.values() for event in line.poll(now_ns)]

    def emit(self, address: NodeAddress, rank: int, args: Sequence[int]) -> bool:
        """Send an event on the node's connection at once; False if the node is not ready.

        All nodes of that connection receive it, so a script must look for its own id in `args`.

        Raises
        ------
        MessageError
            The arguments do not fit into an event.
        """
        line = self._lines.get(address.target)
        return line is not None and line.emit(address.node_id, rank, args)

    def request_variable(self, address: NodeAddress, name: str) -> bool:
        """Ask for a variable; `VariablesRead` follows, or nothing. False if the node is not ready or has none such."""
        line = self._lines.get(address.target)
        return line is not None and line.request_variable(address.node_id, name)

    @property
    def nodes(self) -> dict[NodeAddress, Node]:
        """The nodes that are ready, in the order of the targets."""
        return {address: node for line in self._lines.values() for address, node in line.nodes.items()}

    @property
    def targets(self) -> dict[str, bool]:
        """Whether each target is connected, in the order of the configuration."""
        return {target: line.state is LineState.CONNECTED for target, line in self._lines.items()}

    @property
    def dropped(self) -> int:
        """Number of malformed messages so far."""
        return sum(line.dropped for line in self._lines.values())

    def close(self) -> None:
        """Close all connections, without events."""
        for line in self._lines.values():
            line.close()
