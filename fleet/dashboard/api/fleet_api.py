"""The API for programs: one handler for each operation of the table."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, TypeAlias

from aiohttp import web

from fleet.dashboard.access.roles import least_role
from fleet.dashboard.api.api_commands import ApiCommands
from fleet.dashboard.api.api_reads import ApiReads
from fleet.dashboard.api.bearer_gate import BearerGate
from fleet.dashboard.api.event_feed import EventFeed, WebhookFeed
from fleet.dashboard.api.event_stream import EventStreams
from fleet.dashboard.api.openapi_document import openapi_document
from fleet.dashboard.api.operations import BASE, OPERATIONS, ApiOperation
from fleet.dashboard.api.request_reading import Asked, body_of, fitting, read_request
from fleet.dashboard.api.webhook_book import WebhookBook, webhook_values
from fleet.dashboard.api.webhook_sender import WebhookSender
from fleet.dashboard.orders.command_desk import CommandDesk

_Handler: TypeAlias = Callable[[Asked], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class ApiOptions:
    """What the API needs from the server.

    Parameters
    ----------
    version : the product's version
    started_unix_s : when the server's clock started
    headers : HTTP headers of every answer
    clock : returns the time since the server started [ns]
    stop_local : stops the drivers of this host at once
    random : returns random bytes
    """

    version: str
    started_unix_s: float
    headers: Mapping[str, str]
    clock: Callable[[], int]
    stop_local: Callable[[], Awaitable[None]]
    random: Callable[[int], bytes]

    def unix_s(self) -> float:
        """Return the time of day."""
        return self.started_unix_s + self.clock() * 1e-9


class FleetApi:
    """Serves programs.

    Parameters
    ----------
    board : what is read, and performs commands
    gate : admits programs
    webhooks : the webhooks of programs
    options : the server's version, clock and headers

    Attributes
    ----------
    viewers_may_stop : whether the token of a viewer may stop all robots
    """

    def __init__(self, board: CommandDesk, gate: BearerGate, webhooks: WebhookBook, options: ApiOptions) -> None:
        self.viewers_may_stop = False
        self._gate = gate
        self._version = options.version
        self._webhooks = webhooks
        self._webhook_feed = WebhookFeed(board.story, webhooks, options.started_unix_s, options.random)
        self._sender = WebhookSender(webhooks, options.unix_s)
        self._is_closing = False
        feed = EventFeed(board.story, options.started_unix_s)
        streams = EventStreams(feed, self._gate, dict(options.headers), lambda: self._is_closing)
        commands = ApiCommands(board, options.clock, options.stop_local, options.started_unix_s)
        reads = ApiReads(board, feed, options.clock, options.started_unix_s)
        self._handlers: dict[str, _Handler] = {
            **{name: partial(_read, read) for name, read in reads.readers.items()},
            "job": partial(_read_later, reads.job),
            **{operation.name: commands.perform for operation in OPERATIONS if operation.verb is not None},
            "event_stream": streams.serve,
            "webhooks": self._list_webhooks,
            "add_webhook": self._add_webhook,
            "remove_webhook": self._remove_webhook,
        }

    def routes(self) -> list[web.RouteDef]:
        """Return the routes of all operations and of the OpenAPI document."""
        found = [_route(one, partial(self._handle, one)) for one in OPERATIONS]
        return [web.get("/openapi.json", self._openapi), *found]

    def advance(self) -> None:
        """Pass new events on to webhooks."""
        self._webhook_feed.advance()
        self._sender.advance()

    async def close(self) -> None:
        """End all streams, and drop undelivered webhook messages."""
        self._is_closing = True
        await self._sender.close()

    async def _openapi(self, _: web.Request) -> web.Response:
        return web.Response(text=_document(self._version), content_type="application/json")

    async def _handle(self, operation: ApiOperation, request: web.Request) -> web.StreamResponse:
        verb = operation.verb
        role = operation.role if verb is None else least_role(verb, viewers_may_stop=self.viewers_may_stop)
        token = self._gate.admit(request, role, verb)
        return await self._handlers[operation.name](read_request(request, operation, token))

    async def _list_webhooks(self, _: Asked) -> web.Response:
        return web.json_response({"webhooks": [outbox.entry for outbox in self._webhooks.outboxes.values()]})

    async def _add_webhook(self, asked: Asked) -> web.Response:
        fields = fitting(await body_of(asked.request), asked.operation)
        values = webhook_values(self._webhooks.add(fields["url"], fields["events"], asked.token.name))
        del values["by"]
        return web.json_response(values, status=201)

    async def _remove_webhook(self, asked: Asked) -> web.Response:
        self._webhooks.remove(asked.fields["webhook"])
        return web.Response(status=204)


def _route(operation: ApiOperation, handle: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> web.RouteDef:
    options = {"allow_head": False} if operation.method == "GET" else {}
    return web.route(operation.method, BASE + (operation.route or operation.path), handle, **options)


@cache
def _document(version: str) -> str:
    """Return the OpenAPI document; cached, as making it takes long."""
    return json.dumps(openapi_document(version))


async def _read(read: Callable[[Mapping[str, Any]], dict[str, Any]], asked: Asked) -> web.Response:
    return web.json_response(read(asked.fields))


async def _read_later(read: Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]], asked: Asked) -> web.Response:
    return web.json_response(await read(asked.fields))
