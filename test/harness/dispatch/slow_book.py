"""A book that keeps nothing before a test lets it."""

from collections.abc import Collection, Iterable, Mapping

from fleet.books.job_row import JobRow, job_row
from fleet.books.memory_book import MemoryBook
from fleet.dispatch.records.job import Duty
from fleet.dispatch.records.job_record import JobRecord
from fleet.errors import BookError


class SlowBook(MemoryBook):
    """Reads what was written last, and keeps it when `keep_writes` is called, or at once.

    Attributes
    ----------
    kept : what is there after a crash
    trouble : why writes fail; "" if they do not
    is_slow : whether writes wait for `keep_writes`
    """

    def __init__(self) -> None:
        super().__init__()
        self.outlives_its_holder = True
        self.kept = MemoryBook()
        self.trouble = ""
        self.is_slow = True
        self._write: tuple[list[JobRow], Collection[str], Mapping[int, Duty] | None] | None = None

    def write(
        self,
        records: Iterable[JobRecord],
        *,
        forgotten: Collection[str] = (),
        duties: Mapping[int, Duty] | None = None,
    ) -> None:
        """Begin a write."""
        assert self._write is None, "the write before is not over"
        if self.trouble:
            raise BookError(self.trouble)
        rows = [job_row(record) for record in records]
        self.keep(rows, forgotten=forgotten, duties=duties)
        self._write = rows, forgotten, duties
        if not self.is_slow:
            self.keep_writes()

    def is_kept(self) -> bool:
        """Return whether the test has let it be kept."""
        if self.trouble:
            self._write = None
            raise BookError(self.trouble)
        return self._write is None

    def keep_writes(self) -> None:
        """Keep what was written last."""
        if self._write is not None:
            rows, forgotten, duties = self._write
            self.kept.keep(rows, forgotten=forgotten, duties=duties)
            self._write = None
