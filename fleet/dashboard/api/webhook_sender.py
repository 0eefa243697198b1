"""Delivers to webhooks, each in a task of its own: a slow or dead server delays no other."""

import asyncio
from collections.abc import Callable
from typing import Final

import aiohttp

from fleet.dashboard.api.webhook_book import Delivery, WebhookBook, WebhookOutbox

_TRIES: Final = 8
_LONGEST_PAUSE_S: Final = 60.0
_PATIENCE_S: Final = 10.0  # for an answer


class WebhookSender:
    """Delivers pending messages, and retries those not accepted.

    Parameters
    ----------
    book : the webhooks
    unix_s : returns the time of day
    first_pause_s : before the second try; each later pause is twice as long
    """

    def __init__(self, book: WebhookBook, unix_s: Callable[[], float], first_pause_s: float = 1.0) -> None:
        self._book = book
        self._unix_s = unix_s
        self._first_pause_s = first_pause_s
        self._session: aiohttp.ClientSession | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def advance(self) -> None:
        """Start delivering to all webhooks with pending messages; cancel for removed webhooks."""
        for webhook_id, task in list(self._tasks.items()):
            if task.done():
                del self._tasks[webhook_id]
            elif webhook_id not in self._book.outboxes:
                task.cancel()
        for webhook_id, outbox in self._book.outboxes.items():
            if outbox.waiting and webhook_id not in self._tasks:
                self._tasks[webhook_id] = asyncio.ensure_future(self._deliver_all(outbox))

    async def close(self) -> None:
        """Give up all pending deliveries."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        if self._session is not None:
            await self._session.close()

    async def _deliver_all(self, outbox: WebhookOutbox) -> None:
        while outbox.waiting:
            delivery = outbox.waiting.popleft()
            if await self._deliver(outbox, delivery):
                outbox.delivered += 1
            else:
                outbox.given_up += 1

    async def _deliver(self, outbox: WebhookOutbox, delivery: Delivery) -> bool:
        pause_s = self._first_pause_s
        for number in range(_TRIES):
            problem = await self._problem(outbox, delivery)
            if not problem:
                return True
            outbox.last_problem = problem
            if number < _TRIES - 1:
                await asyncio.sleep(pause_s)
                pause_s = min(2.0 * pause_s, _LONGEST_PAUSE_S)
        return False

    async def _problem(self, outbox: WebhookOutbox, delivery: Delivery) -> str:
        """Try a delivery; return why it failed, "" if it was accepted."""
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_PATIENCE_S))
        webhook = outbox.webhook
        headers = delivery.headers(webhook.secret, int(self._unix_s()))
        try:
            async with self._session.post(
                webhook.url, data=delivery.body, headers=headers, allow_redirects=False
            ) as answer:
                return "" if 200 <= answer.status < 300 else f"it answered {answer.status}"
        except TimeoutError:
            return f"no answer within {_PATIENCE_S:g} s"
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return str(error)[:200] or type(error).__name__
