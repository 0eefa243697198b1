"""Runs several browsers in a separate process, each a WebSocket that answers every frame."""

import asyncio
import json
import time
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection

import aiohttp

from bench.dashboard.published_poses import PoseKey, keys_of
from fleet.dashboard.model.pose_frames import HEADER


@dataclass(slots=True)
class BrowserLog:
    """Everything sent to one browser."""

    ages_s: list[float] = field(default_factory=list)
    poses: dict[PoseKey, float] = field(default_factory=dict)  # first arrival of each pose, in Unix time [s]
    frames: int = 0
    frame_bytes: int = 0
    update_bytes: int = 0
    robots: int = 0

    def clear(self) -> None:
        """Reset all counts."""
        self.ages_s, self.poses, self.frames, self.update_bytes = [], {}, 0, 0


class ManyBrowsers:
    """The browsers of one dashboard; they run until closed."""

    def __init__(self, url: str, count: int) -> None:
        context = get_context("spawn")
        self._questions, theirs = context.Pipe()
        self._process = context.Process(target=_browse, args=(theirs, url, count), daemon=True)
        self._process.start()

    async def ask(self, question: str) -> list[BrowserLog]:
        """Return the browsers' logs; the question "clear" also resets them."""
        self._questions.send(question)
        logs: list[BrowserLog] = await asyncio.to_thread(self._questions.recv)
        return logs

    def close(self) -> None:
        """End the browsers."""
        self._process.kill()


def _browse(questions: Connection, url: str, count: int) -> None:
    """Run several browsers, and answer questions about them."""
    asyncio.run(_browse_all(questions, url, count))


async def _browse_all(questions: Connection, url: str, count: int) -> None:
    logs = [BrowserLog() for _ in range(count)]
    async with aiohttp.ClientSession() as session:
        reading = [asyncio.create_task(_read(session, url, log)) for log in logs]
        while True:
            question = await asyncio.to_thread(questions.recv)
            if question == "clear":
                for log in logs:
                    log.clear()
            questions.send(logs)
            for task in reading:
                if task.done():
                    task.result()


async def _read(session: aiohttp.ClientSession, url: str, log: BrowserLog) -> None:
    started_unix_s = 0.0
    async with session.ws_connect(f"{url}/live", headers={"Origin": url}, max_msg_size=0) as socket:
        async for message in socket:
            if message.type is aiohttp.WSMsgType.TEXT:
                log.update_bytes += len(message.data)
                started_unix_s = json.loads(message.data).get("started_unix_s", started_unix_s)
                continue
            header = HEADER.unpack_from(message.data)
            now_s = time.time()
            log.ages_s.append(now_s - started_unix_s - header[4])
            for key in keys_of(message.data):
                log.poses.setdefault(key, now_s)
            log.frames, log.frame_bytes, log.robots = log.frames + 1, len(message.data), header[2]
            if log.frames % 2 == 0:
                await socket.send_str(f'{{"type":"ack","frame":{header[3]}}}')
