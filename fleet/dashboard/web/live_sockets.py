"""WebSockets: send each page changes as fast as it acknowledges them, and receive its messages."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import WSCloseCode, WSMsgType, web

from fleet.dashboard.access.frame_credit import FrameCredit
from fleet.dashboard.access.key_ring import Session
from fleet.dashboard.access.request_refusal import RefusalError
from fleet.dashboard.access.roles import Role
from fleet.dashboard.model.pose_frames import renumbered
from fleet.dashboard.model.published_state import Section
from fleet.dashboard.orders.command_desk import CommandDesk, read_drive
from fleet.dashboard.orders.fleet_orders import Verb
from fleet.dashboard.orders.request_errors import BadRequestError, ConflictError, NotFoundError
from fleet.dashboard.web.command_posts import CommandPosts
from fleet.dashboard.web.gate import Gate, person_of
from thymio_base.errors import TextError
from thymio_base.texts.json_text import read_json

_BROWSERS: Final = 20
_LONGEST_MESSAGE: Final = 4096
_BUFFERED: Final = 1_000_000  # bytes that a page has not read; it is given up
_BAD_MESSAGES: Final = 20  # a page that sends more than that is not ours
_UPDATE_EVERY: Final = 2  # pushes: all but poses is sent ten times a second
_READ_AT_ONCE: Final = 16_384  # bytes of a page's messages


@dataclass(slots=True)
class _Browser:
    """One connected page."""

    socket: web.WebSocketResponse
    request: web.Request
    session: Session
    credit: FrameCredit = field(default_factory=FrameCredit)
    selected: int | None = None
    values: Mapping[str, str] | None = None  # of the selected robot, as last sent
    hello: Mapping[str, Any] = field(default_factory=dict)  # as last sent
    bad_messages: int = 0
    sending: asyncio.Task[None] | None = None


class LiveSockets:
    """All connected pages.

    Parameters
    ----------
    board : what they show
    gate : admits them
    posts : performs a STOP that arrives on a socket
    hello : returns a session's first message, which is sent again when its rights change
    """

    def __init__(
        self, board: CommandDesk, gate: Gate, posts: CommandPosts, hello: Callable[[Session], Mapping[str, Any]]
    ) -> None:
        self._board = board
        self._gate = gate
        self._posts = posts
        self._hello = hello
        self._browsers: list[_Browser] = []
        self._number = 0
        self._pushes = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self.skipped = 0  # frames that were due and not sent

    @property
    def count(self) -> int:
        """The number of connected pages."""
        return len(self._browsers)

    @property
    def has_operator(self) -> bool:
        """Whether any page with an operator's rights is visible."""
        return any(one.credit.is_visible and one.session.role.includes(Role.OPERATOR) for one in self._browsers)

    async def connect(self, request: web.Request) -> web.WebSocketResponse:
        """Serve one page until it leaves."""
        self._gate.check_page(request)
        session = self._gate.session(request)
        self._gate.check_rate(request, session)
        if self.count >= _BROWSERS:
            raise RefusalError(429, f"{_BROWSERS} pages are connected already: close one.")
        socket = web.WebSocketResponse(max_msg_size=_LONGEST_MESSAGE, compress=False, autoping=True, heartbeat=None)
        browser = _Browser(socket, request, session)
        self._browsers.append(browser)
        try:
            await socket.prepare(request)
            _read_little(request)
            browser.hello = self._hello(session)
            await socket.send_str(json.dumps(browser.hello))
            await self._receive(browser)
        except (ConnectionError, RuntimeError):  # it has left
            pass
        finally:
            self._browsers.remove(browser)
            self._publish_count()
        return socket

    def push(self, now_ns: int) -> None:
        """Send every page what is due."""
        self._publish_count()
        self._pushes += 1
        has_moved = self._board.story.picture.pop_movement()
        for browser in self._browsers:
            self._board.fence.call("a page", self._push_to, browser, has_moved, now_ns)
        self.skipped += sum(_pop_skipped(browser.credit) for browser in self._browsers)

    async def close(self) -> None:
        """Tell all pages that the server shuts down."""
        closings = [browser.socket.close(code=WSCloseCode.GOING_AWAY) for browser in self._browsers]
        await asyncio.gather(*closings, return_exceptions=True)

    def _push_to(self, browser: _Browser, has_moved: bool, now_ns: int) -> None:
        if browser.credit.is_dead or _buffered(browser.request) > _BUFFERED:
            self._keep(browser.socket.close(code=WSCloseCode.TRY_AGAIN_LATER, message=b"no answer"))
            _abort(browser.request)
            return
        has_news = has_moved or (self._is_update_due(browser) and self._has_changed(browser))
        if not self._is_sending(browser) and browser.credit.is_due(has_news, now_ns):
            self._send(browser, self._board.story.frame(now_ns), now_ns)

    def _is_sending(self, browser: _Browser) -> bool:
        return browser.sending is not None and not browser.sending.done()

    def _is_update_due(self, browser: _Browser) -> bool:
        return self._pushes % _UPDATE_EVERY == 0 or browser.credit.version == 0

    def _has_changed(self, browser: _Browser) -> bool:
        return browser.credit.version != self._board.story.state.version

    def _send(self, browser: _Browser, frame: bytes, now_ns: int) -> None:
        self._number += 1
        messages: list[str | bytes] = list(self._updates(browser, now_ns)) if self._is_update_due(browser) else []
        messages.append(renumbered(frame, self._number))
        browser.credit.on_sent(self._number, now_ns)
        loop = asyncio.get_running_loop()
        browser.sending = asyncio.Task(_send_all(browser.socket, messages), loop=loop, eager_start=True)

    def _updates(self, browser: _Browser, now_ns: int) -> Iterator[str]:
        """Yield all due messages except the frame."""
        yield from self._news_of_rights(browser)
        state = self._board.story.state
        update = state.update_since(browser.credit.version, now_ns * 1e-9)
        browser.credit.version = state.version
        if update:
            yield update
        yield from map(json.dumps, self._details(browser))

    def _news_of_rights(self, browser: _Browser) -> Iterator[str]:
        """Yield the first message again when a simulator came or went, as faults exist only in simulation."""
        is_simulation = self._board.story.state.get(Section.FLEET, "simulation") is not None
        if browser.hello and browser.hello["is_simulation"] is not is_simulation:
            browser.hello = self._hello(browser.session)
            yield json.dumps(browser.hello)

    def _details(self, browser: _Browser) -> Iterator[Mapping[str, Any]]:
        """Yield messages about the page's selected robot: its rays, and its status when changed."""
        robot = None if browser.selected is None else self._board.story.picture.robots.get(browser.selected)
        if robot is None:
            return
        rays = self._board.feed.rays(robot.robot_id)
        if rays is not None:
            yield rays
        if robot.values != browser.values:
            browser.values = robot.values
            yield {"type": "values", "robot": robot.robot_id, "values": dict(robot.values)}

    async def _receive(self, browser: _Browser) -> None:
        async for message in browser.socket:
            if message.type is not WSMsgType.TEXT:
                break
            try:
                self._on_message(browser, message.data)
            except (BadRequestError, ConflictError, NotFoundError, RefusalError) as error:
                browser.bad_messages += isinstance(error, BadRequestError)
                await browser.socket.send_str(json.dumps({"type": "refused", "text": str(error)}))
            except Exception as error:
                text = self._board.fence.note("message of a page", error, message.data)
                await browser.socket.send_str(json.dumps({"type": "refused", "text": text}))
            if browser.bad_messages > _BAD_MESSAGES:
                await browser.socket.close(code=WSCloseCode.POLICY_VIOLATION)

    def _on_message(self, browser: _Browser, text: str) -> None:
        message = _object(text)
        match message:
            case {"type": "ack", "frame": int(number)}:
                browser.credit.on_answer(number)
            case {"type": "visible", "visible": bool(is_visible)}:
                browser.credit.set_visible(is_visible)
            case {"type": "select", "robot": int() | None as robot}:
                browser.selected, browser.values = robot, None
            case {"type": "drive"}:
                self._drive(browser, message)
            case {"type": "stop"}:
                self._stop(browser)
            case _:
                raise BadRequestError("a message is none of ack, visible, select, drive, stop, or a field is wrong")

    def _drive(self, browser: _Browser, message: Mapping[str, Any]) -> None:
        self._gate.check_role(Verb.DRIVE, browser.session)
        self._gate.check_rate(browser.request, browser.session, Verb.DRIVE)
        robot_id, twist = read_drive(message)
        self._board.drive(robot_id, twist, person_of(browser.request, browser.session), self._gate.clock())

    def _stop(self, browser: _Browser) -> None:
        self._gate.check_role(Verb.STOP, browser.session)
        self._gate.check_rate(browser.request, browser.session, Verb.STOP)
        self._board.perform(Verb.STOP, {}, person_of(browser.request, browser.session), self._gate.clock())
        self._keep(self._posts.stop_local())

    def _keep(self, work: Any) -> None:
        """Run a coroutine in the background, and hold a reference until it is done."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._on_done)

    def _on_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, ConnectionError | RuntimeError):  # those: the page has left
            self._board.fence.note("work for a page", error)

    def _publish_count(self) -> None:
        self._board.story.state.put(Section.FLEET, "browsers", self.count)


async def _send_all(socket: web.WebSocketResponse, messages: list[str | bytes]) -> None:
    try:
        for message in messages:
            if isinstance(message, str):
                await socket.send_str(message)
            else:
                await socket.send_bytes(message)
    except (ConnectionError, RuntimeError):  # it has left; its handler notices
        return


def _object(text: str) -> Mapping[str, Any]:
    try:
        message = read_json(text)
    except TextError as error:
        raise BadRequestError("a message is not JSON") from error
    if not isinstance(message, dict):
        raise BadRequestError("a message is not a JSON object")
    return message


def _buffered(request: web.Request) -> int:
    """Return the number of bytes written to a page that its connection has not taken."""
    transport = request.transport
    return 0 if transport is None or transport.is_closing() else transport.get_write_buffer_size()


def _read_little(request: web.Request) -> None:
    """Let asyncio read a page's messages in small pieces; by default it reserves 256 kB for each, in four system calls.

    The attribute is undocumented; a transport without it keeps its default.
    """
    transport: Any = request.transport
    if hasattr(transport, "max_size"):
        transport.max_size = _READ_AT_ONCE


def _abort(request: web.Request) -> None:
    """Abort the connection of a page that does not read; a closing handshake would wait for ever."""
    if request.transport is not None:
        request.transport.abort()


def _pop_skipped(credit: FrameCredit) -> int:
    skipped, credit.skipped = credit.skipped, 0
    return skipped
