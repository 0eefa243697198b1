"""Keeps the webhooks of a fleet in a file."""

from collections.abc import Sequence
from typing import Final

from fleet.dashboard.api.webhook_book import Webhook, webhook_from, webhook_values
from fleet.dashboard.kept_files import KeptFiles


class KeptWebhooks:
    """The webhooks of one ROS domain's fleet, in a file that only its user can read.

    Parameters
    ----------
    files : the user's files
    domain : the ROS domain
    """

    def __init__(self, files: KeptFiles, domain: int) -> None:
        self._files = files
        self._name: Final = f"webhooks_of_domain_{domain}.json"

    def all(self) -> Sequence[Webhook]:
        """Return all webhooks; none if the file is corrupt."""
        return self._files.rows(self._name, webhook_from)

    def keep(self, webhooks: Sequence[Webhook]) -> None:
        """Keep all webhooks; raise OSError if the file cannot be written."""
        self._files.write(self._name, [webhook_values(webhook) for webhook in webhooks])
