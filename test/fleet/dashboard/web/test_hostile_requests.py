"""Requests of foreign pages, strangers and broken programs: refused, told apart, and without effect on the fleet."""

import asyncio
import socket
import zlib
from typing import Any

import aiohttp
import pytest

from fleet.dashboard.access.roles import Role
from fleet.tasks.task_report import TaskReport
from harness.dashboard.scripted_fleet import ScriptedFleet
from harness.dashboard.server_stage import ServerStage, on_stage

NASTY = '"><img src=x onerror=alert(1)>'
GO_HOME = {"robots": [1]}


def error_of(answer: Any) -> str:
    return str(answer["error"]["code"])


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Origin": "http://evil.example"}, 403, "not_allowed"),
        ({"Origin": "null"}, 403, "not_allowed"),
        ({"Origin": None}, 403, "not_allowed"),
        ({"X_Fleet": None}, 403, "not_allowed"),
        ({"X_Fleet": "0"}, 403, "not_allowed"),
        ({"Host": "evil.example"}, 421, "wrong_host"),
        ({"Content_Type": "text/plain"}, 415, "not_json"),
        ({"Content_Type": None}, 415, "not_json"),
    ],
)
def test_command_of_a_foreign_page_is_refused(headers: dict[str, str | None], status: int, code: str) -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        browser = await stage.browser().login(Role.OPERATOR)
        found, answer = await browser.post("go_home", GO_HOME, **headers)
        assert (found, error_of(answer)) == (status, code)
        assert answer["error"]["text"].endswith(".")
        assert stage.fleet.orders == []

    on_stage(scenario)


def test_page_of_another_host_name_is_not_served() -> None:
    async def scenario(stage: ServerStage) -> None:
        for path in ("/", "/api/state", "/words.json", "/metrics"):
            status, answer = await stage.browser().get(path, headers={"Host": f"evil.example:{stage.port}"})
            assert (status, error_of(answer)) == (421, "wrong_host")

    on_stage(scenario)


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"}])
def test_foreign_page_gets_no_socket(headers: dict[str, str]) -> None:
    async def scenario(stage: ServerStage) -> None:
        browser = await stage.browser().login(Role.OPERATOR)
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await browser.open(**headers)
        assert refused.value.status in (403, 421)

    on_stage(scenario)


def test_guesses_of_keys_are_limited() -> None:
    async def scenario(stage: ServerStage) -> None:
        browser = stage.browser()
        found = [(await browser.post("key", {"key": f"guess {number}"}))[0] for number in range(6)]
        assert found == [401] * 5 + [429]
        assert (await browser.get("/?key=guess"))[0] == 429
        stage.now_ns += 61_000_000_000
        assert (await browser.post("key", {"key": "operator-key"}))[0] == 200

    on_stage(scenario)


def test_one_browser_cannot_flood_the_fleet() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        browser = await stage.browser().login(Role.OPERATOR)
        found = [(await browser.post("identify", {"robots": [1]}))[0] for _ in range(25)]
        assert (found.count(200), found.count(429)) == (20, 5)
        assert len(stage.fleet.orders) == 20

    on_stage(scenario)


@pytest.mark.parametrize(
    ("verb", "text"),
    [
        ("identify", "More than 20 commands a second: wait a moment."),
        ("stop", "More than 20 stops a second: wait a moment."),
    ],
)
def test_refusal_of_a_flood_names_the_limit_that_was_hit(verb: str, text: str) -> None:
    async def scenario(stage: ServerStage) -> None:
        browser = await stage.browser().login(Role.OPERATOR)
        answers = [await browser.post(verb, {}) for _ in range(22)]
        refused = [answer["error"]["text"] for status, answer in answers if status == 429]
        assert set(refused) == {text}

    on_stage(scenario)


def test_stop_is_taken_from_a_browser_that_has_sent_too_many_commands() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        browser = await stage.browser().login(Role.OPERATOR)
        page = await browser.open()
        found = [(await browser.post("identify", {"robots": [1]}))[0] for _ in range(25)]
        assert 429 in found
        await page.send(type="stop")
        await stage.until(lambda: stage.fleet.is_stopped, "the stop", passing=True)
        assert page.others == []
        assert (await browser.post("stop", {}))[0] == 200

    on_stage(scenario)


