"""Keeps Ctrl-C from being lost: the executor swallows a KeyboardInterrupt in a ROS callback."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupted_afterwards() -> Iterator[None]:
    """Raise KeyboardInterrupt at the end of the block instead of within it, if Ctrl-C would raise it at all."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    is_interrupted = False

    def note(_: int, __: FrameType | None) -> None:
        nonlocal is_interrupted
        is_interrupted = True

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if is_interrupted:
            raise KeyboardInterrupt
