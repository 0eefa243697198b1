"""A book on a PostgreSQL server: kept by one driver at a time, and never waited for."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from bench.instruments.private_postgresql import PrivatePostgresql
from fleet.books.choice import book_access
from fleet.books.postgresql_book import PostgresqlAccess, PostgresqlBook
from fleet.dispatch.records.job import Duty, JobState
from fleet.dispatch.records.job_record import JobRecord
from fleet.errors import BookError
from harness.dispatch.dispatched_fleet import carry, fleet_of, go

pytestmark = pytest.mark.postgresql
DEADLINE_S = 60.0
_HOLDER = """
import sys, time
from fleet.books.postgresql_book import PostgresqlAccess
from fleet.dispatch.records.job import Job
from fleet.dispatch.records.job_record import JobRecord
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Work
access = PostgresqlAccess(sys.argv[1], "host killed")
while access.poll(0) is None:
    time.sleep(0.01)
book, number = access.poll(0), 0
while True:
    number += 1
    book.write([JobRecord(Job(f"job {number}", Work(TaskKind.GO_HOME)), number, number)])
    while not book.is_kept():
        time.sleep(0.0001)
    print(number, flush=True)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[PrivatePostgresql]:
    with PrivatePostgresql() as server:
        yield server


@pytest.fixture
def text(server: PrivatePostgresql) -> Iterator[str]:
    """Yield a data source without tables."""
    text = server.source.partition(":")[2]
    yield text
    with psycopg.connect(text) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'thymio%'"
        )
        connection.execute("DROP TABLE IF EXISTS thymio_fleet_jobs, thymio_fleet_meta, thymio_fleet_set_aside")


def wait_for(condition: Callable[[], bool], what: str) -> None:
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline_s, f"waited in vain for {what}"
        time.sleep(0.005)


def opened(access: PostgresqlAccess) -> PostgresqlBook:
    """Return the book, once it is ours."""
    wait_for(lambda: access.poll(0) is not None, access.obstacle)
    book = access.poll(0)
    assert book is not None
    return book


def kept(book: PostgresqlBook, *records: JobRecord) -> None:
    """Write records, and wait until they are kept."""
    book.write(records)
    wait_for(book.is_kept, "the write")


def sessions(text: str) -> list[int]:
    with psycopg.connect(text) as connection:
        rows = connection.execute("SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'thymio%'").fetchall()
    return [int(row[0]) for row in rows]


def end_sessions(text: str, *, of: str) -> None:
    """End the sessions of a driver, as a server's administrator does."""
    with psycopg.connect(text) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s",
            (f"thymio_fleet {of}",),
        )


def failure_of(book: PostgresqlBook) -> str:
    """Return why a write fails, once it does."""
    found: list[str] = []

    def fails() -> bool:
        try:
            return book.is_kept() and False
        except BookError as error:
            found.append(str(error))
            return True

    wait_for(fails, "the failure")
    return found[0]


def test_records_are_there_in_the_next_life(text: str) -> None:
    first, second = JobRecord(carry("first", 1.0, 2.0), 1, 10), JobRecord(go("second", 1.0), 2, 20)
    with closing(PostgresqlAccess(text, "host a")) as access:
        book = opened(access)
        assert (list(book.open_records()), list(book.ended_records(9)), book.highest_number) == ([], [], 0)
        kept(book, first, second)
        second.finish(JobState.SUCCEEDED, 30)
        book.write([second], duties={3: Duty.OUT})
        wait_for(book.is_kept, "the write")
    with closing(PostgresqlAccess(text, "host a")) as access:
        book = opened(access)
        assert list(book.open_records()) == [first]
        assert list(book.ended_records(5)) == [second]
        assert (book.find("second"), book.find("third")) == (second, None)
        assert (book.highest_number, dict(book.duties())) == (2, {3: Duty.OUT})
        book.write([], forgotten=["first"])
        wait_for(book.is_kept, "the deletion")
    with closing(PostgresqlAccess(text, "host a")) as access:
        assert list(opened(access).open_records()) == []


def test_a_second_driver_stands_by_and_takes_the_book_when_the_first_ends(text: str) -> None:
    record = JobRecord(go("job", 1.0), 1, 10)
    with closing(PostgresqlAccess(text, "host b")) as second, closing(PostgresqlAccess(text, "host a")) as first:
        wait_for(lambda: first.poll(0) is not None or second.poll(0) is not None, "a first driver")
        active, passive = (first, second) if first.poll(0) is not None else (second, first)
        wait_for(lambda: passive.is_held_elsewhere, "the other one")
        assert passive.obstacle.endswith(" has the book of jobs")
        kept(opened(active), record)
        active.close()
        assert list(opened(passive).open_records()) == [record]


