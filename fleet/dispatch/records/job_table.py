"""All jobs that the dispatcher knows, and what each of them waits for."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Final

from fleet.dispatch.records.book import Book
from fleet.dispatch.records.job import JobState
from fleet.dispatch.records.job_record import Hold, JobRecord
from fleet.errors import BookError
from fleet.tasks.task_kind import HIGHEST_PRIORITY

ENDED_SHOWN: Final = 20


class JobTable:
    """The open jobs, in order of submission, and the latest ended ones.

    Parameters
    ----------
    book : keeps the jobs
    age_s : waiting time that raises a job's priority by one [s]
    """

    def __init__(self, book: Book, age_s: float) -> None:
        self._book: Final = book
        self._age_s: Final = age_s
        self._open: Final[dict[str, JobRecord]] = {record.job_id: record for record in book.open_records()}
        self._ended: Final[OrderedDict[str, JobRecord]] = OrderedDict()
        for record in reversed(book.ended_records(ENDED_SHOWN)):
            self._ended[record.job_id] = record
        self._end_states: Final[dict[str, JobState]] = {}  # of jobs for which others wait
        self._number = book.highest_number
        self._changed: Final[dict[str, JobRecord]] = {}
        self._written: Final[dict[str, JobRecord]] = {}  # those of the write that is under way
        self._forgotten: Final[set[str]] = set()  # refused jobs, which the book may have kept all the same
        self._written_forgotten: Final[set[str]] = set()

    @property
    def open_records(self) -> list[JobRecord]:
        """The jobs that have not ended."""
        return list(self._open.values())

    @property
    def open_count(self) -> int:
        """Number of jobs that have not ended."""
        return len(self._open)

    @property
    def shown(self) -> Iterator[JobRecord]:
        """The jobs that have not ended, then the latest ended ones, the latest first."""
        yield from self._open.values()
        yield from reversed(self._ended.values())

    @property
    def has_changed(self) -> bool:
        """Whether there is something to write."""
        return bool(self._changed or self._forgotten)

    def next_number(self) -> int:
        """Return the number of the next submission."""
        self._number += 1
        return self._number

    def find(self, job_id: str) -> JobRecord | None:
        """Return the job with an id, however long ago it ended.

        Raises
        ------
        BookError
            The book cannot be read.
        """
        known = self._open.get(job_id) or self._ended.get(job_id)
        if known is not None or job_id in self._forgotten or job_id in self._written_forgotten:
            return known
        return self._book.find(job_id)

    def open_record(self, job_id: str) -> JobRecord | None:
        """Return the open job with an id; None without one."""
        return self._open.get(job_id)

    def add(self, records: Iterable[JobRecord]) -> None:
        """Add new jobs."""
        for record in records:
            self._open[record.job_id] = record
            self._changed[record.job_id] = record
            self._forgotten.discard(record.job_id)

    def forget(self, records: Iterable[JobRecord]) -> None:
        """Withdraw jobs that the book could not keep; it deletes any that it kept after all."""
        for record in records:
            self._open.pop(record.job_id, None)
            self._changed.pop(record.job_id, None)
            self._forgotten.add(record.job_id)

    def note_change(self, record: JobRecord) -> None:
        """Include a job in the next write; an ended job leaves the open ones once that is kept."""
        self._changed[record.job_id] = record

    def start_write(self) -> tuple[list[JobRecord], set[str]]:
        """Return the jobs to write, and the ids of those to delete."""
        self._written.update(self._changed)
        self._changed.clear()
        self._written_forgotten.update(self._forgotten)
        self._forgotten.clear()
        return list(self._written.values()), set(self._written_forgotten)

    def end_write(self) -> None:
        """Note that the write is kept."""
        for record in self._written.values():
            has_ended = not record.is_open and record.job_id not in self._changed
            if has_ended and self._open.pop(record.job_id, None) is not None:
                self._ended[record.job_id] = record
        while len(self._ended) > ENDED_SHOWN:
            self._ended.popitem(last=False)
        self._written.clear()
        self._written_forgotten.clear()

    def undo_write(self) -> None:
        """Note that the write failed, or may have: all of it is written again."""
        for job_id, record in self._written.items():
            self._changed.setdefault(job_id, record)
        self._written.clear()
        self._forgotten.update(self._written_forgotten.difference(self._open))
        self._written_forgotten.clear()

    def priority(self, record: JobRecord, now_ns: int) -> float:
        """Return the priority of a job, raised by its age; instants are on the ROS clock."""
        until_ns = now_ns if record.end is None else record.end.ended_ns
        age_s = max(0, until_ns - max(record.submitted_ns, record.job.not_before_ns)) * 1e-9
        return min(float(HIGHEST_PRIORITY), record.job.priority + age_s // self._age_s)

    def waits_for(self, record: JobRecord, now_ns: int) -> str:
        """Return in words what a job waits for before any robot may take it; "" if nothing."""
        if now_ns < record.job.not_before_ns:
            return f"for {(record.job.not_before_ns - now_ns) * 1e-9:.0f} s"
        waiting = [job_id for job_id in record.job.after if job_id in self._open and self._open[job_id].is_open]
        if waiting:
            return f"for the end of {', '.join(waiting)}"
        if (failed := self.failed_dependency(record)) is not None:
            return f"for {failed}, which has ended"
        ahead = self._open.get(record.behind)
        if ahead is not None and ahead.is_open and ahead.attempt is None:
            return f"for the start of {record.behind}"
        return ""

    def failed_dependency(self, record: JobRecord) -> str | None:
        """Return a job that should have succeeded before, but ended otherwise."""
        if record.job.after_any_end:
            return None
        failed = (job_id for job_id in record.job.after if self.end_state(job_id) not in (None, JobState.SUCCEEDED))
        return next(failed, None)

    def end_state(self, job_id: str) -> JobState | None:
        """Return how a job ended; None if it has not ended or is not known."""
        if job_id not in self._end_states:
            try:
                record = self.find(job_id)
            except BookError:
                return None  # it is looked up again
            if record is None or record.end is None:
                return None
            self._end_states[job_id] = record.end.state
        return self._end_states[job_id]

    def state(self, record: JobRecord, now_ns: int, *, is_assigned: bool) -> JobState:
        """Return the state of a job; `is_assigned` is whether a robot has it next."""
        if record.end is not None:
            return record.end.state
        if record.attempt is not None:
            return JobState.EXECUTING
        if record.hold is not Hold.NONE:
            return JobState.HELD
        if self.waits_for(record, now_ns):
            return JobState.WAITING
        return JobState.ASSIGNED if is_assigned else JobState.QUEUED
