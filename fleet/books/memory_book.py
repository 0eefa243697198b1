"""A book in memory: for tests, experiments, fleets that need not survive their driver, and as a copy of a slow book."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from fleet.books.job_row import JobRow, job_row
from fleet.dispatch.records.duty import Duty
from fleet.dispatch.records.job_record import JobRecord
from fleet.dispatch.records.record_values import record_from_values
from thymio_base.texts.json_text import own_json

ENDED_MAX: Final = 10_000  # ended jobs that books keep


class MemoryBook:
    """Keeps rows of jobs, as a file does.

    Parameters
    ----------
    rows : of jobs, the ended ones in the order of their ends
    duties : of robots
    highest_number : of the latest submission
    """

    def __init__(
        self, rows: Iterable[JobRow] = (), duties: Mapping[int, Duty] | None = None, highest_number: int = 0
    ) -> None:
        self._texts: dict[str, str] = {}
        self._open: dict[str, int] = {}  # their numbers
        self._ended: dict[str, None] = {}  # in the order of their ends
        self._duties: dict[int, Duty] = {}
        self.highest_number = highest_number
        self.outlives_its_holder = False
        self.keep(rows, duties=duties)

    def open_records(self) -> Sequence[JobRecord]:
        """Return the jobs that have not ended, in the order of their submission."""
        return [self._record(job_id) for job_id in sorted(self._open, key=self._open.__getitem__)]

    def ended_records(self, limit: int) -> Sequence[JobRecord]:
        """Return the jobs that ended last, the latest first."""
        return [self._record(job_id) for job_id in list(reversed(self._ended))[:limit]]

    def find(self, job_id: str) -> JobRecord | None:
        """Return the job of an id, None if it was never submitted or is forgotten."""
        return self._record(job_id) if job_id in self._texts else None

    def write(
        self,
        records: Iterable[JobRecord],
        *,
        forgotten: Collection[str] = (),
        duties: Mapping[int, Duty] | None = None,
    ) -> None:
        """Keep records as they are now."""
        self.keep([job_row(record) for record in records], forgotten=forgotten, duties=duties)

    def keep(
        self, rows: Iterable[JobRow], *, forgotten: Collection[str] = (), duties: Mapping[int, Duty] | None = None
    ) -> None:
        """Keep rows."""
        for job_id in forgotten:
            self._forget(job_id)
        for job_id, number, ended_ns, text in rows:
            self._texts[job_id] = text
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
        """Return the duties of robots, as written last."""
        return dict(self._duties)

    def close(self) -> None:
        """Do nothing."""

    def _record(self, job_id: str) -> JobRecord:
        return record_from_values(own_json(self._texts[job_id]))

    def _forget(self, job_id: str) -> None:
        self._texts.pop(job_id, None)
        self._open.pop(job_id, None)
        self._ended.pop(job_id, None)
