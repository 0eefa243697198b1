"""Reads variables over a radio that may lose requests and answers: repeats requests until a timeout."""

from collections.abc import Callable
from dataclasses import dataclass, field

from aseba_link.host.link_events import VariablesRead
from aseba_link.host.node import NodeAddress
from aseba_link.link.node_handle import NodeHandle

RETRY_S = 0.3
READ_TIMEOUT_S = 1.0

Answer = Callable[[tuple[int, ...] | None], None]


@dataclass(slots=True)
class _PendingRead:
    """The callers waiting for a node's variable, with their deadlines, in the order of their calls."""

    node: NodeHandle
    waiting: list[tuple[int, Answer]] = field(default_factory=list)
    retry_ns: int = 0


class VariableReader:
    """Reads variables by the events of a link; callers that request the same variable share the answer."""

    def __init__(self) -> None:
        self._pending: dict[tuple[NodeAddress, str], _PendingRead] = {}

    def read(self, node: NodeHandle, name: str, answer: Answer, now_ns: int) -> bool:
        """Call `answer` later with the words of a variable, or None on a timeout; False if the variable is unknown."""
        if not node.request_variable(name):
            return False
        pending = self._pending.setdefault((node.address, name), _PendingRead(node))
        pending.waiting.append((now_ns + round(READ_TIMEOUT_S * 1e9), answer))
        pending.retry_ns = now_ns + round(RETRY_S * 1e9)
        return True

    def on_read(self, event: VariablesRead) -> None:
        """Pass the answer to the waiting callers."""
        self._close((event.address, event.name), event.values)

    def forget(self, address: NodeAddress) -> None:
        """Answer None to all callers waiting for a node."""
        for key in [key for key in self._pending if key[0] == address]:
            self._close(key, None)

    def advance(self, now_ns: int) -> None:
        """Repeat unanswered requests, and answer None to callers whose deadline has passed."""
        for key, pending in list(self._pending.items()):
            while pending.waiting and now_ns >= pending.waiting[0][0]:
                pending.waiting.pop(0)[1](None)
            if not pending.waiting:
                del self._pending[key]
            elif now_ns >= pending.retry_ns:
                pending.retry_ns = now_ns + round(RETRY_S * 1e9)
                pending.node.request_variable(key[1])

    def _close(self, key: tuple[NodeAddress, str], values: tuple[int, ...] | None) -> None:
        pending = self._pending.pop(key, None)
        if pending is None:
            return
        for _, answer in pending.waiting:
            answer(values)
