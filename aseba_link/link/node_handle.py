"""A handle for the commands to one node behind a link."""

from collections.abc import Sequence
from typing import Final

from aseba_link.host.node import NodeAddress
from aseba_link.host.session import NodeSession, NodeState
from aseba_link.link.target_link import TargetLink
from aseba_link.wire.bytecode import CompiledScript
from aseba_link.wire.description import Variable
from aseba_link.wire.message import HOST_ID, MessageType, from_words, user_event

_READY: Final = NodeState.READY  # looked up once: needed for every command


class NodeHandle:
    """Sends commands to the node at one address; stays valid while nodes disconnect and reconnect there.

    Parameters
    ----------
    address : the node's address; there need not be a node there
    target : the link to the node's target; None if there is no such target
    """

    def __init__(self, address: NodeAddress, target: TargetLink | None) -> None:
        self.address = address
        self._target = target

    def has_room(self, is_late: bool = False) -> bool:
        """Whether a message that can wait may be sent now: the node's target keeps reading and is within its budget.

        If a message that `is_late` already must wait again, the target counts as over its budget.
        Queued messages would be obeyed late: senders drop them, and later send only the newest one.
        """
        return self._target is not None and self._target.has_room(is_late)

    def emit(self, rank: int, args: Sequence[int], *, is_urgent: bool = True) -> bool:
        """Send an event on the node's connection, at once unless held; False if the node is not ready.

        All nodes of that connection receive it, so a script must check `args` for its own id. A non-urgent event is not
        sent either while many bytes are queued for a slow connection.

        Raises
        ------
        MessageError
            The arguments do not fit into an event, or `rank` is not that of an event.
        """
        target = self._target
        if target is None or not (is_urgent or target.keeps_up):
            return False
        session = target.session(self.address.node_id)
        if session is None or session.state is not _READY or not target.post(user_event(rank, args)):
            return False
        target.emitted += 1
        return True

    def load(self, script: CompiledScript) -> bool:
        """Upload another script than that of `script_policy`; False until the node is identified.

        `NodeReady` follows, or `NodeFaulted`.
        """
        target, session = self._target, self._session()
        if target is None or session is None:
            return False
        return session.load(script, target.now_ns) and target.flush()

    def restore(self) -> bool:
        """Upload the script of `script_policy` again; False until the node is identified."""
        target, session = self._target, self._session()
        if target is None or session is None:
            return False
        return session.restore(target.now_ns) and target.flush()

    def abandon(self) -> None:
        """Leave the node to other programs until `load` or `restore`, without touching its script."""
        session = self._session()
        if session is not None:
            session.abandon()

    def reset(self) -> None:
        """Reset the node: a Thymio then clears its variables, which stops its wheels.

        The command is sent even to a silent node, as long as its target is connected.
        """
        if self._target is not None:
            self._target.post(from_words(HOST_ID, MessageType.RESET, [self.address.node_id]))

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of the node that can be read and written, in memory order."""
        session = self._session()
        return () if session is None else session.variables

    def request_variable(self, name: str) -> bool:
        """Request a variable; `VariablesRead` follows, or nothing. False if the node or variable is unknown."""
        target, session = self._target, self._session()
        if target is None or session is None:
            return False
        return session.request_variable(name, target.now_ns) and target.flush()

    def set_variable(self, name: str, values: Sequence[int]) -> bool:
        """Write a variable, or its first words; False if the node is unknown or has none of that name.

        Raises
        ------
        MessageError
            There are more values than the variable has words, or one does not fit 16 bits.
        """
        target, session = self._target, self._session()
        if target is None or session is None:
            return False
        return session.set_variable(name, values) and target.flush()

    def _session(self) -> NodeSession | None:
        """Return the session with the node, or None while the node is not known."""
        return None if self._target is None else self._target.session(self.address.node_id)
