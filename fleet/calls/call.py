"""A service request that is repeated until it is answered, in steps that never wait."""

import time
from typing import Any, Final

from rclpy.client import Client
from rclpy.task import Future

ANSWER_S: Final = 1.5  # after which a request is repeated


class Call:
    """One request: sent once its server is found, and repeated until an answer arrives.

    Parameters
    ----------
    client : of the service; an executor serves it
    request : what is asked
    repeat_s : how long an answer is waited for
    is_found : whether the server is known to be there; to look for it in a large graph takes longer than to ask it
    """

    def __init__(self, client: Client, request: Any, repeat_s: float = ANSWER_S, *, is_found: bool = False) -> None:
        self._client: Final = client
        self._request: Final = request
        self._repeat_s: Final = repeat_s
        self._is_found: Final = is_found
        self._sent_s: float | None = None
        self.answer: Any = None  # the first one

    @property
    def is_answered(self) -> bool:
        """Whether an answer has arrived."""
        return self.answer is not None

    @property
    def is_sent(self) -> bool:
        """Whether the request was sent: its server had been found."""
        return self._sent_s is not None

    def advance(self) -> None:
        """Send the request if it is due."""
        now_s = time.monotonic()
        is_due = self._sent_s is None or now_s - self._sent_s >= self._repeat_s
        if self.answer is None and is_due and (self._is_found or self._client.service_is_ready()):
            self._sent_s = now_s
            self._client.call_async(self._request).add_done_callback(self._on_answer)

    def _on_answer(self, done: Future) -> None:
        if self.answer is None:
            self.answer = done.result()
