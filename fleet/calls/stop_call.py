"""Calls /fleet/stop or /fleet/resume repeatedly until that has taken effect; loads no messages of robots."""

import time
from typing import Final

from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import Trigger

_REPEAT_S: Final = 0.25  # a request without effect is sent again after this; it has no further effect


class StopCall:
    """Stops or resumes the robots of all servers: DDS delivers a request to each of them.

    Parameters
    ----------
    node : owns the client; an executor serves it
    is_stop : whether to stop, or to resume
    """

    def __init__(self, node: Node, *, is_stop: bool) -> None:
        self.is_stop: Final = is_stop
        self._client: Client = node.create_client(Trigger, "/fleet/stop" if is_stop else "/fleet/resume")
        self._sent_s: float | None = None
        self.is_answered = False  # by any server

    @property
    def has_server(self) -> bool:
        """Whether there is a server to answer."""
        return bool(self._client.service_is_ready())

    def start(self) -> None:
        """Send a new request as soon as there is a server."""
        self._sent_s, self.is_answered = None, False
        self.repeat()

    def repeat(self) -> None:
        """Repeat the request if that is due, as it has had no effect yet."""
        now_s = time.monotonic()
        if (self._sent_s is None or now_s - self._sent_s >= _REPEAT_S) and self.has_server:
            self._sent_s = now_s
            self._client.call_async(Trigger.Request()).add_done_callback(self._on_answer)

    def _on_answer(self, _: Future) -> None:
        self.is_answered = True
