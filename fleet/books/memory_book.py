"""A book in memory: for tests, experiments, fleets whose jobs need not survive, and as a copy of a slow book."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from fleet.books.job_row import JobRow, job_row, record_of
from fleet.dispatch.records.job import Duty
from fleet.dispatch.records.job_record import JobRecord
from fleet.errors import BookError

ENDED_MAX: Final = 10_000  # ended jobs that books keep


class MemoryBook:
    """Keeps rows of jobs, like a file.

    Parameters
    ----------
    rows : rows of jobs, the ended jobs in the order of their ends
    duties : duties of robots
    highest_number : number of the latest submission
    set_aside : open jobs with unreadable records: an explanation for each id
    """

    def __init__(
        self,
        rows: Iterable[JobRow] = (),
        duties: Mapping[int, Duty] | None = None,
        highest_number: int = 0,
        set_aside: Mapping[str, str] | None = None,
    ) -> None:
        self.set_aside: Final = dict(set_aside or {})
        self._rows: dict[str, JobRow] = {}
        self._open: dict[str, int] = {}  # their numbers
        self._ended: dict[str, None] = {}  # in the order of their ends
        self._duties: dict[int, Duty] = {}
        self.highest_number = highest_number
        self.outlives_its_holder = False
        self.keep(rows, duties=duties)

    def open_records(self) -> Sequence[JobRecord]:
        """Return the jobs that have not ended, in order of submission."""
        return [self._record(job_id) for job_id in sorted(self._open, key=self._open.__getitem__)]

    def ended_records(self, limit: int) -> Sequence[JobRecord]:
        """Return the latest ended jobs, the latest first."""
        found: list[JobRecord] = []
        for job_id in list(reversed(self._ended))[:limit]:
            with suppress(BookError):  # `find` reports what is wrong with it
                found.append(self._record(job_id))
        return found

    def find(self, job_id: str) -> JobRecord | None:
        """Return the job with an id; None if it was never submitted or is forgotten."""
        if job_id in self.set_aside:
            raise BookError(self.set_aside[job_id])
        return self._record(job_id) if job_id in self._rows else None

    def write(
        self,
        records: Iterable[JobRecord],
        *,
        forgotten: Collection[str] = (),
        duties: Mapping[int, Duty] | None = None,
    ) -> None:
        """Keep the current state of records."""
        self.keep([job_row(record) for record in records], forgotten=forgotten, duties=duties)

    def keep(
        self, rows: Iterable[JobRow], *, forgotten: Collection[str] = (), duties: Mapping[int, Duty] | None = None
    ) -> None:
        """Keep rows."""
        for job_id in forgotten:
            self._forget(job_id)
        for row in rows:
            job_id, number, ended_ns, _ = row
            self._rows[job_id] = row
            self.highest_number = max(self.highest_number, number)
            if ended_ns is None:
                self._open[job_id] = number
            else:
                self._open.pop(job_id, None)
                self._ended[job_id] = None
        while len(self._ended) > ENDED_MAX:
            self._forget(next(iter(self._ended)))
        if duties is not None:
            self._duties = dict(duties)

    def is_kept(self) -> bool:
        """Return True: a write needs no time."""
        return True

    def duties(self) -> Mapping[int, Duty]:
        """Return the latest written duties of robots."""
        return dict(self._duties)

    def close(self) -> None:
        """Do nothing."""

    def _record(self, job_id: str) -> JobRecord:
        try:
            return record_of(self._rows[job_id])
        except BookError as error:
            raise BookError(f"the record of job {job_id!r} cannot be read: {error}") from error

    def _forget(self, job_id: str) -> None:
        self._rows.pop(job_id, None)
        self._open.pop(job_id, None)
        self._ended.pop(job_id, None)