def test_large_body_is_refused_before_it_is_read() -> None:
    async def scenario(stage: ServerStage) -> None:
        browser = await stage.browser().login(Role.OPERATOR)
        status, answer = await browser.post("go_home", b"x" * 1_000_000)
        assert (status, error_of(answer)) == (413, "too_large")

    on_stage(scenario)


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[" * 50_000, b"null", b'"x"', b"", b'{"robots": [1e400]}'])
def test_broken_body_is_a_bad_request(body: bytes) -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        browser = await stage.browser().login(Role.OPERATOR)
        status, answer = await browser.post("go_home", body)
        assert (status, error_of(answer)) == (400, "bad_request")
        assert stage.fleet.orders == []

    on_stage(scenario)


@pytest.mark.parametrize("verb", ["drive", "shutdown", "..", "stop%00", "STOP"])
def test_unknown_verb_is_not_found(verb: str) -> None:
    async def scenario(stage: ServerStage) -> None:
        browser = await stage.browser().login(Role.TEACHER)
        assert (await browser.post(verb, {}))[0] in (404, 405)

    on_stage(scenario)


@pytest.mark.parametrize(
    "path",
    [
        "/page/../command_desk.py",
        "/page/%2e%2e/orders/command_desk.py",
        "/page//etc/passwd",
        "/page/..%2f..%2f__init__.py",
        "/page/.git",
    ],
)
def test_only_files_of_the_page_are_served(path: str) -> None:
    async def scenario(stage: ServerStage) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", stage.port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{stage.port}\r\nConnection: close\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
        assert answer.split(b" ")[1] == b"404"
        assert b"import" not in answer

    on_stage(scenario)


@pytest.mark.parametrize(
    "data", [b"GET /\xff HTTP/1.1\r\n\r\n", b"\x16\x03\x01\r\n\r\n", b"GET / HTTP/9.9\r\nX\r\n\r\n"]
)
def test_bytes_that_are_not_http_are_refused_without_a_line_in_the_log(
    data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(stage: ServerStage) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", stage.port)
        writer.write(data)
        answer = await reader.read()
        writer.close()
        assert answer.split(b" ")[1] == b"400"

    on_stage(scenario)
    assert caplog.text == ""


def test_forged_cookie_is_a_viewer_on_this_machine() -> None:
    async def scenario(stage: ServerStage) -> None:
        browser = stage.browser()
        cookie = {"Cookie": f"thymio_fleet_{stage.port}=operator.x.{'0' * 64}"}
        assert (await browser.post("go_home", GO_HOME, **cookie))[0] == 403
        assert (await browser.get("/api/state", headers=cookie))[0] == 200

    on_stage(scenario)


def test_texts_of_robots_are_passed_on_as_texts() -> None:
    async def scenario(stage: ServerStage) -> None:
        await stage.let_pass(1.5)
        page = await stage.browser().open()
        story = stage.server.board.story
        story.on_task(1, TaskReport(task_id=NASTY, kind="task_go_to", state="executing", words=NASTY), stage.now_ns)
        await stage.until(lambda: bool(page.entries("tasks")), "the task", passing=True)
        assert page.entries("tasks")[f"1/{NASTY}"]["id"] == NASTY
        story.on_task(1, TaskReport(task_id=NASTY, kind=NASTY, state="SUCCEEDED"), stage.now_ns)
        text = (await stage.browser().get("/metrics"))[1].decode()
        assert f'kind="{NASTY.replace(chr(34), chr(92) + chr(34))}"' in text

    on_stage(scenario)


def test_twenty_pages_are_served_and_no_more() -> None:
    async def scenario(stage: ServerStage) -> None:
        browser = await stage.browser().login(Role.OPERATOR)
        pages = []
        for _ in range(20):
            stage.now_ns += 100_000_000
            pages.append(await browser.open())
        stage.now_ns += 1_000_000_000
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await browser.open()
        assert refused.value.status == 429
        await pages[0].socket.close()
        await stage.until(lambda: stage.server.browsers == 19, "a free place")
        stage.now_ns += 1_000_000_000
        await browser.open()

    on_stage(scenario)


def test_thousands_of_openings_leave_nothing_behind() -> None:
    async def scenario(stage: ServerStage) -> None:
        page = await (await stage.browser().login(Role.OPERATOR)).open()
        stranger = stage.browser()
        refused = 0
        for _ in range(300):
            try:
                await stranger.session.ws_connect(f"{stage.url}/live", headers={"Origin": "http://evil.example"})
            except aiohttp.WSServerHandshakeError:
                refused += 1
        assert (refused, stage.server.browsers) == (300, 1)
        count = len(page.frames)
        await stage.until(lambda: len(page.frames) > count, "frames go on", passing=True)

    on_stage(scenario)


def test_page_that_does_not_read_costs_the_others_nothing() -> None:
    async def scenario(stage: ServerStage) -> None:
        page = await (await stage.browser().login(Role.OPERATOR)).open()
        stuck = socket.create_connection(("127.0.0.1", stage.port))
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stuck.sendall(
            f"GET /live HTTP/1.1\r\nHost: 127.0.0.1:{stage.port}\r\nOrigin: {stage.origin}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        await stage.until(lambda: stage.server.browsers == 2, "the page that does not read")
        count = len(page.frames)
        await stage.let_pass(11.0)
        assert len(page.frames) - count > 80
        await stage.until(lambda: stage.server.browsers == 1, "its end", passing=True)
        stuck.close()

    on_stage(scenario, ScriptedFleet(100))


def test_server_outlives_garbage_on_its_port() -> None:
    async def scenario(stage: ServerStage) -> None:
        for garbage in (b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 1000, b"A" * 100_000):
            reader, writer = await asyncio.open_connection("127.0.0.1", stage.port)
            writer.write(garbage)
            writer.write_eof()
            await reader.read()
            writer.close()
        assert (await stage.browser().get("/health")) == (200, {"ok": True})

    on_stage(scenario)


def test_compressed_body_is_refused_before_it_is_unpacked() -> None:
    async def scenario(stage: ServerStage) -> None:
        browser = await stage.browser().login(Role.OPERATOR)
        for body in (b"no gzip", zlib.compress(b" " * 50_000_000)):
            for encoding in ("gzip", "deflate", "br", "deflate, gzip"):
                status, answer = await browser.post("stop", body, Content_Encoding=encoding)
                assert (status, answer["error"]["text"]) == (415, "Commands need a body that is not compressed.")
        assert stage.server.board.fence.total == 0

    on_stage(scenario)
