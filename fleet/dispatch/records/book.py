"""The book of jobs: what must survive the death of the driver."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from fleet.dispatch.records.job import Duty
from fleet.dispatch.records.job_record import JobRecord


class Book(Protocol):
    """Keeps records of jobs; nothing here waits for a disk that is slow or a server that is silent.

    Reading returns what was written last, whether it is kept yet or not.
    """

    def open_records(self) -> Sequence[JobRecord]:
        """Return the jobs that have not ended, in the order of their submission."""

    def ended_records(self, limit: int) -> Sequence[JobRecord]:
        """Return the jobs that ended last, the latest first."""

    def find(self, job_id: str) -> JobRecord | None:
        """Return the job of an id, None if it was never submitted or is forgotten.

        Raises
        ------
        BookError
            The book cannot be read, or not the record of this job.
        """

    def write(
        self,
        records: Iterable[JobRecord],
        *,
        forgotten: Collection[str] = (),
        duties: Mapping[int, Duty] | None = None,
    ) -> None:
        """Begin to keep records as they are now, all or none; the write before must be over.

        Parameters
        ----------
        records
            new or changed jobs
        forgotten
            ids of jobs to delete
        duties
            of robots, if they have changed

        Raises
        ------
        BookError
            They cannot be kept.
        """

    def is_kept(self) -> bool:
        """Return whether the latest write is kept: from then on it survives; False while it is under way.

        Raises
        ------
        BookError
            It could not be kept, or nobody knows whether it is.
        """

    def duties(self) -> Mapping[int, Duty]:
        """Return the duties of robots, as written last."""

    @property
    def highest_number(self) -> int:
        """The number of the latest submission; 0 before the first."""

    @property
    def set_aside(self) -> Mapping[str, str]:
        """Open jobs whose records could not be read when the book was opened: for each id, a sentence about it."""

    @property
    def outlives_its_holder(self) -> bool:
        """Whether another dispatcher may get the book while the driver that had it still runs."""

    def close(self) -> None:
        """Let go of the book."""


class BookAccess(Protocol):
    """The way to a book that several dispatchers want; one of them has it at a time."""

    def poll(self, core_ns: int) -> Book | None:
        """Return the book while it is ours, another one for each time that it becomes ours; call it in each tick."""

    @property
    def obstacle(self) -> str:
        """Why the book is not ours, or cannot be written, in words; "" if neither."""

    @property
    def is_held_elsewhere(self) -> bool:
        """Whether another dispatcher has the book."""

    def close(self) -> None:
        """Stop trying, and let go of the book."""
