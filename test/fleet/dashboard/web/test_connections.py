"""Connections on which nothing happens: half requests, and browsers that take no answer; those of pages stay."""

import asyncio

import pytest

from fleet.dashboard.access.roles import Role
from fleet.dashboard.web.connections import IDLE_NS, MOST, Connections
from harness.dashboard.server_stage import ServerStage, on_stage

HALVES = (
    b"",
    b"GET /heal",
    b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ",
    b"GET /live HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n",
    b"POST /api/stop HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nX-Fleet: 1\r\n"
    b"Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
)


class Transport:
    """One that counts what the other end has not taken."""

    def __init__(self) -> None:
        self.buffered = 0
        self.is_aborted = False

    def get_write_buffer_size(self) -> int:
        return self.buffered

    def abort(self) -> None:
        self.is_aborted = True


def made(count: int) -> list[tuple[str, Transport]]:
    return [(f"connection {number}", Transport()) for number in range(count)]


def aborted(found: list[tuple[str, Transport]]) -> list[bool]:
    return [transport.is_aborted for _, transport in found]


def test_connection_without_a_request_is_ended() -> None:
    connections, found = Connections(), made(2)
    connections.look(found, 0)
    connections.note("connection 1", IDLE_NS)
    assert connections.look(found, IDLE_NS) == 0
    assert connections.look(found, IDLE_NS + 1) == 1
    assert aborted(found) == [True, False]


def test_page_keeps_its_connection_until_its_socket_is_closed() -> None:
    connections, found = Connections(), made(1)
    connections.note("connection 0", 0, lasts=True)
    assert connections.look(found, 100 * IDLE_NS) == 0
    connections.note("connection 0", 100 * IDLE_NS)
    assert connections.look(found, 102 * IDLE_NS) == 1


def test_answer_is_sent_for_as_long_as_it_is_read() -> None:
    connections, found = Connections(), made(2)
    for time_ns in range(0, 10 * IDLE_NS, IDLE_NS):
        found[0][1].buffered = 1000 - time_ns // IDLE_NS
        found[1][1].buffered = 1000
        connections.look(found, time_ns)
    assert aborted(found) == [False, True]


def test_surplus_connections_are_closed_longest_idle_first() -> None:
    connections, found = Connections(), made(MOST + 2)
    connections.note("connection 0", 0, lasts=True)
    for rank in range(1, MOST + 2):
        connections.note(f"connection {rank}", rank)
    assert connections.look(found, MOST + 2) == 2
    assert aborted(found) == [False, True, True] + [False] * (MOST - 1)


@pytest.mark.parametrize("half", HALVES, ids=range(len(HALVES)))
def test_half_a_request_does_not_stay(half: bytes) -> None:
    async def scenario(stage: ServerStage) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", stage.port)
        writer.write(half.replace(b"{port}", str(stage.port).encode()))
        await writer.drain()
        await stage.let_pass(0.5)
        page = await (await stage.browser().login(Role.OPERATOR)).open()
        stage.now_ns += IDLE_NS
        await stage.let_pass(0.5)
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await reader.readexactly(1)
        writer.close()
        assert not page.is_closed

    on_stage(scenario)


def test_crowd_of_silent_connections_locks_no_client_out() -> None:
    async def scenario(stage: ServerStage) -> None:
        crowd = [await asyncio.open_connection("127.0.0.1", stage.port) for _ in range(MOST + 20)]
        await stage.let_pass(0.2)
        browser = await stage.browser().login(Role.OPERATOR)
        assert (await browser.get("/health"))[0] == 200
        closed = [await asyncio.wait_for(_is_closed(reader), 1.0) for reader, _ in crowd[:20]]
        assert all(closed)
        for _, writer in crowd:
            writer.close()

    on_stage(scenario)


async def _is_closed(reader: asyncio.StreamReader) -> bool:
    try:
        return await reader.read(1) == b""
    except ConnectionError:
        return True
