"""A handle for commands to a node behind a link."""

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
    """Sends commands to the node at an address; stays valid while nodes disconnect and reconnect there.

    Parameters
    ----------
    address : the node's address; the node need not exist
    target : the link to the node's target; None if the target does not exist
    """

    def __init__(self, address: NodeAddress, target: TargetLink | None) -> None:
        self.address = address
        self._target = target

    def has_room(self, is_late: bool = False) -> bool:
        """Return whether a message that can wait may be sent now: the target keeps reading and is within its budget.

        If a message that `is_late` must wait again, the target counts as over its budget. Queued messages would be
        obeyed late: senders drop them, and later send only the newest.
        """
        return self._target is not None and self._target.has_room(is_late)

    def emit(self, rank: int, args: Sequence[int], *, is_urgent: bool = True) -> bool:
        """Send an event on the node's connection, at once unless held; False if the node is not ready.

        All nodes on that connection receive it, so a script must check `args` for its own id. A non-urgent event is
        not sent either while many bytes are queued for a slow connection.

        Raises
        ------
        MessageError
            The arguments do not fit into an event, or `rank` is not a valid event rank.
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
        """Upload a script in place of that of `script_policy`; False until the node is identified.

        `NodeReady` or `NodeFaulted` follows.
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
        """Variables of the node that can be read and written, in memory order."""
        session = self._session()
        return () if session is None else session.variables

    def request_variable(self, name: str) -> bool:
        """Request a variable; `VariablesRead` may follow. False if the node or variable is unknown."""
        target, session = self._target, self._session()
        if target is None or session is None:
            return False
        return session.request_variable(name, target.now_ns) and target.flush()

    def set_variable(self, name: str, values: Sequence[int]) -> bool:
        """Write a variable or its first words; False if the node or variable is unknown.

        Raises
        ------
        MessageError
            There are more values than the variable has words, or a value does not fit 16 bits.
        """
        target, session = self._target, self._session()
        if target is None or session is None:
            return False
        return session.set_variable(name, values) and target.flush()

    def _session(self) -> NodeSession | None:
        """Return the session with the node; None while the node is unknown."""
        return None if self._target is None else self._target.session(self.address.node_id)
