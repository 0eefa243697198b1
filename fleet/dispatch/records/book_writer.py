"""Writes changes into the book, one write at a time, and reports when they are kept."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Final, TypeAlias

from fleet.dispatch.records.book import Book
from fleet.dispatch.records.job import Duty
from fleet.dispatch.records.job_table import JobTable
from fleet.errors import BookError
from fleet.reason import Explanation, Reason

WhenKept: TypeAlias = Callable[[Explanation | None], None]


class BookWriter:
    """Writes the changes of a table to its book.

    Changes that are noted during a write go into the next one. A failed write is repeated at each `advance`, with all
    later changes.

    Parameters
    ----------
    book : keeps the jobs
    table : knows which jobs have changed
    """

    def __init__(self, book: Book, table: JobTable) -> None:
        self._book: Final = book
        self._table: Final = table
        self._duties: Mapping[int, Duty] | None = None  # to be written
        self._written_duties: Mapping[int, Duty] | None = None  # being written
        self._is_writing = False
        self._is_held = False
        self._waiting: list[WhenKept] = []  # for the next write
        self._written: list[WhenKept] = []  # for the write in progress
        self.trouble = ""  # why the book cannot be written; "" if it can

    def note_duties(self, duties: Mapping[int, Duty]) -> None:
        """Also write the duties of robots."""
        self._duties = dict(duties)

    def when_kept(self, then: WhenKept) -> None:
        """Call back once all changes so far are kept, with None, or with the reason why they are not."""
        if self._has_changed:
            self._waiting.append(then)
        elif self._is_writing:
            self._written.append(then)
        else:
            then(None)

    @contextmanager
    def together(self) -> Generator[None]:
        """Delay writes until the end of a context, then write all changes together."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
            self.advance()

    def advance(self) -> Explanation | None:
        """Write changes, and report which are kept; return why the book cannot be written, if so."""
        if self._is_held:
            return None
        try:
            while self._is_over() and self._has_changed:
                self._begin()
        except BookError as error:
            self._fail(str(error))
            return Explanation(Reason.BOOK, self.trouble)
        return None

    def abandon(self, trouble: str) -> None:
        """Answer all waiting requests that nothing more is kept."""
        self._fail(trouble)

    @property
    def _has_changed(self) -> bool:
        return self._table.has_changed or self._duties is not None

    def _begin(self) -> None:
        self._is_writing = True
        self._written, self._waiting = self._waiting, []
        self._written_duties, self._duties = self._duties, None
        records, forgotten = self._table.start_write()
        self._book.write(records, forgotten=forgotten, duties=self._written_duties)

    def _is_over(self) -> bool:
        """Return whether no write is in progress; report one that is now kept."""
        if self._is_writing:
            if not self._book.is_kept():
                return False
            self._is_writing = False
            self._table.end_write()
            self.trouble = ""
            self._report(None)
        return True

    def _fail(self, trouble: str) -> None:
        self.trouble = trouble
        self._is_writing = False
        self._table.undo_write()
        if self._duties is None:
            self._duties = self._written_duties
        self._written += self._waiting  # later changes cannot be kept either
        self._waiting = []
        self._report(Explanation(Reason.BOOK, trouble))

    def _report(self, why: Explanation | None) -> None:
        reported, self._written = self._written, []
        for then in reported:
            then(why)
