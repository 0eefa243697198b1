"""A book of jobs on a PostgreSQL server, for fleets of several hosts.

A separate thread talks to the server; the driver's tick reads a copy in memory, and never waits. An advisory lock on
the server decides which driver has the book: it is released as soon as the server has ended the session.
"""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import psycopg

from fleet.books import postgresql_server as server
from fleet.books.job_row import JobRow, duties_from_text, duties_text, job_row, split
from fleet.books.memory_book import ENDED_MAX, MemoryBook
from fleet.dispatch.records.job import Duty
from fleet.dispatch.records.job_record import JobRecord
from fleet.errors import BookError
from thymio_base.errors import TextError
from thymio_base.fence import Fence

_RETRY_S: Final = 1.0  # between two tries to connect, or to take the book
_HEARTBEAT_S: Final = 1.0
_FORGET_EVERY: Final = 500  # number of jobs that end between two deletions of old ones


@dataclass(slots=True)
class _Write:
    """A write for the thread; `error` says why it failed, "" if it did not."""

    rows: Sequence[JobRow]
    forgotten: Collection[str]
    values: Mapping[str, str]
    ended_max: int | None
    is_over: bool = False
    error: str = ""


class PostgresqlBook:
    """One reign: from when the book became ours until another driver gets it."""

    def __init__(self, session: "PostgresqlAccess", copy: MemoryBook) -> None:
        self._session: Final = session
        self._copy: Final = copy
        self._write: _Write | None = None
        self._ended_since = 0
        self.outlives_its_holder = True

    @property
    def highest_number(self) -> int:
        """The number of the latest submission; 0 before the first."""
        return self._copy.highest_number

    @property
    def set_aside(self) -> Mapping[str, str]:
        """See `Book.set_aside`."""
        return self._copy.set_aside

    def open_records(self) -> Sequence[JobRecord]:
        """Return the jobs that have not ended, in order of submission."""
        return self._copy.open_records()

    def ended_records(self, limit: int) -> Sequence[JobRecord]:
        """Return the latest ended jobs, the latest first."""
        return self._copy.ended_records(limit)

    def find(self, job_id: str) -> JobRecord | None:
        """Return the job with an id; None if it was never submitted or is forgotten."""
        return self._copy.find(job_id)

    def duties(self) -> Mapping[int, Duty]:
        """Return the latest written duties of robots."""
        return self._copy.duties()

    def write(
        self,
        records: Iterable[JobRecord],
        *,
        forgotten: Collection[str] = (),
        duties: Mapping[int, Duty] | None = None,
    ) -> None:
        """Start to keep the current state of records, all or none.

        Raises
        ------
        BookError
            There is no session with the server.
        """
        rows = [job_row(record) for record in records]
        self._session.check(self)
        self._copy.keep(rows, forgotten=forgotten, duties=duties)
        values = {"highest_number": str(self.highest_number)}
        if duties is not None:
            values["duties"] = duties_text(duties)
        self._ended_since += sum(row[2] is not None for row in rows)
        is_full = self._ended_since >= _FORGET_EVERY
        self._ended_since = 0 if is_full else self._ended_since
        self._write = _Write(rows, forgotten, values, ENDED_MAX if is_full else None)
        self._session.start(self._write)

    def is_kept(self) -> bool:
        """Return whether the server has confirmed the latest write.

        Raises
        ------
        BookError
            It has failed, or the server does not answer.
        """
        write = self._write
        if write is None:
            return True
        if not write.is_over:
            self._session.check(self)
            return False
        self._write = None
        if write.error:
            raise BookError(write.error)
        return True

    def close(self) -> None:
        """End the session, which releases the book."""
        self._session.close()


