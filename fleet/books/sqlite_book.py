"""A book of jobs in one SQLite file; its write-ahead log makes each write survive the death of the process."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from fleet.books.job_row import JobRow, duties_from_text, duties_text, job_row, record_of, split
from fleet.books.memory_book import ENDED_MAX
from fleet.dispatch.records.job import Duty
from fleet.dispatch.records.job_record import JobRecord
from fleet.errors import BookError
from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import whole_number

_SCHEMA: Final = 1
_FORGET_EVERY: Final = 500  # number of jobs that end between two deletions of old ones
_LOCK_S: Final = 0.5  # for a lock while the book is opened
_WRITE_LOCK_MS: Final = 5  # for one later: the driver's tick waits, and writes again in the next one
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS jobs (
    job_id TEXT PRIMARY KEY, number INTEGER NOT NULL, ended_ns INTEGER, record TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS set_aside (job_id, number, ended_ns, record, why TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS jobs_by_end ON jobs (ended_ns, number);
"""
_WRITTEN: Final = (
    "INSERT INTO jobs VALUES (?, ?, ?, ?) ON CONFLICT (job_id) DO UPDATE"
    " SET number = excluded.number, ended_ns = excluded.ended_ns, record = excluded.record"
)


class SqliteBook:
    """Keeps records as JSON, one row each.

    Rows of open jobs that cannot be read go to a separate table, and as lines of JSON into a file beside the book. Any
    number of programs may read the book meanwhile. `SqliteAccess` ensures that only one driver writes it.

    Parameters
    ----------
    file : created if it does not exist; the caller has the lock of `SqliteAccess`
    survives_power : whether each write waits until it is on the disk

    Attributes
    ----------
    set_aside : see `Book.set_aside`

    Raises
    ------
    BookError
        The file cannot be opened, is not a book, is of a newer version, or another program writes it.
    """

    def __init__(self, file: Path, *, survives_power: bool = False) -> None:
        self._file: Final = file
        self._ended_since = 0
        self.outlives_its_holder = False
        try:
            self._connection: Final = sqlite3.connect(file, timeout=_LOCK_S, isolation_level=None)
            self._open(survives_power)
            self.highest_number = self._highest_number()
            self.set_aside: Final = self._set_unreadable_aside()
        except (sqlite3.Error, OSError, TextError) as error:
            raise self._error("cannot open", error) from error

    def open_records(self) -> Sequence[JobRecord]:
        """Return the jobs that have not ended, in order of submission."""
        return split(self._select("WHERE ended_ns IS NULL ORDER BY number"))[0]

    def ended_records(self, limit: int) -> Sequence[JobRecord]:
        """Return the latest ended jobs, the latest first."""
        return split(self._select("WHERE ended_ns IS NOT NULL ORDER BY ended_ns DESC, number DESC LIMIT ?", limit))[0]

    def find(self, job_id: str) -> JobRecord | None:
        """Return the job with an id; None if it was never submitted or is forgotten."""
        for row in self._select("WHERE job_id = ?", job_id):
            try:
                return record_of(row)
            except BookError as error:
                raise BookError(f"the record of job {job_id!r} in {self._file} cannot be read: {error}") from error
        for (why,) in self._rows("SELECT why FROM set_aside WHERE job_id = ?", job_id):
            raise BookError(self._sentence(job_id, why))
        return None

    def write(
        self,
        records: Iterable[JobRecord],
        *,
        forgotten: Collection[str] = (),
        duties: Mapping[int, Duty] | None = None,
    ) -> None:
        """Keep the current state of records, all or none.

        Raises
        ------
        BookError
            The records cannot be kept.
        """
        rows = [job_row(record) for record in records]
        highest = max([self.highest_number, *(row[1] for row in rows)])
        self._ended_since += sum(row[2] is not None for row in rows)
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany("DELETE FROM jobs WHERE job_id = ?", [(job_id,) for job_id in forgotten])
                self._connection.executemany(_WRITTEN, rows)
                if highest != self.highest_number:
                    self._put("highest_number", str(highest))
                if duties is not None:
                    self._put("duties", duties_text(duties))
                if self._ended_since >= _FORGET_EVERY:
                    self._forget_old()
        except sqlite3.Error as error:
            raise self._error("cannot write", error) from error
        self.highest_number = highest

    def is_kept(self) -> bool:
        """Return True: `write` returns only then."""
        return True

    def duties(self) -> Mapping[int, Duty]:
        """Return the latest written duties of robots."""
        return duties_from_text(self._value("duties", "{}"))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _open(self, survives_power: bool) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute(f"PRAGMA synchronous = {'FULL' if survives_power else 'NORMAL'}")
        self._connection.executescript(_TABLES)
        schema = whole_number(self._value("schema", str(_SCHEMA)))
        if schema > _SCHEMA:
            raise OSError(f"it is of version {schema}, this program knows {_SCHEMA}")
        self._put("schema", str(_SCHEMA))
        self._connection.execute(f"PRAGMA busy_timeout = {_WRITE_LOCK_MS}")

    def _value(self, key: str, default: str) -> str:
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return default if row is None else str(row[0])

    def _put(self, key: str, value: str) -> None:
        if not self._connection.execute("UPDATE meta SET value = ? WHERE key = ?", (value, key)).rowcount:
            self._connection.execute("INSERT INTO meta VALUES (?, ?)", (key, value))

    def _highest_number(self) -> int:
        """Return the number of the latest submission; the highest number of a job if it is unreadable."""
        with suppress(TextError):
            return whole_number(self._value("highest_number", "0"))
        ((number,),) = self._rows("SELECT max(number) FROM jobs WHERE typeof(number) = 'integer'")
        return int(number or 0)

    def _set_unreadable_aside(self) -> dict[str, str]:
        """Move unreadable rows of open jobs into a table, and copy them into a file."""
        _, unreadable = split(self._select("WHERE ended_ns IS NULL"))
        if not unreadable:
            return {}
        with self._connection:
            self._connection.execute("BEGIN")
            for row, why in unreadable:
                self._connection.execute("INSERT INTO set_aside VALUES (?, ?, ?, ?, ?)", (*row, why))
                self._connection.execute("DELETE FROM jobs WHERE job_id IS ?", (row[0],))
        with suppress(OSError), self._file_beside.open("a", encoding="utf-8", errors="backslashreplace") as file:
            for row, why in unreadable:
                file.write(json.dumps({"why": why, "row": row}, default=repr) + "\n")
        return {str(row[0]): self._sentence(row[0], why) for row, why in unreadable}

    @property
    def _file_beside(self) -> Path:
        return self._file.with_name(f"{self._file.name}.set_aside")

    def _sentence(self, job_id: object, why: str) -> str:
        return f"job {job_id!r} was set aside, because its record cannot be read: {why}; see {self._file_beside}"

    def _select(self, condition: str, *values: object) -> list[JobRow]:
        return self._rows(f"SELECT job_id, number, ended_ns, record FROM jobs {condition}", *values)

    def _rows(self, query: str, *values: object) -> list[Any]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise self._error("cannot read", error) from error

    def _forget_old(self) -> None:
        self._ended_since = 0
        self._connection.execute(
            "DELETE FROM jobs WHERE ended_ns IS NOT NULL AND job_id NOT IN"
            " (SELECT job_id FROM jobs WHERE ended_ns IS NOT NULL ORDER BY ended_ns DESC, number DESC LIMIT ?)",
            (ENDED_MAX,),
        )

    def _error(self, what: str, error: Exception) -> BookError:
        hint = "; another program writes it" if "locked" in str(error) else ""
        return BookError(f"{what} the book of jobs {self._file}: {error!s}{hint}")
