"""Calls STOP or resume for a page until the drivers announce the effect."""

import time
from typing import Final

from rclpy.node import Node

from fleet.calls.stop_call import StopCall
from fleet.dashboard.model.story import Story

_PATIENCE_S: Final = 5.0


class StopCalls:
    """The latest STOP or resume; its clients always exist, so that a STOP needs no discovery.

    Parameters
    ----------
    node : owns the clients; polled by the execution
    """

    def __init__(self, node: Node) -> None:
        self._calls = {is_stop: StopCall(node, is_stop=is_stop) for is_stop in (True, False)}
        self._latest = self._calls[True]
        self._called_s: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether the latest call may not have taken effect yet."""
        return self._called_s is not None

    def call(self, *, is_stop: bool) -> None:
        """Stop or resume from now on."""
        self._latest, self._called_s = self._calls[is_stop], time.monotonic()
        self._latest.start()

    def advance(self, story: Story, now_ns: int) -> None:
        """Repeat the request until it has taken effect or no further answer is expected."""
        if self._called_s is None:
            return
        present = [driver for driver in story.drivers(now_ns) if not driver.is_silent]
        is_done = bool(present) and all(driver.is_stopped is self._latest.is_stop for driver in present)
        if is_done or time.monotonic() - self._called_s > _PATIENCE_S:
            self._called_s = None
        else:
            self._latest.repeat()
