"""A dashboard's server with a scripted fleet, whose time a test lets pass, and browsers that talk to it."""

import asyncio
import json
import struct
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from fleet.dashboard.access.roles import Role
from fleet.dashboard.model.pose_frames import HEADER
from fleet.dashboard.web.web_server import WebServer
from harness.dashboard.scripted_dashboard import KEYS, scripted_server
from harness.dashboard.scripted_fleet import ScriptedFleet
from thymio_base.ros.private_domain import reserve_free_port

STEP_NS = 50_000_000
PATIENCE_S = 20.0  # for answers, on a machine with much other work


@dataclass
class Page:
    """A connected page, and what it has been sent; `answers` is whether it answers frames."""

    socket: aiohttp.ClientWebSocketResponse
    hello: dict[str, Any] = field(default_factory=dict)
    updates: list[dict[str, Any]] = field(default_factory=list)
    frames: list[bytes] = field(default_factory=list)
    others: list[dict[str, Any]] = field(default_factory=list)
    answers: bool = True
    is_closed: bool = False

    async def read(self) -> None:
        """Take messages until the server closes the socket."""
        async for message in self.socket:
            await self._take(message)
        self.is_closed = True

    async def send(self, **message: Any) -> None:
        await self.socket.send_str(json.dumps(message))

    async def _take(self, message: aiohttp.WSMessage) -> None:
        if message.type is aiohttp.WSMsgType.BINARY:
            self.frames.append(message.data)
            if self.answers:
                await self.send(type="ack", frame=HEADER.unpack_from(message.data)[3])
            return
        found = json.loads(message.data)
        if found["type"] == "hello":
            self.hello = found
        else:
            (self.updates if found["type"] == "update" else self.others).append(found)

    def entries(self, section: str) -> dict[str, Any]:
        """Return a section as the page would show it now."""
        entries: dict[str, Any] = {}
        for update in self.updates:
            entries = {} if update["reset"] else entries
            for key, value in update.get(section, {}).items():
                is_object = isinstance(value, dict) and section not in ("fleet", "map")
                entries[key] = (entries.get(key) or {}) | value if is_object else value
        return {key: value for key, value in entries.items() if value is not None}


class Browser:
    """A browser with cookies of its own."""

    def __init__(self, stage: "ServerStage") -> None:
        self._stage = stage
        self.session = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))

    async def login(self, role: Role) -> "Browser":
        await self.post("key", {"key": KEYS[role]})
        return self

    async def get(self, path: str, **options: Any) -> tuple[int, Any]:
        async with self.session.get(self._stage.url + path, allow_redirects=False, **options) as answer:
            return answer.status, await _content(answer)

    async def post(self, verb: str, body: Any, **headers: str | None) -> tuple[int, Any]:
        """Post a command as our page does; headers of that name replace its own, None leaves one out."""
        given = {"Origin": self._stage.origin, "X-Fleet": "1", "Content-Type": "application/json"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}  # type: ignore[misc]
        kept = {name: value for name, value in given.items() if value is not None}
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        skip = () if "Content-Type" in kept else ("Content-Type",)
        async with self.session.post(
            f"{self._stage.url}/api/{verb}", data=data, headers=kept, skip_auto_headers=skip
        ) as answer:
            return answer.status, await _content(answer)

    async def open(self, **headers: str) -> Page:
        """Connect a page, and wait for the first message."""
        given = {"Origin": self._stage.origin} | headers
        socket = await self.session.ws_connect(f"{self._stage.url}/live", headers=given)
        page = Page(socket)
        self._stage.read(page)
        await self._stage.until(lambda: bool(page.hello), "the first message")
        return page


class ServerStage:
    """The server, and the clock that it sees."""

    def __init__(self, fleet: ScriptedFleet, **options: Any) -> None:
        self.now_ns = 0
        self.fleet = fleet
        self.port = reserve_free_port()
        self.origin = f"http://127.0.0.1:{self.port}"
        self.url = self.origin
        self.server: WebServer = scripted_server(fleet, self.port, lambda: self.now_ns, **options)
        self._browsers: list[Browser] = []
        self._reading: list[asyncio.Task[None]] = []

    def read(self, page: Page) -> None:
        """Let a page take its messages, beside everything else."""
        self._reading.append(asyncio.create_task(page.read()))

    def browser(self) -> Browser:
        browser = Browser(self)
        self._browsers.append(browser)
        return browser

    async def let_pass(self, duration_s: float) -> None:
        """Let the server's time pass, step by step, with real time for messages in between."""
        for _ in range(round(duration_s * 1e9 / STEP_NS)):
            self.now_ns += STEP_NS
            self.server.step()
            await asyncio.sleep(0.002)

    async def until(self, condition: Callable[[], bool], what: str, *, passing: bool = False) -> None:
        """Wait until a condition holds, while the server's time stands still or passes."""
        deadline_s = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline_s, f"waited in vain for {what}"
            await (self.let_pass(0.1) if passing else asyncio.sleep(0.005))

    async def close(self) -> None:
        for browser in self._browsers:
            await browser.session.close()
        await self.server.close()
        for reading in self._reading:
            reading.cancel()
        await asyncio.gather(*self._reading, return_exceptions=True)


def on_stage(
    scenario: Callable[[ServerStage], Awaitable[None]], fleet: ScriptedFleet | None = None, **options: Any
) -> None:
    """Perform a scenario with a server that listens."""

    async def perform() -> None:
        stage = ServerStage(fleet or ScriptedFleet(3), **options)
        await stage.server.open()
        try:
            await asyncio.wait_for(scenario(stage), 120.0)
        finally:
            await stage.close()

    asyncio.run(perform())


def ids_of(frame: bytes) -> list[int]:
    """Return the robots whose estimates a frame has."""
    count = HEADER.unpack_from(frame)[2]
    return [struct.unpack_from("<H", frame, 24 + 16 * index)[0] for index in range(count)]


async def _content(answer: aiohttp.ClientResponse) -> Any:
    data = await answer.read()
    return json.loads(data) if answer.content_type == "application/json" and data else data
