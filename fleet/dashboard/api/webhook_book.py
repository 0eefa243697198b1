"""Webhooks that programs subscribe for job ends and alarms, and their pending deliveries."""

import base64
import hashlib
import hmac
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from fleet.dashboard.access.request_refusal import RefusalError

_WEBHOOKS: Final = 20
_WAITING: Final = 100  # deliveries of one webhook; the oldest is dropped
_SECRET: Final = "whsec_"


@dataclass(frozen=True, slots=True)
class Webhook:
    """A program's subscription to some events.

    Parameters
    ----------
    secret : signs the deliveries
    by : the name of the token that made it
    """

    webhook_id: str
    url: str
    events: tuple[str, ...]
    secret: str
    by: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message to a webhook; id and body stay the same for every try."""

    delivery_id: str
    body: bytes

    def headers(self, secret: str, unix_s: int) -> dict[str, str]:
        """Return the headers of one try (Standard Webhooks)."""
        key = base64.b64decode(secret.removeprefix(_SECRET))
        signed = f"{self.delivery_id}.{unix_s}.".encode() + self.body
        signature = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
        return {
            "Content-Type": "application/json",
            "webhook-id": self.delivery_id,
            "webhook-timestamp": str(unix_s),
            "webhook-signature": f"v1,{signature}",
        }


@dataclass(slots=True)
class WebhookOutbox:
    """The pending deliveries of a webhook, and counts of the others."""

    webhook: Webhook
    waiting: deque[Delivery] = field(default_factory=deque)
    delivered: int = 0
    given_up: int = 0
    last_problem: str = ""

    def put(self, delivery: Delivery) -> None:
        """Add a delivery; the oldest is dropped if too many wait."""
        if len(self.waiting) >= _WAITING:
            self.waiting.popleft()
            self.given_up += 1
        self.waiting.append(delivery)

    @property
    def entry(self) -> dict[str, Any]:
        """The webhook as programs see it, without its secret."""
        values = webhook_values(self.webhook)
        del values["secret"]
        return values | {
            "waiting": len(self.waiting),
            "delivered": self.delivered,
            "given_up": self.given_up,
            "last_problem": self.last_problem,
        }


class WebhookBook:
    """All webhooks.

    Parameters
    ----------
    kept : the webhooks of the last run
    keep : called with all of them whenever they change
    random : returns random bytes

    Attributes
    ----------
    outboxes : by the ids of the webhooks
    """

    def __init__(
        self,
        kept: Sequence[Webhook],
        keep: Callable[[Sequence[Webhook]], None],
        random: Callable[[int], bytes],
    ) -> None:
        self.outboxes = {webhook.webhook_id: WebhookOutbox(webhook) for webhook in kept}
        self._keep = keep
        self._random = random

    def add(self, url: str, events: Sequence[str], by: str) -> Webhook:
        """Add a webhook.

        Raises
        ------
        RefusalError
            There are too many, or it cannot be kept.
        """
        if len(self.outboxes) >= _WEBHOOKS:
            raise RefusalError(409, f"There are {_WEBHOOKS} webhooks already: remove one that nobody needs.")
        secret = f"{_SECRET}{base64.b64encode(self._random(32)).decode()}"
        webhook = Webhook(self._random(6).hex(), url, tuple(dict.fromkeys(events)), secret, by)
        self.outboxes[webhook.webhook_id] = WebhookOutbox(webhook)
        self._keep_or(lambda: self.outboxes.pop(webhook.webhook_id))
        return webhook

    def remove(self, webhook_id: str) -> None:
        """Remove a webhook and its pending deliveries.

        Raises
        ------
        RefusalError
            No webhook has that id, or the change cannot be kept.
        """
        outbox = self.outboxes.pop(webhook_id, None)
        if outbox is None:
            raise RefusalError(404, f"There is no webhook {webhook_id!r}.")
        self._keep_or(lambda: self.outboxes.update({webhook_id: outbox}))

    def put(self, event: str, delivery: Delivery) -> None:
        """Queue a delivery at all webhooks that subscribe to an event."""
        for outbox in self.outboxes.values():
            if event in outbox.webhook.events:
                outbox.put(delivery)

    def _keep_or(self, undo: Callable[[], object]) -> None:
        try:
            self._keep([outbox.webhook for outbox in self.outboxes.values()])
        except OSError as error:
            undo()
            raise RefusalError(409, f"Webhooks cannot be kept: {error.strerror or error}.") from error


def webhook_values(webhook: Webhook) -> dict[str, Any]:
    """Return a webhook as JSON values for its file."""
    return {
        "id": webhook.webhook_id,
        "url": webhook.url,
        "events": list(webhook.events),
        "secret": webhook.secret,
        "by": webhook.by,
    }


def webhook_from(values: Any) -> Webhook | None:
    """Return a kept webhook, None if its row is corrupt."""
    try:
        base64.b64decode(values["secret"].removeprefix(_SECRET), validate=True)
        events = tuple(str(event) for event in values["events"])
        return Webhook(str(values["id"]), str(values["url"]), events, values["secret"], str(values["by"]))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
