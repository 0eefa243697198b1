"""Ends idle connections, so that no client can use up the server's connections."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

MOST: Final = 128  # connections: enough to load twenty pages at once
IDLE_NS: Final = 30_000_000_000  # for a request, between requests, and for an unread answer


class Transport(Protocol):
    """What a connection writes to."""

    def get_write_buffer_size(self) -> int:
        """Return the number of unsent bytes."""

    def abort(self) -> None:
        """End the connection at once."""


@dataclass(slots=True)
class _State:
    """The observed state of a connection."""

    quiet_ns: int  # since when nothing has happened
    lasts: bool = False  # whether its request is open-ended
    buffered: int = 0  # bytes of an answer that the browser has not taken


class Connections:
    """Watches a server's connections, and ends those that are idle too long or too many."""

    def __init__(self) -> None:
        self._states: dict[Any, _State] = {}

    def note(self, connection: Any, now_ns: int, *, lasts: bool = False) -> None:
        """Note that a request's headers have arrived, or that the request was handled.

        `lasts` exempts the connection from now on: a page's socket has limits of its own.
        """
        state = self._states.setdefault(connection, _State(now_ns))
        state.quiet_ns, state.lasts = now_ns, lasts

    def look(self, connections: Sequence[tuple[Any, Transport]], now_ns: int) -> int:
        """End idle connections among all open ones; return how many were ended."""
        self._states = {one: self._states.get(one, _State(now_ns)) for one, _ in connections}
        for one, transport in connections:
            _note_reading(self._states[one], transport.get_write_buffer_size(), now_ns)
        idle = sorted((one for one in connections if not self._states[one[0]].lasts), key=self._quiet_ns)
        surplus = max(0, len(connections) - MOST)
        ended = [one for place, one in enumerate(idle) if place < surplus or now_ns - self._quiet_ns(one) > IDLE_NS]
        for _, transport in ended:
            transport.abort()
        return len(ended)

    def _quiet_ns(self, connection: tuple[Any, Transport]) -> int:
        return self._states[connection[0]].quiet_ns


def _note_reading(state: _State, buffered: int, now_ns: int) -> None:
    """Note how much of an answer is unsent: less than before means that the browser reads."""
    if buffered < state.buffered:
        state.quiet_ns = now_ns
    state.buffered = buffered
