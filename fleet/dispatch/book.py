"""The book of jobs: what must survive the death of the driver."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from fleet.dispatch.duty import Duty
from fleet.dispatch.job_record import JobRecord


class Book(Protocol):
    """Keeps records of jobs; what `write` has returned from is not lost."""

    def open_records(self) -> Sequence[JobRecord]:
        """Return the jobs that have not ended, in the order of their submission."""

    def ended_records(self, limit: int) -> Sequence[JobRecord]:
        """Return the jobs that ended last, the latest first."""

    def find(self, job_id: str) -> JobRecord | None:
        """Return the job of an id, None if it was never submitted or is forgotten.

        Raises
        ------
        BookError
            The book cannot be read.
        """

    def write(self, records: Iterable[JobRecord]) -> None:
        """Keep records as they are now, all or none.

        Raises
        ------
        BookError
            They cannot be kept.
        """

    def duties(self) -> Mapping[int, Duty]:
        """Return the duties of robots, as written last."""

    def write_duties(self, duties: Mapping[int, Duty]) -> None:
        """Keep which robots take jobs.

        Raises
        ------
        BookError
            They cannot be kept.
        """

    @property
    def highest_number(self) -> int:
        """The number of the latest submission; 0 before the first."""

    def close(self) -> None:
        """Let go of the book."""
