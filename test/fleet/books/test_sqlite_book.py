"""What a book has written survives the death of its program, and a damaged or taken file is told in words."""

import json
import resource
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from fleet.books.sqlite_access import SqliteAccess
from fleet.books.sqlite_book import SqliteBook
from fleet.dispatch.records.job import Duty, JobState
from fleet.dispatch.records.job_record import JobRecord
from fleet.errors import BookError
from fleet.reason import Reason
from harness.dispatch.dispatched_fleet import DispatchedFleet, carry, fleet_of, go

_WRITER = """
import sys
from pathlib import Path
from fleet.books.sqlite_book import SqliteBook
from fleet.dispatch.records.job import Job
from fleet.dispatch.records.job_record import JobRecord
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Work
book = SqliteBook(Path(sys.argv[1]))
number = book.highest_number
while True:
    number += 1
    book.write([JobRecord(Job(f"job {number}", Work(TaskKind.GO_HOME)), number, number)])
    print(number, flush=True)
"""


def test_a_new_book_is_empty(tmp_path: Path) -> None:
    book = SqliteBook(tmp_path / "jobs.sqlite")
    assert (list(book.open_records()), list(book.ended_records(9)), book.highest_number) == ([], [], 0)
    assert book.find("job") is None


def test_records_are_there_in_the_next_life(tmp_path: Path) -> None:
    book = SqliteBook(tmp_path / "jobs.sqlite")
    first, second = JobRecord(carry("first", 1.0, 2.0), 1, 10), JobRecord(go("second", 1.0), 2, 20)
    book.write([first, second])
    second.finish(JobState.SUCCEEDED, 30)
    book.write([second], duties={3: Duty.OUT})
    book.close()
    book = SqliteBook(tmp_path / "jobs.sqlite")
    assert list(book.open_records()) == [first]
    assert list(book.ended_records(5)) == [second]
    assert book.find("second") == second
    assert (book.highest_number, dict(book.duties())) == (2, {3: Duty.OUT})


def test_a_dispatcher_with_a_book_in_a_file_survives_its_end(tmp_path: Path) -> None:
    config = fleet_of(tmp_path, 2)
    fleet = DispatchedFleet(config, SqliteBook(tmp_path / "jobs.sqlite"))
    fleet.submit(go("running", 3.0), go("queued", 3.5, robots=(1,)), go("waiting", 1.0, after=("running",)))
    fleet.run(1.0)
    fleet.book.close()
    fleet.book = SqliteBook(tmp_path / "jobs.sqlite")
    fleet.restart()
    fleet.run_until_over()
    assert {report.state for report in fleet.reports()} == {JobState.SUCCEEDED}


def test_what_was_written_survives_a_kill(tmp_path: Path) -> None:
    file = tmp_path / "jobs.sqlite"
    acknowledged = 0
    for count in (1, 5, 40):
        with subprocess.Popen([sys.executable, "-c", _WRITER, str(file)], stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            for _ in range(count):
                acknowledged = int(writer.stdout.readline())
            writer.send_signal(signal.SIGKILL)
            rest = writer.stdout.read().splitlines(keepends=True)
            acknowledged = max([acknowledged, *(int(line) for line in rest if line.endswith("\n"))])
        book = SqliteBook(file)
        numbers = [record.number for record in book.open_records()]
        book.close()
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) >= acknowledged


def test_only_one_driver_has_the_book(tmp_path: Path) -> None:
    first, second = (SqliteAccess(tmp_path / "jobs.sqlite", name) for name in ("host a", "host b"))
    assert first.poll(0) is not None
    assert (second.poll(0), second.obstacle) == (None, "host a has the book of jobs")
    first.close()
    assert second.poll(1_000_000_000) is not None
    second.close()


def test_other_programs_read_the_book_while_a_driver_writes_it(tmp_path: Path) -> None:
    book = SqliteBook(tmp_path / "jobs.sqlite")
    with closing(sqlite3.connect(f"file:{tmp_path / 'jobs.sqlite'}?mode=ro", uri=True)) as reader:
        for number in range(1, 4):
            book.write([JobRecord(go(f"job {number}", 1.0), number, 10)])
            assert reader.execute("SELECT count(*) FROM jobs").fetchone() == (number,)


