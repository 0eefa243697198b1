"""Notes how long this process was kept from running, and how scarce the processors of the machine were."""

import threading
import time
from types import TracebackType
from typing import Self

from conformance.ros.load_meter import processor_wait_s

STALL_S = 0.1  # programs of ours take turns faster than that
PRESSURE = 0.1  # share of time; a quiet machine has less
_STEP_S = 0.05


class StallWatch:
    """A context, the longest stall in it [s], and the share of its time in which a process waited for a processor."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self.pressure = 0.0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._began_s = self._wait_s = 0.0

    def __enter__(self) -> Self:
        self._began_s, self._wait_s = time.monotonic(), processor_wait_s()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()
        self.pressure = (processor_wait_s() - self._wait_s) / max(time.monotonic() - self._began_s, 1e-3)

    @property
    def is_disturbed(self) -> bool:
        """Whether this process was stalled, or processes of the machine waited for processors."""
        return self.longest_s > STALL_S or self.pressure > PRESSURE

    def _watch(self) -> None:
        before_s = time.monotonic()
        while not self._is_over.wait(_STEP_S):
            now_s = time.monotonic()
            self.longest_s = max(self.longest_s, now_s - before_s - _STEP_S)
            before_s = now_s
