"""The book of jobs: what must survive the death of the driver."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from fleet.dispatch.records.job import Duty
from fleet.dispatch.records.job_record import JobRecord


class Book(Protocol):
    """Keeps records of jobs; no method waits for a slow disk or a silent server.

    Reading returns the latest write, even before it is kept.
    """

    def open_records(self) -> Sequence[JobRecord]:
        """Return the jobs that have not ended, in order of submission."""

    def ended_records(self, limit: int) -> Sequence[JobRecord]:
        """Return the latest ended jobs, the latest first."""

    def find(self, job_id: str) -> JobRecord | None:
        """Return the job with an id; None if it was never submitted or is forgotten.

        Raises
        ------
        BookError
            The book, or the record of this job, cannot be read.
        """

    def write(
        self,
        records: Iterable[JobRecord],
        *,
        forgotten: Collection[str] = (),
        duties: Mapping[int, Duty] | None = None,
    ) -> None:
        """Start to keep the current state of records, all or none; the previous write must be complete.

        Parameters
        ----------
        records
            new or changed jobs
        forgotten
            ids of jobs to delete
        duties
            duties of robots, if they have changed

        Raises
        ------
        BookError
            The records cannot be kept.
        """

    def is_kept(self) -> bool:
        """Return whether the latest write is kept, and so survives; False while it is in progress.

        Raises
        ------
        BookError
            It could not be kept, or that is uncertain.
        """

    def duties(self) -> Mapping[int, Duty]:
        """Return the latest written duties of robots."""

    @property
    def highest_number(self) -> int:
        """The number of the latest submission; 0 before the first."""

    @property
    def set_aside(self) -> Mapping[str, str]:
        """Open jobs whose records were unreadable when the book was opened: an explanation for each id."""

    @property
    def outlives_its_holder(self) -> bool:
        """Whether another dispatcher may get the book while its former driver still runs."""

    def close(self) -> None:
        """Release the book."""


class BookAccess(Protocol):
    """Access to a book that several dispatchers want, but only one has at a time."""

    def poll(self, core_ns: int) -> Book | None:
        """Return the book while it is ours, a new object each time that it becomes ours; call this in each tick."""

    @property
    def obstacle(self) -> str:
        """Why the book is not ours, or cannot be written; "" if neither."""

    @property
    def is_held_elsewhere(self) -> bool:
        """Whether another dispatcher has the book."""

    def close(self) -> None:
        """Stop trying, and release the book."""