def test_job_is_refused_while_another_program_writes_the_book_and_accepted_after_it(tmp_path: Path) -> None:
    book = SqliteBook(tmp_path / "jobs.sqlite")
    record = JobRecord(go("job", 1.0), 1, 10)
    with closing(sqlite3.connect(tmp_path / "jobs.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BookError, match="another program writes it"):
            book.write([record])
        other.execute("ROLLBACK")
    book.write([record])
    assert list(book.open_records()) == [record]


def test_a_file_that_is_not_a_book_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "jobs.sqlite"
    file.write_text("this is not a database, " * 100)
    with pytest.raises(BookError, match=r"jobs\.sqlite: file is not a database"):
        SqliteBook(file)
    assert file.read_text().startswith("this is not a database")


def test_a_book_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "jobs.sqlite"
    SqliteBook(file).close()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    connection.close()
    with pytest.raises(BookError, match="version 99"):
        SqliteBook(file)


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(BookError, match=r"nowhere/jobs\.sqlite"):
        SqliteBook(tmp_path / "nowhere" / "jobs.sqlite")


def test_nothing_is_accepted_that_cannot_be_kept_and_the_fleet_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "jobs.sqlite"
    fleet = DispatchedFleet(fleet_of(tmp_path, 1), SqliteBook(file))
    fleet.submit(go("kept", 3.0))
    fleet.run(0.5)
    fleet.book.close()  # every write fails from now on
    refused = fleet.dispatcher.submit([go("lost", 1.0)], fleet.now)[0]
    assert refused is not None
    assert refused.reason.value == "BOOK"
    fleet.run(60.0)
    assert fleet.robots.robots[1].task is None
    assert fleet.dispatcher.trouble


def test_full_disk_loses_no_job_and_the_book_goes_on_when_there_is_room(tmp_path: Path) -> None:
    file = tmp_path / "jobs.sqlite"
    book = SqliteBook(file)
    fleet = DispatchedFleet(fleet_of(tmp_path, 1), book)
    fleet.submit(go("kept", 3.0))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        (refused,) = fleet.dispatcher.submit([go("lost", 1.0)], fleet.now)
        fleet.run(60.0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert refused is not None
    assert refused.reason is Reason.BOOK
    fleet.submit(go("later", 2.0))
    fleet.run(60.0)
    assert (fleet.dispatcher.trouble, fleet.state("kept"), fleet.state("later")) == ("", *[JobState.SUCCEEDED] * 2)
    book.close()
    assert {record.job_id for record in SqliteBook(file).ended_records(9)} == {"later", "kept"}


DAMAGES = {
    "no JSON": "record = substr(record, 5)",
    "no text": "record = x'ff00'",
    "null in the text": "record = char(0)",
    "a list": "record = '[]'",
    "a key is missing": "record = replace(record, '\"number\"', '\"nombre\"')",
    "a key is unknown": "record = replace(record, '\"priority\"', '\"urgency\"')",
    "a text for a number": 'record = replace(record, \'"priority":5\', \'"priority":"high"\')',
    "a number of 400 digits": f"record = replace(record, '\"priority\":5', '\"priority\":{'9' * 400}')",
    "a fraction": "record = replace(record, '\"attempts\":3', '\"attempts\":2.5')",
    "a place of two numbers": "record = replace(record, ',2.0,0.0]', ',2.0]')",
    "an unknown kind": "record = replace(record, 'task_go_to', 'task_fly')",
    "deep": f"record = '{'[' * 5000}'",
    "the row of another job": 'record = replace(record, \'"job_id":"bad"\', \'"job_id":"worse"\')',
    "an end": 'record = replace(record, \'"end":null\', \'"end":["SUCCEEDED",5,"",""]\')',
}


def damaged(folder: Path, damage: str) -> Path:
    """Return a book with three open jobs, of which one has a damaged record, and one waits for that."""
    file = folder / "jobs.sqlite"
    book = SqliteBook(file)
    jobs = [go("good", 1.0), go("bad", 2.0), go("after", 3.0, after=("bad",))]
    book.write([JobRecord(job, number, 10) for number, job in enumerate(jobs, start=1)], duties={1: Duty.OUT})
    book.close()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"UPDATE jobs SET {damage} WHERE job_id = 'bad'")
    return file


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_record_is_set_aside_and_the_others_are_read(tmp_path: Path, damage: str) -> None:
    file = damaged(tmp_path, damage)
    for opened in range(2):
        book = SqliteBook(file)
        assert [record.job_id for record in book.open_records()] == ["good", "after"]
        assert list(book.set_aside) == ([] if opened else ["bad"])
        with pytest.raises(BookError, match=r"job 'bad' was set aside, .* see .*jobs\.sqlite\.set_aside"):
            book.find("bad")
        assert (book.highest_number, dict(book.duties())) == (3, {1: Duty.OUT})
        book.close()
    (line,) = (tmp_path / "jobs.sqlite.set_aside").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["row"][0] == "bad"
    with closing(sqlite3.connect(file)) as connection, connection:
        assert connection.execute("SELECT job_id, number FROM set_aside").fetchall() == [("bad", 2)]


def test_job_that_waits_for_one_that_was_set_aside_is_held(tmp_path: Path) -> None:
    book = SqliteBook(damaged(tmp_path, DAMAGES["no JSON"]))
    fleet = DispatchedFleet(fleet_of(tmp_path, 2), book)
    fleet.run(60.0)
    assert fleet.state("good") is JobState.SUCCEEDED
    assert fleet.report("after").state is JobState.HELD
    assert "record cannot be read" in fleet.report("after").detail
    fleet.dispatcher.release("after", fleet.now)
    fleet.run(60.0)
    assert fleet.state("after") is JobState.SUCCEEDED


def test_id_of_a_job_that_was_set_aside_stays_taken(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 2), SqliteBook(damaged(tmp_path, DAMAGES["no JSON"])))
    (why,) = fleet.dispatcher.submit([go("bad", 2.0)], fleet.now)
    assert why is not None
    assert (why.reason, "set aside" in why.detail) == (Reason.BOOK, True)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"1": 7, "2": "away", "x": "out", "3": "out"}'])
def test_duties_that_cannot_be_read_let_robots_take_jobs(tmp_path: Path, text: str) -> None:
    file = damaged(tmp_path, "number = 2")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'duties'", (text,))
        connection.execute("UPDATE meta SET value = 'many' WHERE key = 'highest_number'")
    book = SqliteBook(file)
    assert dict(book.duties()) == ({3: Duty.OUT} if "3" in text else {})
    assert book.highest_number == 3


def test_unreadable_ended_job_is_reported_on_request(tmp_path: Path) -> None:
    file = tmp_path / "jobs.sqlite"
    book = SqliteBook(file)
    records = [JobRecord(go(f"job {number}", 1.0), number, 10) for number in range(1, 4)]
    for record in records:
        record.finish(JobState.SUCCEEDED, 20)
    book.write(records)
    book.close()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE jobs SET record = '' WHERE job_id = 'job 2'")
    book = SqliteBook(file)
    assert [record.job_id for record in book.ended_records(9)] == ["job 3", "job 1"]
    with pytest.raises(BookError, match=r"the record of job 'job 2' in .* cannot be read"):
        book.find("job 2")
