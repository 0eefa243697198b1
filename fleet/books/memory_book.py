"""A book in memory: for tests, experiments, and fleets that need not survive their driver."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from fleet.dispatch.duty import Duty
from fleet.dispatch.job_record import JobRecord
from fleet.dispatch.record_values import record_from_values, record_to_values

_ENDED_MAX: Final = 10_000


class MemoryBook:
    """Keeps the values of records, as a file does."""

    def __init__(self) -> None:
        self._records: dict[str, dict[str, Any]] = {}
        self._ended: dict[str, None] = {}  # in the order of their ends
        self._duties: dict[int, Duty] = {}
        self.highest_number = 0
        self.is_lost = False
        self.outlives_its_holder = False

    def open_records(self) -> Sequence[JobRecord]:
        """Return the jobs that have not ended, in the order of their submission."""
        found = [record_from_values(values) for values in self._records.values() if values["end"] is None]
        return sorted(found, key=lambda record: record.number)

    def ended_records(self, limit: int) -> Sequence[JobRecord]:
        """Return the jobs that ended last, the latest first."""
        return [record_from_values(self._records[job_id]) for job_id in list(reversed(self._ended))[:limit]]

    def find(self, job_id: str) -> JobRecord | None:
        """Return the job of an id, None if it was never submitted or is forgotten."""
        values = self._records.get(job_id)
        return None if values is None else record_from_values(values)

    def write(
        self,
        records: Iterable[JobRecord],
        *,
        forgotten: Collection[str] = (),
        duties: Mapping[int, Duty] | None = None,
    ) -> None:
        """Keep records as they are now."""
        for job_id in forgotten:
            self._records.pop(job_id, None)
            self._ended.pop(job_id, None)
        for record in records:
            self._records[record.job_id] = record_to_values(record)
            self.highest_number = max(self.highest_number, record.number)
            if not record.is_open:
                self._ended[record.job_id] = None
        while len(self._ended) > _ENDED_MAX:
            oldest = next(iter(self._ended))
            del self._ended[oldest], self._records[oldest]
        if duties is not None:
            self._duties = dict(duties)

    def is_kept(self) -> bool:
        """Return True: a write needs no time."""
        return True

    def duties(self) -> Mapping[int, Duty]:
        """Return the duties of robots, as written last."""
        return dict(self._duties)

    def close(self) -> None:
        """Do nothing."""
