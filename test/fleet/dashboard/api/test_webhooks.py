import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from aiohttp import web

from fleet.dashboard.access.request_refusal import RefusalError
from fleet.dashboard.access.roles import Role
from fleet.dashboard.api.event_feed import WebhookFeed
from fleet.dashboard.api.webhook_book import Delivery, Webhook, WebhookBook, webhook_from, webhook_values
from fleet.dashboard.api.webhook_sender import WebhookSender
from fleet.dashboard.model.alarms import Trouble
from fleet.dashboard.model.event_log import Severity
from fleet.dashboard.model.story import Story
from harness.dashboard.api_client import ApiClient
from harness.dashboard.scripted_fleet import ScriptedFleet
from harness.dashboard.server_stage import ServerStage, on_stage
from thymio_base.ros.private_domain import reserve_free_port

SECRET = f"whsec_{base64.b64encode(b'k' * 32).decode()}"


class Target:
    """A program that is told; it answers with statuses in a row, the last one again and again, or never."""

    def __init__(self, *statuses: int, answers: bool = True) -> None:
        self.port = reserve_free_port()
        self.url = f"http://127.0.0.1:{self.port}/hook"
        self.taken: list[tuple[dict[str, str], bytes]] = []
        self._statuses = list(statuses) or [204]
        self._answers = answers

    async def open(self) -> web.AppRunner:
        app = web.Application()
        app.add_routes([web.post("/hook", self._take)])
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", self.port).start()
        return runner

    async def _take(self, request: web.Request) -> web.Response:
        self.taken.append((dict(request.headers), await request.read()))
        if not self._answers:
            await asyncio.sleep(60.0)
        status = self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]
        return web.Response(status=status, headers={"Location": self.url})


def with_target(target: Target, act: Callable[[], Awaitable[None]]) -> None:
    async def perform() -> None:
        runner = await target.open()
        try:
            await asyncio.wait_for(act(), 60.0)
        finally:
            await runner.cleanup()

    asyncio.run(perform())


def book_of(*urls: str) -> WebhookBook:
    hooks = [Webhook(f"w{index}", url, ("job_ended",), SECRET, "mes") for index, url in enumerate(urls)]
    return WebhookBook(hooks, lambda _: None, bytes)


async def delivered(sender: WebhookSender, is_done: Callable[[], bool]) -> None:
    for _ in range(4000):
        sender.advance()
        if is_done():
            break
        await asyncio.sleep(0.005)
    await sender.close()
    assert is_done()


def test_delivery_is_signed_so_that_its_time_and_body_cannot_be_changed() -> None:
    headers = Delivery("msg_1", b"{}").headers(SECRET, 1_700_000_000)
    signed = hmac.new(b"k" * 32, b"msg_1.1700000000.{}", hashlib.sha256).digest()
    assert headers["webhook-id"] == "msg_1"
    assert headers["webhook-timestamp"] == "1700000000"
    assert headers["webhook-signature"] == f"v1,{base64.b64encode(signed).decode()}"


@pytest.mark.parametrize("statuses", [(500, 404, 200), (302, 204)])
def test_delivery_is_tried_again_with_its_id_until_it_is_taken(statuses: tuple[int, ...]) -> None:
    target = Target(*statuses)
    book = book_of(target.url)

    async def act() -> None:
        book.put("job_ended", Delivery("msg_1", b'{"a": 1}'))
        await delivered(WebhookSender(book, lambda: 7.0, 0.01), lambda: book.outboxes["w0"].delivered == 1)

    with_target(target, act)
    assert [headers["webhook-id"] for headers, _ in target.taken] == ["msg_1"] * len(statuses)
    assert {body for _, body in target.taken} == {b'{"a": 1}'}
    assert book.outboxes["w0"].last_problem == f"it answered {statuses[-2]}"


def test_delivery_is_given_up_after_all_tries() -> None:
    target = Target(500)
    book = book_of(target.url)

    async def act() -> None:
        book.put("job_ended", Delivery("msg_1", b"{}"))
        await delivered(WebhookSender(book, lambda: 7.0, 0.001), lambda: book.outboxes["w0"].given_up == 1)

    with_target(target, act)
    assert len(target.taken) == 8


def test_dead_and_silent_targets_hold_no_other_up() -> None:
    target = Target()
    silent = Target(answers=False)
    book = book_of(f"http://127.0.0.1:{reserve_free_port()}/", silent.url, target.url)

    async def act() -> None:
        runner = await silent.open()
        for number in range(3):
            book.put("job_ended", Delivery(f"msg_{number}", b"{}"))
        await delivered(WebhookSender(book, lambda: 7.0), lambda: book.outboxes["w2"].delivered == 3)
        await runner.cleanup()

    with_target(target, act)
    assert (book.outboxes["w0"].delivered, book.outboxes["w1"].delivered) == (0, 0)


