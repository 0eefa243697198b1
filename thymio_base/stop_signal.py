"""Records SIGINT and SIGTERM, or ends a program at once that still imports."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_EXIT_INTERRUPTED = 130  # what shells expect: 128 and the number of the signal


class StopSignal:
    """Records that SIGINT or SIGTERM has arrived; create it once, in the main thread, before ROS starts."""

    def __init__(self) -> None:
        self.is_requested = False
        signal.signal(signal.SIGINT, self._note)
        signal.signal(signal.SIGTERM, self._note)

    def _note(self, _: int, __: FrameType | None) -> None:
        self.is_requested = True


@contextmanager
def ended_at_once() -> Iterator[None]:
    """Let Ctrl-C end the program within the block, where it only imports: libraries in C report other errors."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:  # the parent process has switched it off
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: os._exit(_EXIT_INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
