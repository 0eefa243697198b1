"""Takes a book in a file once no other driver of this host has it, by a lock file that the kernel releases."""

import fcntl
import os
from pathlib import Path
from typing import Final

from fleet.books.sqlite_book import SqliteBook
from fleet.errors import BookError

_RETRY_NS: Final = 500_000_000
_NAME_MAX: Final = 200  # characters of another driver's name


class SqliteAccess:
    """Tries to take the book while another driver has it.

    Parameters
    ----------
    file : the book
    name : name of this driver, as shown to others
    survives_power : whether each write waits until it is on the disk

    Raises
    ------
    BookError
        The book is free, but cannot be opened.
    """

    def __init__(self, file: Path, name: str, *, survives_power: bool = False) -> None:
        self._file: Final = file
        self._name: Final = name
        self._survives_power: Final = survives_power
        self._lock: int | None = None
        self._book: SqliteBook | None = None
        self._tried_ns: int | None = None
        self._holder = ""
        self._trouble = ""
        self._take()

    def poll(self, core_ns: int) -> SqliteBook | None:
        """Return the book while it is ours."""
        if self._book is None and (self._tried_ns is None or core_ns - self._tried_ns >= _RETRY_NS):
            self._tried_ns = core_ns
            try:
                self._take()
                self._trouble = ""
            except BookError as error:
                self._trouble = str(error)
        return self._book

    @property
    def obstacle(self) -> str:
        """Why the book is not ours; "" if it is."""
        return self._trouble or (f"{self._holder} has the book of jobs" if self._holder else "")

    @property
    def is_held_elsewhere(self) -> bool:
        """Whether another driver has the book."""
        return bool(self._holder) and not self._trouble

    def close(self) -> None:
        """Close the book, so that another driver may take it."""
        if self._book is not None:
            self._book.close()
            self._book = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _take(self) -> None:
        if self._lock is None and not self._try_lock():
            return
        self._holder = ""
        self._book = SqliteBook(self._file, survives_power=self._survives_power)

    def _try_lock(self) -> bool:
        """Take the lock, or note its holder."""
        try:
            lock = os.open(f"{self._file}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise BookError(f"cannot open the book of jobs {self._file}: {error}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._holder = os.read(lock, _NAME_MAX).decode(errors="replace") or "another driver"
            os.close(lock)
            return False
        os.truncate(lock, 0)
        os.write(lock, self._name.encode())
        self._lock = lock
        return True
