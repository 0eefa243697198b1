"""Doors of the dashboard's server: requests of every kind, its WebSocket, and bytes that are not HTTP."""

import asyncio
import json
import re
import time
from collections.abc import Awaitable
from typing import Any, Final
from urllib.parse import quote

import aiohttp
from numpy.random import Generator

from bench.doors.door import ANSWER_S, DoorRow, Trace, chance_of
from bench.doors.requests.odd_values import changed, changed_bytes, odd_float, odd_text, pick
from bench.doors.requests.words import page_body, page_message
from bench.doors.tried_programs import TriedPrograms
from fleet.dashboard.orders.fleet_orders import Verb

_AT_ONCE: Final = 8
_POSTS_HZ: Final = 18.0  # below the limit of one browser
_LONGEST_LIVE: Final = 30  # messages on one connection
_KEY: Final = re.compile(r"(http://127\.0\.0\.1:\d+)/\?key=(\S+)")
_METHODS: Final = ("GET", "GET", "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "QUERY")
_PATHS: Final = (
    "/",
    "/live",
    "/page/index.html",
    "/page/map.js",
    "/palette.css",
    "/words.json",
    "/health",
    "/ready",
    "/metrics",
    "/qr.svg",
    "/api/state",
    "/api/commands/c1",
    "/api/history?from_s=0&to_s=10&step_s=1",
    "/api/events?from_s=0&to_s=10",
    "/api/series?robot=1&seconds=60",
)
_HEADERS: Final = ("Origin", "Host", "Cookie", "X-Fleet", "Content-Type", "Range", "If-None-Match", "Accept-Encoding")


class PageDoor:
    """A door of the dashboard's server; subclasses choose what to send.

    Parameters
    ----------
    name : name of the door
    programs : runs the dashboard
    seed : seed of the requests
    """

    def __init__(self, name: str, programs: TriedPrograms, seed: int) -> None:
        self.name = name
        self.programs: tuple[str, ...] = ("dashboard",)
        self.row = DoorRow(name)
        self.trace = Trace()
        self._programs = programs
        self._seed = seed
        self._number = 0
        self._cookies: dict[str, Any] = {}
        self._url = ""

    def run(self, first: int, duration_s: float) -> int:
        """See `Door.run`."""
        self._number = first
        asyncio.run(self._run(time.monotonic() + duration_s))
        return self._number

    async def send(self, session: aiohttp.ClientSession, number: int, chance: Generator) -> None:
        """Send one request, and count its answer."""
        raise NotImplementedError

    async def _run(self, end_s: float) -> None:
        url = self._address()
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
            await self._log_in(session, url)
            self._url = url.partition("/?key")[0]
            await asyncio.gather(*(self._work(session, end_s) for _ in range(_AT_ONCE)))
            await self._count(self._health(session), "health")

    async def _work(self, session: aiohttp.ClientSession, end_s: float) -> None:
        while time.monotonic() < end_s and not self._programs.has_ended():
            number = self._number
            self._number += 1
            self.row.requests += 1
            await self._count(self.send(session, number, chance_of(self._seed, self.name, number)), str(number))

    async def _count(self, sending: Awaitable[None], what: str) -> None:
        """Await an answer; a missing answer is a fault, and so is an internal error."""
        try:
            await asyncio.wait_for(sending, ANSWER_S)
        except TimeoutError:
            if not self._programs.has_ended():
                self.row.unanswered += 1
                self.trace.faults.append(f"no answer: {what}")
        except (aiohttp.ClientError, OSError, ValueError):  # refused, or a request that this client cannot even send
            self.row.count(is_accepted=False)

    async def _health(self, session: aiohttp.ClientSession) -> None:
        async with session.get(f"{self._url}/health") as answer:
            await answer.read()

    def _address(self) -> str:
        found = None
        end_s = time.monotonic() + ANSWER_S
        while found is None and time.monotonic() < end_s:
            found = next(reversed(list(_KEY.finditer(self._programs.log("dashboard")))), None)
            time.sleep(0.0 if found else 0.1)
        return f"{found.group(1)}/?key={found.group(2)}" if found else "http://127.0.0.1:9/?key="

    async def _log_in(self, session: aiohttp.ClientSession, url: str) -> None:
        """Log in as a teacher; the key works once, the cookie for the life of the dashboard."""
        if url not in self._cookies:
            async with session.get(url, allow_redirects=False) as answer:
                await answer.read()
                self._cookies = {url: {name: morsel.value for name, morsel in answer.cookies.items()}}
        session.cookie_jar.update_cookies(self._cookies[url])

    def _take(self, status: int, number: int, text: str) -> None:
        self.row.count(status < 400)
        if status >= 500 and status not in (501, 503, 505):
            self.row.fenced += 1
            self.trace.faults.append(f"status {status}: {number}: {text[:200]}")


class PageRequests(PageDoor):
    """HTTP requests: commands up to one browser's limit, queries in between, and raw bytes."""

    def __init__(self, programs: TriedPrograms, seed: int) -> None:
        super().__init__("page requests", programs, seed)
        self._post_due_s = 0.0

    async def send(self, session: aiohttp.ClientSession, number: int, chance: Generator) -> None:
        """See `PageDoor.send`."""
        now_s = time.monotonic()
        if now_s >= self._post_due_s:
            self._post_due_s = now_s + 1.0 / _POSTS_HZ
            await self._post(session, number, chance)
        elif chance.random() < 0.1:
            await self._bytes(number, chance)
        else:
            await self._ask(session, number, chance)

    async def _post(self, session: aiohttp.ClientSession, number: int, chance: Generator) -> None:
        verb = pick(chance, [one.value for one in Verb])
        body = page_body(verb, chance)
        text = json.dumps(changed(body, chance) if chance.random() < 0.8 else body, ensure_ascii=False, default=str)
        data = text.encode("utf-8", "replace")
        data = changed_bytes(data, chance) if chance.random() < 0.1 else data
        self.trace.note(number, f"POST {verb}", data)
        headers = {"Origin": self._url, "X-Fleet": "1", "Content-Type": "application/json"}
        if verb == "key":  # wrong keys are limited for the whole address
            return
        async with session.post(f"{self._url}/api/{verb}", data=data, headers=headers) as answer:
            self._take(answer.status, number, await answer.text())

    async def _ask(self, session: aiohttp.ClientSession, number: int, chance: Generator) -> None:
        path = pick(chance, _PATHS)
        kind = chance.random()
        if kind < 0.4:
            path = re.sub(r"(?<==)[\d.]+", lambda _: quote(pick_number(chance)), path)
        elif kind < 0.6:
            path = path + quote(odd_text(chance)[:500], safe="/?&=%")
        headers = {"Origin": self._url} if chance.random() < 0.5 else {}
        if chance.random() < 0.3:
            text = odd_text(chance)[:300].encode("utf-8", "replace").decode("latin-1")
            headers[pick(chance, _HEADERS)] = "".join(one for one in text if one.isprintable())
        method = pick(chance, _METHODS)
        self.trace.note(number, f"{method} {path}", headers)
        async with session.request(method, f"{self._url}{path}", headers=headers, allow_redirects=False) as answer:
            self._take(answer.status, number, str(await answer.content.read(300)))

    async def _bytes(self, number: int, chance: Generator) -> None:
        port = int(self._url.rpartition(":")[2])
        whole = f"GET {pick(chance, _PATHS)} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX: y\r\n\r\n".encode()
        data = changed_bytes(changed_bytes(whole, chance), chance)
        self.trace.note(number, "bytes", data)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(data)
        writer.write_eof()
        answer = await reader.read(300)
        writer.close()
        status = re.match(rb"HTTP/1.1 (\d+)", answer)
        self._take(int(status.group(1)) if status else 400, number, repr(answer))


class PageLive(PageDoor):
    """Messages on the page's WebSocket."""

    def __init__(self, programs: TriedPrograms, seed: int) -> None:
        super().__init__("page live", programs, seed)

    async def send(self, session: aiohttp.ClientSession, number: int, chance: Generator) -> None:
        """See `PageDoor.send`: one connection with several messages, which takes the following numbers too."""
        headers = {"Origin": self._url}
        async with session.ws_connect(f"{self._url}/live", headers=headers, max_msg_size=0) as socket:
            await socket.receive()
            for _ in range(int(chance.integers(1, _LONGEST_LIVE))):
                message = page_message(chance)
                kind = chance.random()
                text = json.dumps(changed(message, chance) if kind < 0.8 else message, default=str)
                self.trace.note(number, "live", text)
                self.row.requests += 1
                sent = text if kind < 0.95 else odd_text(chance)
                if kind < 0.02:
                    await socket.send_bytes(changed_bytes(text.encode(), chance))
                else:
                    await socket.send_str(sent.encode("utf-8", "replace").decode())
            if not socket.closed:
                await socket.send_str('{"type": "ack", "frame": 0}')
        self.row.count(is_accepted=True)


def pick_number(chance: Generator) -> str:
    """Return a number for a query, or a text in its place."""
    return repr(odd_float(chance)) if chance.random() < 0.6 else odd_text(chance)[:100]
