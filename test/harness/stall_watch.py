"""Notes how long this process was kept from running, by a busy machine or by a stopped one."""

import threading
import time
from types import TracebackType
from typing import Self

STALL_S = 0.1  # programs of ours take turns faster than that
_STEP_S = 0.05


class StallWatch:
    """A context, and the longest stall in it [s]."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        before_s = time.monotonic()
        while not self._is_over.wait(_STEP_S):
            now_s = time.monotonic()
            self.longest_s = max(self.longest_s, now_s - before_s - _STEP_S)
            before_s = now_s
