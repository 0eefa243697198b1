"""Talks to a PostgreSQL server about the tables of a book of jobs; each call waits for the server."""

import socket
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from fleet.books.job_row import JobRow
from fleet.errors import BookError
from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import whole_number

SCHEMA: Final = 1
CONNECT_S: Final = 3
ANSWER_S: Final = 3.0
_SILENT_S: Final = 8  # without a word from us, the server ends the session, which frees the lock
_LOCK: Final = 1_413_829_460  # the upper half of the lock's key; the lower one is the table's
_SETTINGS: Final = " ".join(
    f"-c {name}={value}"
    for name, value in {
        "statement_timeout": f"{ANSWER_S:g}s",
        "idle_in_transaction_session_timeout": f"{_SILENT_S}s",
        "idle_session_timeout": f"{_SILENT_S}s",  # from PostgreSQL 14 on
        "tcp_keepalives_idle": 2,
        "tcp_keepalives_interval": 1,
        "tcp_keepalives_count": 3,
    }.items()
)
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS thymio_fleet_meta (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE IF NOT EXISTS thymio_fleet_jobs (
    job_id text PRIMARY KEY, number bigint NOT NULL, ended_ns bigint, record text NOT NULL);
CREATE INDEX IF NOT EXISTS thymio_fleet_jobs_by_end ON thymio_fleet_jobs (ended_ns, number);
"""
_ASIDE_TABLE: Final = """
CREATE TABLE IF NOT EXISTS thymio_fleet_set_aside (
    job_id text NOT NULL, number bigint NOT NULL, ended_ns bigint, record text NOT NULL, why text NOT NULL)
"""
_PUT: Final = "INSERT INTO thymio_fleet_meta VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_PUT_JOB: Final = (
    "INSERT INTO thymio_fleet_jobs VALUES (%s, %s, %s, %s) ON CONFLICT (job_id) DO UPDATE"
    " SET number = excluded.number, ended_ns = excluded.ended_ns, record = excluded.record"
)
_FORGET_OLD: Final = (
    "DELETE FROM thymio_fleet_jobs WHERE ended_ns IS NOT NULL AND job_id NOT IN (SELECT job_id FROM thymio_fleet_jobs"
    " WHERE ended_ns IS NOT NULL ORDER BY ended_ns DESC, number DESC LIMIT %s)"
)


class DataSource:
    """The place of a book: a libpq connection string, or the rest of a URI that begins with //.

    Raises
    ------
    BookError
        The text is neither.
    """

    def __init__(self, text: str) -> None:
        dsn = f"postgresql:{text}" if text.startswith("//") else text
        try:
            self._parameters: Final[dict[str, Any]] = conninfo_to_dict(dsn)
        except psycopg.Error as error:
            raise BookError(
                f"dispatch.book is not a PostgreSQL address: {one_line(error)}; write for instance"
                " postgresql://user@host/database, or postgresql:host=HOST dbname=DATABASE"
            ) from error

    def __str__(self) -> str:
        """Return server and database, without user and password."""
        host = self._parameters.get("host") or "this host"
        port = f":{self._parameters['port']}" if "port" in self._parameters else ""
        database = self._parameters.get("dbname")
        return f"on {host}{port}{f', database {database}' if database else ''}"

    def connect(self, name: str) -> psycopg.Connection:
        """Return a new session, which the server ends when it receives nothing for some time.

        `name` is shown to the server's administrator.
        """
        settings = f"{self._parameters.get('options') or ''} {_SETTINGS}".strip()
        own = {"application_name": name, "options": settings}
        return psycopg.connect(
            make_conninfo("", **_with_address({"connect_timeout": CONNECT_S, **self._parameters, **own})),
            autocommit=True,
        )


def prepare(connection: psycopg.Connection) -> None:
    """Create the tables if they are missing.

    Raises
    ------
    BookError
        The tables are of a newer version.
    """
    row = connection.execute("SELECT to_regclass('thymio_fleet_meta') IS NOT NULL").fetchone()
    if row is None or not row[0]:
        connection.execute(_TABLES)
    schema = whole_number(value(connection, "schema", "0"))
    if schema > SCHEMA:
        raise BookError(f"it is of version {schema}, this program knows {SCHEMA}")
    if schema < SCHEMA:
        connection.execute(_PUT, ("schema", str(SCHEMA)))


def try_lock(connection: psycopg.Connection) -> bool:
    """Take the book for as long as the session lives; return whether that succeeded."""
    row = connection.execute(
        "SELECT pg_try_advisory_lock((%s::bigint << 32) + 'thymio_fleet_jobs'::regclass::oid::bigint)", (_LOCK,)
    ).fetchone()
    return row is not None and bool(row[0])


def value(connection: psycopg.Connection, key: str, default: str) -> str:
    """Return a value from the table `thymio_fleet_meta`."""
    row = connection.execute("SELECT value FROM thymio_fleet_meta WHERE key = %s", (key,)).fetchone()
    return default if row is None else str(row[0])


def number(connection: psycopg.Connection, key: str) -> int:
    """Return a number from the table `thymio_fleet_meta`; 0 if it is missing or unreadable."""
    with suppress(TextError):
        return whole_number(value(connection, key, "0"), 0)
    return 0


def put(connection: psycopg.Connection, values: Mapping[str, str]) -> None:
    """Write values into the table `thymio_fleet_meta`, all or none."""
    with connection.transaction(), connection.cursor() as cursor:
        cursor.executemany(_PUT, list(values.items()))


def rows(connection: psycopg.Connection) -> list[JobRow]:
    """Return all jobs, the ended jobs in the order of their ends."""
    return connection.execute(
        "SELECT job_id, number, ended_ns, record FROM thymio_fleet_jobs ORDER BY ended_ns NULLS FIRST, number"
    ).fetchall()


def set_aside(connection: psycopg.Connection, jobs: Iterable[tuple[JobRow, str]]) -> None:
    """Move jobs with unreadable records into a separate table, each with the reason."""
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute(_ASIDE_TABLE)
        for row, why in jobs:
            cursor.execute("INSERT INTO thymio_fleet_set_aside VALUES (%s, %s, %s, %s, %s)", (*row, why))
            cursor.execute("DELETE FROM thymio_fleet_jobs WHERE job_id = %s", (row[0],))


def known_aside(connection: psycopg.Connection) -> dict[str, str]:
    """Return the ids of all jobs ever set aside, each with the reason."""
    row = connection.execute("SELECT to_regclass('thymio_fleet_set_aside') IS NOT NULL").fetchone()
    if row is None or not row[0]:
        return {}
    return dict(connection.execute("SELECT job_id, why FROM thymio_fleet_set_aside").fetchall())


def write(
    connection: psycopg.Connection,
    jobs: Iterable[JobRow],
    forgotten: Collection[str],
    values: Mapping[str, str],
    ended_max: int | None,
) -> None:
    """Write jobs and values, and delete jobs, all or none; everything is kept once this returns.

    Parameters
    ----------
    connection
        the session
    jobs
        new or changed jobs
    forgotten
        ids of jobs to delete
    values
        values for the table `thymio_fleet_meta`
    ended_max
        number of the latest ended jobs to keep; None to keep all
    """
    with connection.transaction(), connection.cursor() as cursor:
        if forgotten:
            cursor.execute("DELETE FROM thymio_fleet_jobs WHERE job_id = ANY(%s)", (list(forgotten),))
        cursor.executemany(_PUT_JOB, list(jobs))
        cursor.executemany(_PUT, list(values.items()))
        if ended_max is not None:
            cursor.execute(_FORGET_OLD, (ended_max,))


def one_line(error: BaseException) -> str:
    """Return an error's message in one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _with_address(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters with the addresses of host names: libpq's own look-up would block other threads."""
    hosts = [host for host in str(parameters.get("host") or "").split(",") if host]
    if "hostaddr" in parameters or not hosts or any(host.startswith(("/", "@")) for host in hosts):
        return parameters
    addresses = [str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0]) for host in hosts]
    return {**parameters, "hostaddr": ",".join(addresses)}
