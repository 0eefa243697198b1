"""How long the demonstration waits for progress."""

import time
from collections.abc import Callable

PATIENCE_S = 75.0  # longest time without progress; the driver itself aborts a task that is blocked after 60 s


class DemoPatience:
    """Detects a lack of progress that has lasted too long, however slow the machine is.

    Parameters
    ----------
    progress : returns a value that changes with every progress
    """

    def __init__(self, progress: Callable[[], object]) -> None:
        self._progress = progress
        self._last = progress()
        self._changed_s = time.monotonic()

    @property
    def is_over(self) -> bool:
        """Whether nothing has progressed for too long."""
        now = self._progress()
        if now != self._last:
            self._last, self._changed_s = now, time.monotonic()
        return time.monotonic() - self._changed_s > PATIENCE_S
