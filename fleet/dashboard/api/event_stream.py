"""Server-sent events: each reader has a position in the log, not a queue."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, Final

from aiohttp import web

from fleet.dashboard.access.request_refusal import RefusalError
from fleet.dashboard.api.bearer_gate import BearerGate
from fleet.dashboard.api.event_feed import EventFeed
from fleet.dashboard.api.operations import LAST_EVENT_ID
from fleet.dashboard.api.request_reading import Asked

_READERS: Final = 20
_AT_ONCE: Final = 50
_LOOK_S: Final = 0.1
_QUIET_LOOKS: Final = 100  # without an event; a comment line then shows whether the reader is still there
_PATIENCE_S: Final = 10.0


class EventStreams:
    """All readers of events.

    Parameters
    ----------
    feed : the events
    gate : checks whether a reader's token is still valid
    headers : HTTP headers of every answer
    is_closing : returns whether the server is shutting down
    patience_s : how long to wait for a reader that takes nothing
    """

    def __init__(
        self,
        feed: EventFeed,
        gate: BearerGate,
        headers: dict[str, str],
        is_closing: Callable[[], bool],
        patience_s: float = _PATIENCE_S,
    ) -> None:
        self._feed = feed
        self._gate = gate
        self._headers = headers
        self._is_closing = is_closing
        self._patience_s = patience_s
        self._count = 0

    async def serve(self, asked: Asked) -> web.StreamResponse:
        """Send events until the reader leaves, its token is revoked, or the server ends."""
        if self._count >= _READERS:
            raise RefusalError(429, f"{_READERS} programs read events already: end one.")
        response = web.StreamResponse(headers={**self._headers, "Content-Type": "text/event-stream"})
        self._count += 1
        try:
            await response.prepare(asked.request)
            await self._send_all(asked, response)
        except TimeoutError:
            if asked.request.transport is not None:
                asked.request.transport.abort()
        finally:
            self._count -= 1
        return response

    async def _send_all(self, asked: Asked, response: web.StreamResponse) -> None:
        last = asked.fields.get(LAST_EVENT_ID)
        number = self._feed.last_number if last is None else self._feed.number_after(last)
        await self._send(response, ": events of the fleet\n\n")
        quiet = 0
        while not self._is_closing() and self._gate.is_valid(asked.token):
            events, missed = self._feed.since(number, _AT_ONCE)
            quiet = 0 if events else quiet + 1
            if events:
                number += missed + len(events)
                await self._send(response, _missed(missed) + "".join(map(_event, events)))
            elif quiet % _QUIET_LOOKS == 0:
                await self._send(response, ": quiet\n\n")
            await asyncio.sleep(_LOOK_S)

    async def _send(self, response: web.StreamResponse, text: str) -> None:
        await asyncio.wait_for(response.write(text.encode()), self._patience_s)


def _event(event: dict[str, Any]) -> str:
    return f"id: {event['id']}\nevent: {event['kind']}\ndata: {json.dumps(event)}\n\n"


def _missed(count: int) -> str:
    return f'event: missed\ndata: {{"count": {count}}}\n\n' if count else ""
