"""Measures the duration of writes to the book of jobs."""

import statistics
import tempfile
import time
from pathlib import Path

from fleet.books.sqlite_book import SqliteBook
from fleet.dispatch.records.job import Job
from fleet.dispatch.records.job_record import JobRecord
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Work


def book_row(*, survives_power: bool, writes: int) -> dict[str, object]:
    """Return the durations of writes of one job each [ms]."""
    times_ms = []
    with tempfile.TemporaryDirectory() as folder:
        book = SqliteBook(Path(folder) / "jobs.sqlite", survives_power=survives_power)
        for number in range(1, writes + 1):
            record = JobRecord(Job(f"job {number}", Work(TaskKind.GO_HOME)), number, number)
            started_s = time.perf_counter()
            book.write([record])
            times_ms.append(1e3 * (time.perf_counter() - started_s))
        book.close()
    hundredths = statistics.quantiles(times_ms, n=100)
    return {
        "book": "sqlite, survives power" if survives_power else "sqlite, survives the process",
        "writes": writes,
        "ms_p50": round(statistics.median(times_ms), 3),
        "ms_p99": round(hundredths[98], 3),
        "ms_max": round(max(times_ms), 3),
    }