class PostgresqlAccess:
    """Connects to a server, waits for the book, and keeps the session alive; reconnects as often as needed.

    Parameters
    ----------
    text : the data source, which follows "postgresql:" in dispatch.book
    name : name of this driver, as shown to others

    Raises
    ------
    BookError
        The text is not a data source.
    """

    def __init__(self, text: str, name: str) -> None:
        self._source: Final = server.DataSource(text)
        self._name: Final = name
        self._changed: Final = threading.Condition()
        self._trouble = self._words("there is no connection yet")
        self._has_hung_up = False  # because the server was silent, whatever error that leads to
        self._holder = ""  # the driver that has the book
        self._term = -1  # of our latest reign
        self._book: PostgresqlBook | None = None
        self._write: _Write | None = None
        self._asked_s: float | None = None  # since when the server owes an answer
        self._socket: socket.socket | None = None
        self._is_closed = False
        self._fence: Final = Fence()
        self._thread: Final = threading.Thread(target=self._run, name="book of jobs", daemon=True)
        self._thread.start()

    # For the driver's tick: nothing here waits

    def poll(self, core_ns: int) -> PostgresqlBook | None:
        """Return the book while it is ours."""
        self._drop_silent_server()
        with self._changed:
            return self._book

    @property
    def obstacle(self) -> str:
        """Why the book is not ours, or cannot be written; "" if neither."""
        with self._changed:
            return self._trouble or (f"{self._holder} has the book of jobs" if self._holder else "")

    @property
    def is_held_elsewhere(self) -> bool:
        """Whether another driver has the book."""
        with self._changed:
            return bool(self._holder) and not self._trouble

    def check(self, book: PostgresqlBook) -> None:
        """Raise BookError unless there is a session that has the book, in the same reign."""
        self._drop_silent_server()
        with self._changed:
            if self._trouble:
                raise BookError(self._trouble)
            if self._book is not book:
                raise BookError(f"{self._holder or 'another driver'} has, or has had, the book of jobs")

    def start(self, write: _Write) -> None:
        """Have the thread do a write."""
        with self._changed:
            self._write = write
            self._changed.notify()

    def close(self) -> None:
        """End the session; a silent server does not delay that."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join(timeout=0.5)
        self._hang_up()

    def _drop_silent_server(self) -> None:
        with self._changed:
            is_silent = self._asked_s is not None and time.monotonic() - self._asked_s > server.ANSWER_S
            if is_silent and self._socket is not None:
                self._trouble = self._words(f"the server has not answered for {server.ANSWER_S:g} s")
                self._hang_up()

    def _hang_up(self) -> None:
        """End the connection while the thread may be waiting for the server."""
        if self._socket is not None:
            self._has_hung_up = True
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()
            self._socket = None

    # The thread

    def _run(self) -> None:
        while not self._is_closed:
            try:
                with self._source.connect(f"thymio_fleet {self._name}") as connection:
                    self._note_connection(connection)
                    self._serve(connection)
            except (psycopg.Error, BookError, OSError, TextError) as error:
                self._note_trouble(server.one_line(error))
            except Exception as error:  # without this thread, no job is kept
                self._note_trouble(self._fence.note("book of jobs", error))
            with self._changed:
                self._changed.wait_for(lambda: self._is_closed, _RETRY_S)

    def _note_connection(self, connection: psycopg.Connection) -> None:
        with self._changed:
            self._socket = socket.socket(fileno=os.dup(connection.fileno()))

    def _note_trouble(self, text: str) -> None:
        with self._changed:
            if not self._has_hung_up:
                self._trouble = self._words(text)
            self._has_hung_up = False
            self._asked_s = None
            if self._socket is not None:
                self._socket.close()
                self._socket = None
            self._end_write(self._trouble)

    def _end_write(self, error: str) -> None:
        if self._write is not None:
            self._write.error, self._write.is_over = error, True
            self._write = None

    def _serve(self, connection: psycopg.Connection) -> None:
        with self._answering():
            server.prepare(connection)
        while not self._is_closed:
            with self._answering():
                is_ours = server.try_lock(connection)
                if is_ours:
                    self._reign(connection)
                else:
                    self._note_holder(server.value(connection, "holder", "another driver"))
            if is_ours:
                break
            with self._changed:
                self._changed.wait_for(lambda: self._is_closed, _RETRY_S)
        while not self._is_closed:
            self._step(connection)

    def _reign(self, connection: psycopg.Connection) -> None:
        """Start a reign, or continue ours if no other driver has had the book since."""
        term = server.number(connection, "term")
        copy: MemoryBook | None = None
        if self._book is None or term != self._term:
            duties = duties_from_text(server.value(connection, "duties", "{}"))
            copy = self._copied(connection, duties, server.number(connection, "highest_number"))
            term += 1
            server.put(connection, {"term": str(term), "holder": self._name})
        with self._changed:
            self._trouble = self._holder = ""
            self._term = term
            if copy is not None:
                self._lose()
                self._book = PostgresqlBook(self, copy)

    def _copied(self, connection: psycopg.Connection, duties: Mapping[int, Duty], highest: int) -> MemoryBook:
        """Return a copy of the book; open jobs with unreadable records are set aside."""
        rows = server.rows(connection)
        _, unreadable = split(row for row in rows if row[2] is None)
        if unreadable:
            server.set_aside(connection, unreadable)
        aside = {
            job_id: f"job {job_id!r} was set aside, because its record cannot be read: {why}; "
            f"see table thymio_fleet_set_aside {self._source}"
            for job_id, why in server.known_aside(connection).items()
        }
        return MemoryBook([row for row in rows if row[0] not in aside], duties, highest, aside)

    def _note_holder(self, holder: str) -> None:
        with self._changed:
            self._trouble, self._holder = "", holder
            self._lose()

    def _lose(self) -> None:
        self._end_write("another driver has the book of jobs")
        self._book = None

    def _step(self, connection: psycopg.Connection) -> None:
        """Do the next write, or send a sign of life to the server."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._write is not None, _HEARTBEAT_S)
            write = self._write
        with self._answering():
            if write is None:
                connection.execute("SELECT 1")
            else:
                server.write(connection, write.rows, write.forgotten, write.values, write.ended_max)
        with self._changed:
            if self._write is not None and self._write is write:
                self._end_write("")

    @contextlib.contextmanager
    def _answering(self) -> Iterator[None]:
        """Note that an answer of the server is due."""
        with self._changed:
            self._asked_s = time.monotonic()
        yield
        with self._changed:
            self._asked_s = None

    def _words(self, text: str) -> str:
        return f"cannot write the book of jobs {self._source}: {text}"
