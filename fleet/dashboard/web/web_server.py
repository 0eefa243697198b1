"""The HTTP server: its routes, the checks of every request, and the loop that feeds pages."""

import asyncio
import logging
import secrets
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from fleet.dashboard.access.addresses import OurAddresses
from fleet.dashboard.access.key_ring import KeyRing, Session
from fleet.dashboard.access.request_refusal import RefusalError
from fleet.dashboard.access.roles import Role, allowed_verbs
from fleet.dashboard.access.token_ring import TokenRing
from fleet.dashboard.api.bearer_gate import BearerGate
from fleet.dashboard.api.fleet_api import ApiOptions, FleetApi
from fleet.dashboard.api.operations import BASE, STREAM
from fleet.dashboard.api.problem_answers import problem_answer
from fleet.dashboard.api.webhook_book import WebhookBook
from fleet.dashboard.model.history import LENGTH_S
from fleet.dashboard.model.metrics import DashboardCounts, metrics_text
from fleet.dashboard.model.published_state import Section
from fleet.dashboard.orders.command_desk import CommandDesk
from fleet.dashboard.web.command_posts import CommandPosts
from fleet.dashboard.web.connections import MOST, Connections
from fleet.dashboard.web.gate import Gate
from fleet.dashboard.web.http_answers import SECURITY_HEADERS, error_answer, refused_key_answer
from fleet.dashboard.web.live_sockets import LiveSockets
from fleet.dashboard.web.page_files import PageFiles
from fleet.dashboard.web.process_numbers import process_numbers
from fleet.dashboard.web.queries import Queries
from fleet.dashboard.web.step_times import StepTimes

