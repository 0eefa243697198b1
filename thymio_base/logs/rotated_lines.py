"""A file of JSON lines that several programs may append to; at a certain size it is replaced by a new file.

The handlers of the standard library are unsuitable: programs sharing a file would rotate it under each other.
"""

import fcntl
import json
import os
import sys
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final, TextIO

from thymio_base.texts.shortened import shortened

LARGEST_BYTES: Final = 10_000_000
KEPT: Final = 5  # older files
_TEXT_MAX: Final = 20_000  # characters of a value


class RotatedLines:
    """Appends rows as lines of JSON; each line is written by one system call, so lines never mix.

    Rows that cannot be written are dropped; the first time, this is printed.

    Parameters
    ----------
    file : older files have `.1` to `.5` after their names; the oldest has the highest number
    largest_bytes : size at which a new file is started
    """

    def __init__(self, file: Path, largest_bytes: int = LARGEST_BYTES) -> None:
        self._file: Final = file
        self._largest_bytes: Final = largest_bytes
        self._is_troubled = False

    def append(self, row: Mapping[str, Any]) -> None:
        """Append a row."""
        try:
            self._write({key: _brief(value) for key, value in row.items()})
            self._is_troubled = False
        except OSError as error:
            if not self._is_troubled:
                self._is_troubled = True
                _print(f"cannot write {self._file}: {error.strerror or error}", sys.stderr)

    def _write(self, row: Mapping[str, Any]) -> None:
        line = json.dumps(row, ensure_ascii=False, default=str).encode(errors="backslashreplace") + b"\n"
        self._file.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        with os.fdopen(os.open(self._file, flags, 0o640), "wb", buffering=0) as file:
            file.write(line)
            size = os.fstat(file.fileno()).st_size
        if size >= self._largest_bytes:
            self._rotate()

    def _rotate(self) -> None:
        """Rename the files, unless another program is doing so or has done so."""
        with closing(_Lock(self._file.with_name(f"{self._file.name}.lock"))) as lock:
            if not lock.is_ours or not self._file.exists() or self._file.stat().st_size < self._largest_bytes:
                return
            for number in range(KEPT, 0, -1):
                older = self._numbered(number - 1)
                if older.exists():
                    older.rename(self._numbered(number))

    def _numbered(self, number: int) -> Path:
        return self._file.with_name(f"{self._file.name}.{number}") if number else self._file


class _Lock:
    """A kernel lock that is never waited for."""

    def __init__(self, file: Path) -> None:
        self._descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        self.is_ours = False
        with suppress(BlockingIOError):
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.is_ours = True

    def close(self) -> None:
        os.close(self._descriptor)


def _brief(value: Any) -> Any:
    return shortened(value, _TEXT_MAX) if isinstance(value, str) else value


def _print(text: str, stream: TextIO) -> None:
    with suppress(OSError, ValueError):
        print(text, file=stream, flush=True)
