"""A book of jobs in one SQLite file; its write-ahead log makes each write survive the death of the process."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from fleet.books.job_row import duties_from_text, duties_text, job_row
from fleet.books.memory_book import ENDED_MAX
from fleet.dispatch.records.duty import Duty
from fleet.dispatch.records.job_record import JobRecord
from fleet.dispatch.records.record_values import record_from_values
from fleet.errors import BookError
from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import whole_number
from thymio_base.texts.json_text import read_json

_SCHEMA: Final = 1
_FORGET_EVERY: Final = 500  # jobs that end between two looks for older ones
_LOCK_S: Final = 0.5
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS jobs (
    job_id TEXT PRIMARY KEY, number INTEGER NOT NULL, ended_ns INTEGER, record TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS jobs_by_end ON jobs (ended_ns, number);
"""


class SqliteBook:
    """Keeps records as JSON, one row each.

    Parameters
    ----------
    file : is created if it does not exist; two drivers cannot use it at the same time
    survives_power : whether each write waits until it is on the disk

    Raises
    ------
    BookError
        The file cannot be opened, is no book, is of a newer version, or another program uses it.
    """

    def __init__(self, file: Path, *, survives_power: bool = False) -> None:
        self._file: Final = file
        self._ended_since = 0
        self.outlives_its_holder = False
        try:
            self._connection: Final = sqlite3.connect(file, timeout=_LOCK_S, isolation_level=None)
            self._open(survives_power)
            self.highest_number = whole_number(self._value("highest_number", "0"))
        except (sqlite3.Error, OSError, TextError) as error:
            raise self._error("cannot open", error) from error

    def open_records(self) -> Sequence[JobRecord]:
        """Return the jobs that have not ended, in the order of their submission."""
        return self._select("WHERE ended_ns IS NULL ORDER BY number")

    def ended_records(self, limit: int) -> Sequence[JobRecord]:
        """Return the jobs that ended last, the latest first."""
        return self._select("WHERE ended_ns IS NOT NULL ORDER BY ended_ns DESC, number DESC LIMIT ?", limit)

    def find(self, job_id: str) -> JobRecord | None:
        """Return the job of an id, None if it was never submitted or is forgotten."""
        return next(iter(self._select("WHERE job_id = ?", job_id)), None)

    def write(
        self,
        records: Iterable[JobRecord],
        *,
        forgotten: Collection[str] = (),
        duties: Mapping[int, Duty] | None = None,
    ) -> None:
        """Keep records as they are now, all or none.

        Raises
        ------
        BookError
            They cannot be kept.
        """
        rows = [job_row(record) for record in records]
        highest = max([self.highest_number, *(row[1] for row in rows)])
        self._ended_since += sum(row[2] is not None for row in rows)
        try:
            with self._connection:
                self._connection.execute("BEGIN")
                self._connection.executemany("DELETE FROM jobs WHERE job_id = ?", [(job_id,) for job_id in forgotten])
                self._connection.executemany("INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, ?)", rows)
                self._put("highest_number", str(highest))
                if duties is not None:
                    self._put("duties", duties_text(duties))
                if self._ended_since >= _FORGET_EVERY:
                    self._forget_old()
        except sqlite3.Error as error:
            raise self._error("cannot write", error) from error
        self.highest_number = highest

    def is_kept(self) -> bool:
        """Return True: `write` has not returned before."""
        return True

    def duties(self) -> Mapping[int, Duty]:
        """Return the duties of robots, as written last."""
        return duties_from_text(self._value("duties", "{}"))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _open(self, survives_power: bool) -> None:
        self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute(f"PRAGMA synchronous = {'FULL' if survives_power else 'NORMAL'}")
        self._connection.executescript(_TABLES)
        schema = whole_number(self._value("schema", str(_SCHEMA)))
        if schema > _SCHEMA:
            raise OSError(f"it is of version {schema}, this program knows {_SCHEMA}")
        self._put("schema", str(_SCHEMA))

    def _value(self, key: str, default: str) -> str:
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return default if row is None else str(row[0])

    def _put(self, key: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def _select(self, condition: str, *values: object) -> list[JobRecord]:
        try:
            rows = self._connection.execute(f"SELECT record FROM jobs {condition}", values).fetchall()
        except sqlite3.Error as error:
            raise self._error("cannot read", error) from error
        try:
            return [record_from_values(read_json(row[0])) for row in rows]
        except (KeyError, TypeError, ValueError) as error:
            raise self._error("cannot understand a record of", error) from error

    def _forget_old(self) -> None:
        self._ended_since = 0
        self._connection.execute(
            "DELETE FROM jobs WHERE ended_ns IS NOT NULL AND job_id NOT IN"
            " (SELECT job_id FROM jobs WHERE ended_ns IS NOT NULL ORDER BY ended_ns DESC, number DESC LIMIT ?)",
            (ENDED_MAX,),
        )

    def _error(self, what: str, error: Exception) -> BookError:
        hint = "; another driver uses it" if "locked" in str(error) else ""
        return BookError(f"{what} the book of jobs {self._file}: {error!s}{hint}")