PROTOCOL: Final = 1
_LARGEST_BODY: Final = 64 * 1024
_LIVE: Final = "/live"
_LASTING: Final = (_LIVE, STREAM)
_LOOK_NS: Final = 1_000_000_000  # between two looks at idle connections
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How the server is reached, and what it reports about itself.

    Parameters
    ----------
    port : the port that it listens on
    addresses : the addresses that it listens on
    names : further host names for browsers
    reachable : the address of this machine for phones; "" if it listens on loopback alone
    tls : context for encrypted connections; None without
    is_page_fresh : whether the page's files are read again for each request
    about : version, host and domain, for pages
    started_unix_s : when the server's clock started
    """

    port: int
    addresses: tuple[str, ...]
    about: Mapping[str, Any]
    started_unix_s: float
    names: tuple[str, ...] = ()
    reachable: str = ""
    tls: ssl.SSLContext | None = None
    is_page_fresh: bool = False

    @property
    def scheme(self) -> str:
        """Http or https."""
        return "http" if self.tls is None else "https"

    def url(self, key: str = "") -> str:
        """Return the address of the page on this machine, with a key if there is one."""
        query = f"?key={key}" if key else ""
        return f"{self.scheme}://127.0.0.1:{self.port}/{query}"


class WebServer:
    """Serves the page, its WebSocket and its commands until it is closed.

    Parameters
    ----------
    board : has what is shown, and performs commands
    keys : keys and sessions
    options : how the server is reached
    clock : returns the time since the server started [ns]
    tokens : tokens of programs; without, none is valid
    webhooks : webhooks of programs; without, new webhooks are not kept

    Attributes
    ----------
    board : the same
    """

    def __init__(
        self,
        board: CommandDesk,
        keys: KeyRing,
        options: ServerOptions,
        clock: Callable[[], int],
        *,
        tokens: TokenRing | None = None,
        webhooks: WebhookBook | None = None,
    ) -> None:
        self.board = board
        self._options = options
        self._clock = clock
        addresses = OurAddresses(options.port, options.names, options.scheme)
        programs = BearerGate(tokens or TokenRing(tuple), clock)
        cookie = f"thymio_fleet_{options.port}"
        self._gate = Gate(addresses, keys, cookie, clock, programs, is_secure=options.tls is not None)
        self._posts = CommandPosts(board, self._gate)
        book = webhooks or WebhookBook((), lambda _: None, secrets.token_bytes)
        self._api = FleetApi(board, programs, book, self._api_options())
        self._live = LiveSockets(board, self._gate, self._posts, self._hello)
        self._connections = Connections()
        self._looked_ns = -_LOOK_NS  # at these
        self._counts = DashboardCounts()
        self._frame = ""
        self._attended_s: float | None = None
        self._let_go: Callable[[], None] = lambda: None
        self._attended_ns = 0
        self._runner: web.AppRunner | None = None

    @property
    def browsers(self) -> int:
        """The number of connected pages."""
        return self._live.count

    def configure(self, frame: str, *, viewers_may_stop: bool) -> None:
        """Set the frame of all poses, and whether viewers may stop all robots; before this call they may not."""
        self._frame = frame
        self._gate.viewers_may_stop = self._api.viewers_may_stop = viewers_may_stop

    def watch_attendance(self, attended_s: float | None, let_go: Callable[[], None]) -> None:
        """From now on call `let_go` whenever no operator has had the page open for `attended_s`; None is never."""
        self._attended_s = attended_s
        self._let_go = let_go
        self._attended_ns = self._clock()

    def application(self) -> web.Application:
        """Return the aiohttp application with all routes."""
        app = web.Application(middlewares=[self._guarded], client_max_size=_LARGEST_BODY)
        page = PageFiles(is_fresh=self._options.is_page_fresh)
        queries = Queries(self.board, self._gate, self._metrics)
        app.add_routes(
            [
                web.get("/", self._index(page)),
                web.get("/page/{file:.+}", page.file),
                web.get("/palette.css", page.palette),
                web.get("/words.json", page.words),
                web.get(_LIVE, self._live.connect),
                web.get("/qr.svg", self._qr_code),
                web.get("/health", queries.health),
                web.get("/ready", queries.ready),
                web.get("/metrics", queries.metrics),
                web.get("/api/state", queries.state),
                web.get("/api/commands/{id}", queries.command),
                web.get("/api/history", queries.history),
                web.get("/api/events", queries.events),
                web.get("/api/past", queries.past),
                web.get("/api/series", queries.series),
                web.post("/api/{verb}", self._posts.post),
                *self._api.routes(),
            ]
        )
        return app

    async def open(self) -> None:
        """Listen.

        Raises
        ------
        OSError
            The port is taken, or an address is not one of this machine.
        """
        self._runner = web.AppRunner(
            self.application(),
            access_log=None,
            logger=_log(),
            handle_signals=False,
            shutdown_timeout=1.0,
            auto_decompress=False,  # a short body could expand without end
        )
        await self._runner.setup()
        for address in self._options.addresses:
            site = web.TCPSite(
                self._runner, address, self._options.port, ssl_context=self._options.tls, reuse_address=True
            )
            await site.start()

    async def run(self, is_over: Callable[[], bool]) -> None:
        """Repeat `step` until `is_over`."""
        loop = asyncio.get_running_loop()
        steps = StepTimes(loop.time())
        while not is_over():
            self.step()
            await asyncio.sleep(steps.pause_s(loop.time(), self.board.feed.waited_s))

    def step(self) -> None:
        """Read what has arrived, and feed the pages."""
        now_ns = self._clock()
        call = self.board.fence.call
        call("attendance", self._check_attendance, now_ns)
        call("the step", self.board.advance, now_ns)
        call("the pages", self._live.push, now_ns)
        call("webhooks", self._api.advance)
        call("connections", self._end_idle, now_ns)

    async def close(self) -> None:
        """Tell all pages, and stop listening."""
        await self._live.close()
        await self._api.close()
        if self._runner is not None:
            await self._runner.cleanup()

    def _end_idle(self, now_ns: int) -> None:
        """End idle connections: look once a second, or at once where there are too many."""
        server = None if self._runner is None else self._runner.server
        if server is not None and (now_ns - self._looked_ns >= _LOOK_NS or len(server.connections) > MOST):
            self._looked_ns = now_ns
            found = [(one, one.transport) for one in server.connections]
            self._connections.look([(one, to) for one, to in found if to is not None], now_ns)

    def _check_attendance(self, now_ns: int) -> None:
        if self._live.has_operator:
            self._attended_ns = now_ns
        elif self._attended_s is not None and now_ns - self._attended_ns > self._attended_s * 1e9:
            self._attended_ns = now_ns
            self._let_go()

    @web.middleware
    async def _guarded(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        self._connections.note(request.protocol, self._clock(), lasts=request.path in _LASTING)
        try:
            return await self._answered(request, handler)
        finally:
            self._connections.note(request.protocol, self._clock())

    async def _answered(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        try:
            self._gate.check_host(request)
            answer = await handler(request)
        except ConnectionError:  # the browser has left
            raise
        except Exception as error:
            refusal = self._refusal(request, error)
            is_api = request.path.startswith(f"{BASE}/")
            answer = problem_answer(refusal) if is_api else error_answer(refusal.status, str(refusal))
        if not answer.prepared:
            answer.headers.update(SECURITY_HEADERS)
        return answer

    def _refusal(self, request: web.Request, error: Exception) -> RefusalError:
        """Return the refusal that answers an exception; an unexpected exception is logged as a fault."""
        match error:
            case RefusalError():
                return error
            case web.HTTPRequestEntityTooLarge():
                return RefusalError(413, f"The body is larger than {_LARGEST_BODY // 1024} kB.")
            case web.HTTPMethodNotAllowed():
                allowed = ", ".join(sorted(error.allowed_methods))
                text = f"{request.method} is not for this address; it takes {allowed}."
                return RefusalError(405, text, headers={"Allow": allowed})
            case web.HTTPException() if error.status >= 400:
                return RefusalError(error.status, f"{error.reason}.")
            case web.HTTPException():
                raise error
            case web.RequestPayloadError():
                return RefusalError(400, "The body is not encoded as its headers say.")
            case _:
                text = self.board.fence.note(f"{request.method} {_route(request)}", error, request)
                return RefusalError(500, f"{text}.")

    def _api_options(self) -> ApiOptions:
        options = self._options
        return ApiOptions(
            str(options.about.get("version", "")),
            options.started_unix_s,
            SECURITY_HEADERS,
            self._clock,
            self._posts.stop_local,
            secrets.token_bytes,
        )

    def _index(self, page: PageFiles) -> _Handler:
        async def index(request: web.Request) -> web.StreamResponse:
            key = request.query.get("key")
            if key is None:
                return await page.index(request)
            try:
                session = self._gate.open(request, key)
            except RefusalError as error:
                return refused_key_answer(error.status, str(error))
            answer = web.Response(status=303, headers={"Location": "/"})
            self._gate.give_cookie(answer, session)
            return answer

        return index

    async def _qr_code(self, request: web.Request) -> web.Response:
        session = self._gate.session(request)
        if not session.role.includes(Role.OPERATOR):
            raise RefusalError(403, "The QR code makes a phone an operator: only operators may show it.")
        if not self._options.reachable:
            raise RefusalError(404, "The server listens on this machine alone: start it with --host 0.0.0.0.")
        from fleet.dashboard.web.qr_code import qr_svg  # noqa: PLC0415  most browsers never ask for one

        key = self._gate.one_time_key(Role.OPERATOR)
        url = f"{self._options.scheme}://{self._options.reachable}:{self._options.port}/?key={key}"
        return web.Response(body=qr_svg(url), content_type="image/svg+xml")

    def _hello(self, session: Session) -> dict[str, Any]:
        is_simulation = self.board.story.state.get(Section.FLEET, "simulation") is not None
        may = allowed_verbs(session.role, viewers_may_stop=self._gate.viewers_may_stop, is_simulation=is_simulation)
        return {
            "type": "hello",
            "protocol": PROTOCOL,
            **self._options.about,
            "frame": self._frame,
            "started_unix_s": self._options.started_unix_s,
            "time_s": round(self._clock() * 1e-9, 3),
            "session": f"s{session.number}",
            "name": session.label,
            "role": session.role.value,
            "may": list(may),
            "history_s": LENGTH_S,
            "is_simulation": is_simulation,
            "is_reachable": bool(self._options.reachable),
        }

    def _metrics(self) -> str:
        self._counts.browsers = self._live.count
        self._counts.skipped_frames = self._live.skipped
        self._counts.fenced = self.board.fence.counts
        self._counts.process = process_numbers()
        rejected, now_ns = self.board.commands.rejected, self._clock()
        return metrics_text(self.board.story, rejected, self._counts, self._options.about, now_ns)


def _log() -> logging.Logger:
    """Return the logger of the server's own faults."""
    log = logging.getLogger("thymio_fleet_dashboard")
    log.addFilter(_is_fault)
    return log


def _is_fault(record: logging.LogRecord) -> bool:
    """Whether a record is about more than malformed HTTP, which any client can send and which is answered."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, HttpProcessingError | web.RequestPayloadError)


def _route(request: web.Request) -> str:
    """Return the route's pattern, of which there are few, instead of the address."""
    resource = request.match_info.route.resource
    return "" if resource is None else resource.canonical
