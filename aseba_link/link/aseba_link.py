"""The link to all robots: every configured target, its connection and its network, driven by `AsebaLink.poll`."""

from collections.abc import Mapping, Sequence

from aseba_link.host.link_events import LinkEvent
from aseba_link.host.node import Node, NodeAddress
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.budget import Budget
from aseba_link.link.dialer import Dialer
from aseba_link.link.node_handle import NodeHandle
from aseba_link.link.switch import Switch
from aseba_link.link.target import parse_target
from aseba_link.link.target_link import TargetLink, TargetLinkState
from thymio_base.fence import Fence


class AsebaLink:
    """Keeps our script running on all nodes behind the targets, and passes events both ways without blocking.

    Parameters
    ----------
    targets
        Dashel target strings; each target has its own connection, so none delays another.
    script_policy
        Which scripts nodes receive, and how they are kept running.
    dialer
        Opens the connections.
    switch
        Lets other hosts reach the targets through us.
    joins_targets
        Whether nodes receive events from nodes on other targets, as behind an Aseba switch.
    budgets_hz
        Messages per second that each target carries, both ways together; unlisted targets have no limit.
    fence
        Notes exceptions; the target that causes one is reconnected.

    Raises
    ------
    TargetError
        A target string is invalid.
    """

    def __init__(
        self,
        targets: Sequence[str],
        script_policy: ScriptPolicy,
        dialer: Dialer,
        switch: Switch | None = None,
        joins_targets: bool = False,
        *,
        budgets_hz: Mapping[str, float] | None = None,
        fence: Fence | None = None,
    ) -> None:
        self._fence = fence if fence is not None else Fence()
        self.budgets = {target: Budget(messages_hz) for target, messages_hz in (budgets_hz or {}).items()}
        self._links = {
            target: TargetLink(
                target,
                parse_target(target),
                script_policy,
                dialer,
                self.budgets.get(target),
                is_shared=switch is not None,
            )
            for target in targets
        }
        self._switch = switch
        self._joins_targets = joins_targets

    def poll(self, now_ns: int) -> list[LinkEvent]:
        """Receive, process and send messages, and return the events; call at least about ten times per second.

        Messages held since `hold` are released.
        """
        events: list[LinkEvent] = []
        for target, link in self._links.items():
            events += self._poll(target, link, now_ns)
        if self._joins_targets:
            self._join()
        if self._switch is not None:
            try:
                self._exchange(self._switch, now_ns)
            except Exception as error:
                self._fence.note("switch", error)
        return events

    def _poll(self, target: str, link: TargetLink, now_ns: int) -> list[LinkEvent]:
        """Poll a target; after an exception break off its connection, whose state may be inconsistent."""
        try:
            return link.poll(now_ns)
        except Exception as error:
            link.break_off(self._fence.note(f"link to {target}", error), now_ns)
            return link.take_events()

    def _exchange(self, switch: Switch, now_ns: int) -> None:
        messages = [message for link in self._links.values() for message in (*link.pop_sent(), *link.received)]
        commands = switch.exchange(messages, now_ns)
        for link in self._links.values():
            link.forward(commands)

    def hold(self) -> None:
        """Hold outgoing messages until `release`, which sends them to each target in one piece."""
        for link in self._links.values():
            link.hold()

    def release(self) -> None:
        """Send the messages held since `hold`, and hold no more."""
        for link in self._links.values():
            link.release()

    def node(self, address: NodeAddress) -> NodeHandle:
        """Return the handle of the node at an address, even if no such node exists yet."""
        return NodeHandle(address, self._links.get(address.target))

    def broadcast(self, rank: int, args: Sequence[int]) -> None:
        """Send a non-urgent event to every node on every target, whatever script it runs; see `NodeHandle.emit`."""
        for link in self._links.values():
            link.broadcast(rank, args)

    @property
    def nodes(self) -> dict[NodeAddress, Node]:
        """Nodes that are ready, in the order of the targets."""
        return {address: node for link in self._links.values() for address, node in link.nodes.items()}

    @property
    def targets(self) -> dict[str, bool]:
        """Whether each target is connected, in the order of the configuration."""
        return {target: link.state is TargetLinkState.CONNECTED for target, link in self._links.items()}

    @property
    def dropped(self) -> int:
        """Number of malformed messages so far."""
        return sum(link.dropped for link in self._links.values())

    @property
    def emitted(self) -> int:
        """Number of events sent to nodes so far."""
        return sum(link.emitted for link in self._links.values())

    def close(self) -> None:
        """Close all connections, without events."""
        for link in self._links.values():
            link.close()
        if self._switch is not None:
            self._switch.close()

    def _join(self) -> None:
        """Send the events of each target's nodes to the nodes on the other targets."""
        events = {
            name: [message for message in link.received if message.is_user_event] for name, link in self._links.items()
        }
        for name, link in self._links.items():
            link.forward([message for other, messages in events.items() if other != name for message in messages])
