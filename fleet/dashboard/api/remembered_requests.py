"""Recognizes repeated requests by their idempotency keys, so that none is performed twice."""

import json
from dataclasses import dataclass
from typing import Any, Final

from fleet.dashboard.access.request_refusal import RefusalError
from fleet.dashboard.access.token_ring import ProgramToken
from fleet.dashboard.orders.fleet_orders import Verb

_REMEMBERED: Final = 1000


@dataclass(frozen=True, slots=True)
class FirstRequest:
    """The first request with a key, and the commands it started."""

    content: str
    commands: tuple[str, ...]


class RememberedRequests:
    """The latest requests with a key, of all programs."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], FirstRequest] = {}

    def commands(self, token: ProgramToken, key: str, verb: Verb, body: Any) -> tuple[str, ...] | None:
        """Return the ids of the commands this request started before, None if it is new.

        Raises
        ------
        RefusalError
            The key belongs to a request with another content.
        """
        first = self._first.get((token.name, key))
        if first is not None and first.content != _content(verb, body):
            raise RefusalError(409, f"The Idempotency-Key {key!r} was used for another request: choose a new one.")
        return None if first is None else first.commands

    def note(self, token: ProgramToken, key: str, verb: Verb, body: Any, commands: tuple[str, ...]) -> None:
        """Remember a performed request; the oldest is forgotten when there are too many."""
        self._first[token.name, key] = FirstRequest(_content(verb, body), commands)
        if len(self._first) > _REMEMBERED:
            del self._first[next(iter(self._first))]


def _content(verb: Verb, body: Any) -> str:
    return json.dumps([verb.value, body], sort_keys=True)
