"""What a book has written survives the death of its program, and a damaged or taken file is told in words."""

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from fleet.books.sqlite_book import SqliteBook
from fleet.dispatch.records.duty import Duty
from fleet.dispatch.records.job import JobState
from fleet.dispatch.records.job_record import JobRecord
from fleet.errors import BookError
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


def test_a_second_program_is_told_that_the_book_is_taken(tmp_path: Path) -> None:
    book = SqliteBook(tmp_path / "jobs.sqlite")
    book.write([JobRecord(go("job", 1.0), 1, 10)])
    with pytest.raises(BookError, match="another driver uses it"):
        SqliteBook(tmp_path / "jobs.sqlite")


def test_a_file_that_is_no_book_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "jobs.sqlite"
    file.write_text("this is no database, " * 100)
    with pytest.raises(BookError, match=r"jobs\.sqlite: file is not a database"):
        SqliteBook(file)
    assert file.read_text().startswith("this is no database")


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