def test_queue_of_a_webhook_is_bounded() -> None:
    book = book_of("http://127.0.0.1:9/")
    for number in range(250):
        book.put("job_ended", Delivery(f"msg_{number}", b"{}"))
    outbox = book.outboxes["w0"]
    assert (len(outbox.waiting), outbox.given_up, outbox.waiting[0].delivery_id) == (100, 150, "msg_150")


def test_webhook_that_cannot_be_kept_is_refused() -> None:
    def keep(_: object) -> None:
        raise OSError(28, "No space left on device")

    book = WebhookBook((), keep, bytes)
    with pytest.raises(RefusalError, match="cannot be kept: No space left on device"):
        book.add("http://127.0.0.1/", ["job_ended"], "mes")
    assert not book.outboxes


def test_webhooks_are_limited() -> None:
    numbers: Iterator[int] = iter(range(1000))
    book = WebhookBook((), lambda _: None, lambda count: next(numbers).to_bytes(count, "big"))
    for _ in range(20):
        book.add("http://127.0.0.1/", ["job_ended"], "mes")
    with pytest.raises(RefusalError, match="There are 20 webhooks already"):
        book.add("http://127.0.0.1/", ["job_ended"], "mes")


def test_webhook_is_kept_as_it_is() -> None:
    webhook = Webhook("w1", "http://127.0.0.1/", ("job_ended", "alarm_raised"), SECRET, "mes")
    assert webhook_from(json.loads(json.dumps(webhook_values(webhook)))) == webhook
    values = webhook_values(webhook)
    spoilt: list[dict[str, Any]] = [{}, values | {"secret": 7}, values | {"events": 1}]
    assert [webhook_from(one) for one in spoilt] == [None, None, None]


def test_programs_receive_ended_jobs_and_alarms() -> None:
    target = Target()

    async def scenario(stage: ServerStage) -> None:
        runner = await target.open()
        await stage.let_pass(1.5)
        program, teacher = ApiClient(stage), ApiClient(stage, Role.TEACHER)
        events = ["job_ended", "alarm_raised", "alarm_cleared"]
        status, hook = await program.ask("POST", "/webhooks", {"url": target.url, "events": events})
        assert (status, hook["secret"][:6]) == (201, "whsec_")
        await program.command("submit", {"kind": "go_home", "id": "mes-1"})
        await stage.let_pass(1.5)
        await program.command("change_jobs", {"jobs": ["mes-1"], "change": "cancel"})
        await teacher.command("link", {"robots": [2], "link": "silent"})
        await stage.until(lambda: len(target.taken) >= 2, "a job and an alarm", passing=True)
        await program.command("acknowledge", {"alarms": ["2:link"]})
        await teacher.command("link", {"robots": [2], "link": "connected"})
        await stage.until(lambda: len(target.taken) >= 3, "the end of the alarm", passing=True)
        listed = (await program.get("/webhooks"))[1]["webhooks"]
        assert (listed[0]["id"], listed[0]["by"], "secret" in listed[0]) == (hook["id"], "operator", False)
        assert (await ApiClient(stage, Role.VIEWER).get("/webhooks"))[0] == 403
        assert (await program.ask("DELETE", f"/webhooks/{hook['id']}"))[0] == 204
        assert (await program.get("/webhooks"))[1] == {"webhooks": []}
        await runner.cleanup()

    on_stage(scenario, ScriptedFleet(3, has_jobs=True))
    told = [json.loads(body) for _, body in target.taken]
    found = [(one["type"], one["data"]["id"]) for one in told]
    assert found == [("job_ended", "mes-1"), ("alarm_raised", "2:link"), ("alarm_cleared", "2:link")]
    assert (told[0]["data"]["state"], told[2]["data"]["cleared_unix_s"] is None) == ("CANCELED", False)


def test_alarm_that_is_over_before_it_is_passed_on_was_raised_first() -> None:
    story = Story(0)
    hook = Webhook("w", "http://127.0.0.1:9/", ("alarm_raised", "alarm_cleared"), SECRET, "mes")
    book = WebhookBook([hook], lambda _: None, bytes)
    feed = WebhookFeed(story, book, 0.0, bytes)
    trouble = Trouble("link", Severity.ERROR, "no link", 7)
    for now_s, troubles in ((1, {"7:link": trouble}), (2, {"7:link": trouble}), (9, {})):
        story.alarms.advance(troubles, now_s * 1_000_000_000)
    feed.advance()
    told = [json.loads(delivery.body) for delivery in book.outboxes["w"].waiting]
    found = [(one["type"], one["data"]["cleared_unix_s"]) for one in told]
    assert found == [("alarm_raised", None), ("alarm_cleared", 9.0)]
