"""Helpers for a started dashboard: its address, commands to it, and driving robots."""

import asyncio
import re
import sys
import time
from pathlib import Path
from typing import Any, Final

import aiohttp

from fleet.commands.processes import Processes

_URL: Final = re.compile(r"dashboard: (http://127\.0\.0\.1:\d+)/\?key=(\S+)")
_POLL_S: Final = 0.01


async def announced(log: Path, patience_s: float) -> tuple[str, str]:
    """Wait until a dashboard has printed its address; return that and its one-time key."""
    deadline_s = time.monotonic() + patience_s
    while time.monotonic() < deadline_s:
        match = _URL.search(log.read_text(encoding="utf-8"))
        if match:
            return match.group(1), match.group(2)
        await asyncio.sleep(_POLL_S)
    raise RuntimeError(f"the dashboard does not start\n{log.read_text(encoding='utf-8')}")


def new_session() -> aiohttp.ClientSession:
    """Return an HTTP session that keeps cookies of 127.0.0.1."""
    return aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))


async def post(session: aiohttp.ClientSession, url: str, verb: str, body: dict[str, Any]) -> dict[str, Any]:
    """Post a command as the page does; return the answer."""
    headers = {"Origin": url, "X-Fleet": "1"}
    async with session.post(f"{url}/api/{verb}", json=body, headers=headers) as answer:
        if answer.status != 200:
            raise RuntimeError(f"{verb}: {await answer.text()}")
        found: dict[str, Any] = await answer.json()
        return found


async def state(session: aiohttp.ClientSession, url: str) -> dict[str, Any]:
    """Return everything that the dashboard shows beside poses."""
    async with session.get(f"{url}/api/state") as answer:
        found: dict[str, Any] = await answer.json()
        return found


async def until_offered(session: aiohttp.ClientSession, url: str, robots: int, patience_s: float) -> None:
    """Wait until that many robots are idle, and accept paths to follow."""
    deadline_s = time.monotonic() + patience_s
    while time.monotonic() < deadline_s:
        found = (await state(session, url)).get("robots", {}).values()
        if sum("follow_path" in robot["can"] and robot["word"] == "idle" for robot in found) == robots:
            return
        await asyncio.sleep(0.5)
    raise RuntimeError(f"not all robots accept tasks after {patience_s:g} s")


def drive_circles(processes: Processes, robots: int, log: Path) -> None:
    """Start a client that drives every robot along circles around its place."""
    numbers = [str(number + 1) for number in range(robots)]
    path = ["--path", "circle", "--size", "0.1", "--laps", "200"]
    command = [sys.executable, "-m", "fleet.commands.main", "follow", *numbers, *path]
    processes.start("client", command, log.open("wb"))
