"""Calls /fleet/stop and /fleet/resume until the drivers announce that it has taken effect."""

import time
from typing import Final

from rclpy.client import Client
from rclpy.node import Node
from std_srvs.srv import Trigger

from fleet.dashboard.model.story import Story

_REPEAT_S: Final = 0.25  # a request without effect is sent again after this; it has no further effect
_PATIENCE_S: Final = 5.0


class StopCalls:
    """The latest STOP or resume; its clients are always there, so that a STOP needs no discovery.

    Parameters
    ----------
    node : is served, and owns the clients
    """

    def __init__(self, node: Node) -> None:
        self._clients: dict[bool, Client] = {
            True: node.create_client(Trigger, "/fleet/stop"),  # DDS delivers a request to all its servers
            False: node.create_client(Trigger, "/fleet/resume"),
        }
        self._is_stop = True
        self._called_s: float | None = None
        self._sent_s = 0.0

    @property
    def is_open(self) -> bool:
        """Whether the latest call may not have taken effect yet."""
        return self._called_s is not None

    def call(self, *, is_stop: bool) -> None:
        """Stop or resume from now on."""
        self._is_stop = is_stop
        self._called_s, self._sent_s = time.monotonic(), -_REPEAT_S
        self._send()

    def advance(self, story: Story, now_ns: int) -> None:
        """Repeat the request until it has taken effect, or nobody can be expected to answer any more."""
        if self._called_s is None:
            return
        present = [driver for driver in story.drivers(now_ns) if not driver.is_silent]
        is_done = bool(present) and all(driver.is_stopped is self._is_stop for driver in present)
        if is_done or time.monotonic() - self._called_s > _PATIENCE_S:
            self._called_s = None
        elif time.monotonic() - self._sent_s >= _REPEAT_S:
            self._send()

    def _send(self) -> None:
        if self._clients[self._is_stop].service_is_ready():
            self._sent_s = time.monotonic()
            self._clients[self._is_stop].call_async(Trigger.Request())
