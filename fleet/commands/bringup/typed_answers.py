"""Reads typed lines without waiting."""

import os
import select
import sys

_SIZE = 4096


class TypedAnswers:
    """The lines of standard input; after its end, every line is "", which means no."""

    def __init__(self) -> None:
        self._pending = b""
        self.has_ended = sys.stdin is None or sys.stdin.closed

    def line(self) -> str | None:
        """Return the next line without surrounding spaces; None while it is not complete."""
        if b"\n" not in self._pending and not self.has_ended:
            self._read()
        if b"\n" in self._pending:
            line, _, self._pending = self._pending.partition(b"\n")
        elif self.has_ended:
            line, self._pending = self._pending, b""
        else:
            return None
        return line.decode(errors="replace").strip()

    def _read(self) -> None:
        try:
            ready, _, _ = select.select([sys.stdin.fileno()], [], [], 0.0)
            data = os.read(sys.stdin.fileno(), _SIZE) if ready else None
        except (OSError, ValueError):  # there is no terminal, or it has gone
            data = b""
        if data == b"":
            self.has_ended = True
        self._pending += data or b""