def test_what_was_kept_survives_a_kill_and_the_book_is_free_again(text: str) -> None:
    command = [sys.executable, "-c", _HOLDER, text]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        for _ in range(20):
            acknowledged = int(holder.stdout.readline())
        with closing(PostgresqlAccess(text, "host b")) as access:
            wait_for(lambda: access.is_held_elsewhere, "the holder")
            assert access.obstacle == "host killed has the book of jobs"
            holder.send_signal(signal.SIGKILL)
            rest = holder.stdout.read().splitlines(keepends=True)
            acknowledged = max([acknowledged, *(int(line) for line in rest if line.endswith("\n"))])
            numbers = [record.number for record in opened(access).open_records()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= acknowledged


def test_a_driver_whose_session_was_ended_loses_the_book_to_one_that_waits(text: str) -> None:
    with closing(PostgresqlAccess(text, "host a")) as first:
        book = opened(first)
        with closing(PostgresqlAccess(text, "host b")) as second:
            wait_for(lambda: second.is_held_elsewhere, "the second driver")
            end_sessions(text, of="host a")
            wait_for(lambda: second.poll(0) is not None or first.poll(0) is not book, "the change")
            if second.poll(0) is None:  # the first one was faster, and nobody has had the book since
                return
            wait_for(lambda: first.is_held_elsewhere, "the first driver")
            assert first.poll(0) is None
            with pytest.raises(BookError):
                book.write([JobRecord(go("late", 1.0), 9, 90)])
            assert opened(second).find("late") is None


def test_a_driver_resumes_its_book_after_an_outage_of_the_server(text: str, server: PrivatePostgresql) -> None:
    with closing(PostgresqlAccess(text, "host a")) as access:
        book = opened(access)
        kept(book, JobRecord(go("before", 1.0), 1, 10))
        server.stop()
        wait_for(lambda: bool(access.obstacle), "the trouble")
        assert f"cannot write the book of jobs on 127.0.0.1:{server.port}, database postgres: " in access.obstacle
        with pytest.raises(BookError, match="cannot write the book of jobs"):
            book.write([JobRecord(go("lost", 1.0), 2, 20)])
        assert access.poll(0) is book
        server.start()
        wait_for(lambda: not access.obstacle, "the server")
        assert access.poll(0) is book
        kept(book, JobRecord(go("after", 1.0), 3, 30))
        assert {record.job_id for record in book.open_records()} >= {"before", "after"}


def test_a_suspended_server_fails_a_write_and_is_disconnected(text: str, server: PrivatePostgresql) -> None:
    with closing(PostgresqlAccess(text, "host a")) as access:
        book = opened(access)
        server.pause()
        try:
            book.write([JobRecord(go("job", 1.0), 1, 10)])
            assert "the server has not answered for 3 s" in failure_of(book)
            with pytest.raises(BookError, match="has not answered"):
                book.write([JobRecord(go("job", 1.0), 1, 10)])
        finally:
            server.resume()
        wait_for(lambda: not access.obstacle, "the server")
        kept(opened(access), JobRecord(go("job", 1.0), 1, 10))


DAMAGES = {
    "no JSON": "record = substr(record, 5)",
    "empty": "record = ''",
    "a key is missing": "record = replace(record, '\"number\"', '\"nombre\"')",
    "an unknown key with NUL": "record = replace(record, '\"priority\"', '\"\\u0000\"')",
    "an unknown key of half a character": "record = replace(record, '\"priority\"', '\"\\ud800\"')",
    "a number of 400 digits": f"record = replace(record, '\"priority\":5', '\"priority\":{'9' * 400}')",
    "deep": f"record = '{'[' * 5000}'",
    "the row of another job": 'record = replace(record, \'"job_id":"bad"\', \'"job_id":"worse"\')',
    "an end": 'record = replace(record, \'"end":null\', \'"end":["SUCCEEDED",5,"",""]\')',
    "another number": "number = 7",
}


def damage(text: str, *statements: str) -> None:
    """Write a book with three open jobs, of which one waits for the second one, and change it."""
    jobs = [go("good", 1.0), go("bad", 2.0), go("after", 3.0, after=("bad",))]
    with closing(PostgresqlAccess(text, "host a")) as access:
        kept(opened(access), *(JobRecord(job, number, 10) for number, job in enumerate(jobs, start=1)))
    with psycopg.connect(text) as connection:
        for statement in statements:
            connection.execute(statement.encode())


@pytest.mark.parametrize("change", DAMAGES.values(), ids=DAMAGES)
def test_damaged_record_is_set_aside_and_the_others_are_read(text: str, change: str) -> None:
    damage(text, f"UPDATE thymio_fleet_jobs SET {change} WHERE job_id = 'bad'")
    for name in ("host a", "host b"):
        with closing(PostgresqlAccess(text, name)) as access:
            book = opened(access)
            assert [record.job_id for record in book.open_records()] == ["good", "after"]
            assert list(book.set_aside) == ["bad"]
            with pytest.raises(BookError, match=r"job 'bad' was set aside, .*; see table thymio_fleet_set_aside on "):
                book.find("bad")
            kept(book, *book.open_records())
    with psycopg.connect(text) as connection:
        rows = connection.execute("SELECT job_id, number, why <> '' FROM thymio_fleet_set_aside").fetchall()
    assert rows == [("bad", 7 if change == "number = 7" else 2, True)]


def test_unreadable_ended_job_is_reported_when_it_is_requested(text: str) -> None:
    damage(text, f"UPDATE thymio_fleet_jobs SET ended_ns = 5, record = '{'[' * 5000}' WHERE job_id = 'bad'")
    with closing(PostgresqlAccess(text, "host a")) as access:
        book = opened(access)
        assert [record.job_id for record in book.open_records()] == ["good", "after"]
        assert list(book.ended_records(9)) == []
        with pytest.raises(BookError, match=r"the record of job 'bad' .*cannot be read"):
            book.find("bad")


def test_unreadable_values_fall_back_to_those_of_the_jobs(text: str) -> None:
    damage(text, "UPDATE thymio_fleet_meta SET value = 'many' WHERE key <> 'schema'")
    with closing(PostgresqlAccess(text, "host a")) as access:
        book = opened(access)
        assert (len(book.open_records()), book.highest_number, dict(book.duties())) == (3, 3, {})
        kept(book, JobRecord(go("new", 1.0), 4, 40))
    with closing(PostgresqlAccess(text, "host b")) as access:
        assert opened(access).highest_number == 4


def test_a_schema_that_cannot_be_read_is_named_until_it_can(text: str) -> None:
    damage(text, "UPDATE thymio_fleet_meta SET value = 'new' WHERE key = 'schema'")
    with closing(PostgresqlAccess(text, "host a")) as access:
        wait_for(lambda: "'new' is not a whole number" in access.obstacle, "the trouble")
        with psycopg.connect(text) as connection:
            connection.execute("UPDATE thymio_fleet_meta SET value = '1' WHERE key = 'schema'")
        assert len(opened(access).open_records()) == 3


def test_a_database_that_does_not_exist_is_named_without_the_password(text: str) -> None:
    with closing(PostgresqlAccess(f"{text} dbname=nowhere password=secret", "host a")) as access:
        wait_for(lambda: "does not exist" in access.obstacle, "the trouble")
        assert 'database "nowhere" does not exist' in access.obstacle
        assert "secret" not in access.obstacle
        assert (access.poll(0), access.is_held_elsewhere) == (None, False)


def test_a_server_that_is_not_there_is_named() -> None:
    with closing(PostgresqlAccess("host=127.0.0.1 port=1 dbname=fleet", "host a")) as access:
        wait_for(lambda: "refused" in access.obstacle, "the trouble")
        assert access.obstacle.startswith("cannot write the book of jobs on 127.0.0.1:1, database fleet: ")


def test_tables_of_a_newer_version_are_left_alone(text: str) -> None:
    with closing(PostgresqlAccess(text, "host a")) as access:
        opened(access)
    with psycopg.connect(text) as connection:
        connection.execute("UPDATE thymio_fleet_meta SET value = '99' WHERE key = 'schema'")
    with closing(PostgresqlAccess(text, "host a")) as access:
        wait_for(lambda: "version 99" in access.obstacle, "the trouble")
        assert access.poll(0) is None


def test_a_text_that_names_no_server_is_refused_with_an_example(tmp_path: Path) -> None:
    config = fleet_of(tmp_path, 1, ", book: 'postgresql:nonsense'")
    with pytest.raises(BookError, match=r"is not a PostgreSQL address: .*; write for instance postgresql://user@host/"):
        book_access(config, "host a")


def test_a_missing_package_is_named_with_what_installs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("fleet.books.postgresql")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    config = fleet_of(tmp_path, 1, ", book: 'postgresql://fleet@host/jobs'")
    with pytest.raises(BookError, match=r"package psycopg cannot be loaded .*pip install 'psycopg\[binary\]'"):
        book_access(config, "host a")
