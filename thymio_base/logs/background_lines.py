"""Appends lines to a file in a separate thread: a write to a busy disk can take a quarter of a second."""

import atexit
import queue
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from thymio_base.logs.rotated_lines import RotatedLines

_WAITING_MAX: Final = 10_000  # rows; further rows are dropped until the disk has caught up
_ENDING_S: Final = 2.0


class BackgroundLines:
    """Appends rows like `RotatedLines`, but never waits; the end of the program waits for the last rows.

    Parameters
    ----------
    lines : the file
    """

    def __init__(self, lines: RotatedLines) -> None:
        self._lines: Final = lines
        self._rows: Final = queue.Queue[Mapping[str, Any] | None](_WAITING_MAX)
        self._thread: threading.Thread | None = None

    def append(self, row: Mapping[str, Any]) -> None:
        """Append a row, preceded by the current time."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_all, name="log", daemon=True)
            self._thread.start()
            atexit.register(self._end, self._thread)
        with suppress(queue.Full):
            self._rows.put_nowait(stamped(row))

    def _write_all(self) -> None:
        while (row := self._rows.get()) is not None:
            self._lines.append(row)

    def _end(self, thread: threading.Thread) -> None:
        with suppress(queue.Full):
            self._rows.put(None, timeout=_ENDING_S)
        thread.join(_ENDING_S)


def stamped(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row preceded by the current time in UTC, with milliseconds."""
    now_ns = time.time_ns()
    second = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now_ns // 1_000_000_000))
    return {"time": f"{second}.{now_ns // 1_000_000 % 1000:03d}Z", **row}
