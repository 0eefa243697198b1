import asyncio
import socket
import time

from aiohttp import web

from fleet.dashboard.access.roles import Role
from fleet.dashboard.access.token_ring import ProgramToken, TokenRing, token_digest
from fleet.dashboard.api.bearer_gate import BearerGate
from fleet.dashboard.api.event_feed import EventFeed
from fleet.dashboard.api.event_stream import EventStreams
from fleet.dashboard.api.operations import OPERATIONS
from fleet.dashboard.api.request_reading import read_request
from fleet.dashboard.model.event_log import LogEntry, LogEntryKind, Severity
from fleet.dashboard.model.story import Story
from thymio_base.ros.private_domain import reserve_free_port

TOKEN = ProgramToken("mes", Role.VIEWER, token_digest("tf_mes"), 0.0)
OPERATION = next(one for one in OPERATIONS if one.name == "event_stream")
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\nLast-Event-ID: 0-0\r\n\r\n"


def test_reader_that_takes_nothing_is_disconnected() -> None:
    story, port, ended = Story(0), reserve_free_port(), []
    gate = BearerGate(TokenRing(lambda: [TOKEN]), lambda: 0)
    streams = EventStreams(EventFeed(story, 0.0), gate, {}, lambda: False, patience_s=0.2)

    async def serve(request: web.Request) -> web.StreamResponse:
        try:
            return await streams.serve(read_request(request, OPERATION, TOKEN))
        finally:
            ended.append(True)

    async def perform() -> None:
        app = web.Application()
        app.add_routes([web.get("/", serve)])
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        with socket.socket() as reader:
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.connect(("127.0.0.1", port))
            reader.sendall(REQUEST)
            deadline_s = time.monotonic() + 30.0
            while not ended:
                assert time.monotonic() < deadline_s, "the reader is still served"
                story.log.add(LogEntry(Severity.INFO, LogEntryKind.FLEET, "x" * 50_000), 0)
                await asyncio.sleep(0.002)
        await runner.cleanup()

    asyncio.run(perform())
    assert ended == [True]
