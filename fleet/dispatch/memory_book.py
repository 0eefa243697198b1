"""A book in memory: for tests, experiments, and fleets that need not survive their driver."""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Final

from fleet.dispatch.duty import Duty
from fleet.dispatch.job_record import JobRecord

_ENDED_MAX: Final = 10_000


class MemoryBook:
    """Keeps copies of the records, as a file does."""

    def __init__(self) -> None:
        self._records: dict[str, JobRecord] = {}
        self._ended: dict[str, None] = {}  # in the order of their ends
        self._duties: dict[int, Duty] = {}
        self.highest_number = 0

    def open_records(self) -> Sequence[JobRecord]:
        """Return the jobs that have not ended, in the order of their submission."""
        found = [deepcopy(record) for record in self._records.values() if record.is_open]
        return sorted(found, key=lambda record: record.number)

    def ended_records(self, limit: int) -> Sequence[JobRecord]:
        """Return the jobs that ended last, the latest first."""
        return [deepcopy(self._records[job_id]) for job_id in list(reversed(self._ended))[:limit]]

    def find(self, job_id: str) -> JobRecord | None:
        """Return the job of an id, None if it was never submitted or is forgotten."""
        return deepcopy(self._records.get(job_id))

    def write(self, records: Iterable[JobRecord]) -> None:
        """Keep records as they are now."""
        for record in records:
            self._records[record.job_id] = deepcopy(record)
            self.highest_number = max(self.highest_number, record.number)
            if not record.is_open:
                self._ended[record.job_id] = None
        while len(self._ended) > _ENDED_MAX:
            oldest = next(iter(self._ended))
            del self._ended[oldest], self._records[oldest]

    def duties(self) -> Mapping[int, Duty]:
        """Return the duties of robots, as written last."""
        return dict(self._duties)

    def write_duties(self, duties: Mapping[int, Duty]) -> None:
        """Keep which robots take jobs."""
        self._duties = dict(duties)

    def close(self) -> None:
        """Do nothing."""
