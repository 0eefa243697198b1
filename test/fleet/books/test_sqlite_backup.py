"""A copy of the book is that of one instant, and never takes the place of another file."""

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from fleet.books.sqlite_backup import back_up, book_in_file
from fleet.books.sqlite_book import SqliteBook
from fleet.dispatch.records.job import JobState
from fleet.dispatch.records.job_record import JobRecord
from fleet.errors import BookError
from harness.dispatch.dispatched_fleet import fleet_of, go

JOBS_PAGE = Path(__file__).parents[3] / "docs" / "jobs.md"
WRITER = """
import sys
from pathlib import Path
from fleet.books.sqlite_book import SqliteBook
from fleet.dispatch.records.job import Job
from fleet.dispatch.records.job_record import JobRecord
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Work
book = SqliteBook(Path(sys.argv[1]))
number = 0
while True:
    book.write([JobRecord(Job(f"job {one}", Work(TaskKind.GO_HOME)), one, one) for one in (number + 1, number + 2)])
    number += 2
    print(number, flush=True)
"""


def test_copies_taken_during_writes_are_consistent(tmp_path: Path) -> None:
    file = tmp_path / "jobs.sqlite"
    command = [sys.executable, "-c", WRITER, str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        try:
            for turn in range(5):
                written = int(writer.stdout.readline())
                copied = back_up(file, tmp_path / f"copy_{turn}.sqlite")
                book = SqliteBook(tmp_path / f"copy_{turn}.sqlite")
                numbers = [record.number for record in book.open_records()]
                assert numbers == list(range(1, copied + 1))
                assert (book.highest_number, copied % 2) == (copied, 0)
                assert copied >= written
                book.close()
        finally:
            writer.kill()


def test_copy_is_one_file_and_a_driver_starts_with_it(tmp_path: Path) -> None:
    book = SqliteBook(tmp_path / "jobs.sqlite")
    waiting, ended = JobRecord(go("waiting", 1.0), 1, 10), JobRecord(go("ended", 1.0), 2, 10)
    ended.finish(JobState.SUCCEEDED, 20)
    book.write([waiting, ended])
    (tmp_path / "kept").mkdir()
    assert back_up(tmp_path / "jobs.sqlite", tmp_path / "kept" / "copy") == 2
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["copy"]
    restored = SqliteBook(tmp_path / "kept" / "copy")
    assert (list(restored.open_records()), list(restored.ended_records(9))) == ([waiting], [ended])
    restored.close()


def test_copy_is_restored_as_the_page_says(tmp_path: Path) -> None:
    (lines,) = re.findall(r"```sh\n(mkdir before.*?)```", JOBS_PAGE.read_text(encoding="utf-8"), re.DOTALL)
    old = SqliteBook(tmp_path / "jobs.sqlite")
    old.write([JobRecord(go("kept", 1.0), 1, 10)])
    (copy,) = re.findall(r"cp (\S+)", lines)
    back_up(tmp_path / "jobs.sqlite", tmp_path / copy)
    old.write([JobRecord(go("later", 1.0), 2, 10)])  # is in the write-ahead log, which must not meet the copy
    subprocess.run(["sh", "-e", "-c", lines], cwd=tmp_path, check=True)
    old.close()
    restored = SqliteBook(tmp_path / "jobs.sqlite")
    assert [record.job_id for record in restored.open_records()] == ["kept"]
    restored.close()


def test_copy_of_a_damaged_book_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    file = tmp_path / "jobs.sqlite"
    file.write_text("this is not a database, " * 100)
    with pytest.raises(BookError, match="file is not a database"):
        back_up(file, tmp_path / "copy")
    assert [path.name for path in tmp_path.iterdir()] == ["jobs.sqlite"]


def test_copy_into_a_file_that_exists_is_refused(tmp_path: Path) -> None:
    SqliteBook(tmp_path / "jobs.sqlite").close()
    with pytest.raises(BookError, match=r"jobs\.sqlite exists: name another file"):
        back_up(tmp_path / "jobs.sqlite", tmp_path / "jobs.sqlite")


def test_copy_into_a_folder_that_does_not_exist_names_it(tmp_path: Path) -> None:
    SqliteBook(tmp_path / "jobs.sqlite").close()
    with pytest.raises(BookError, match=r"cannot copy .* to .*nowhere/copy"):
        back_up(tmp_path / "jobs.sqlite", tmp_path / "nowhere" / "copy")


def test_a_book_that_was_never_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(BookError, match=r"there is no book .*jobs\.sqlite"):
        back_up(tmp_path / "jobs.sqlite", tmp_path / "copy")


def test_file_of_the_book_is_beside_the_configuration(tmp_path: Path) -> None:
    assert book_in_file(fleet_of(tmp_path, 1)) == tmp_path / "jobs.sqlite"


@pytest.mark.parametrize(
    ("settings", "advice"), [(", book: memory", "nothing is kept"), (", book: 'postgresql://a@b/c'", "pg_dump")]
)
def test_book_that_is_in_no_file_is_refused_with_what_to_do(tmp_path: Path, settings: str, advice: str) -> None:
    with pytest.raises(BookError, match=advice):
        book_in_file(fleet_of(tmp_path, 1, settings))


def test_older_program_that_locks_the_whole_book_is_named(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "jobs.sqlite", isolation_level=None)) as older:
        older.execute("PRAGMA locking_mode = EXCLUSIVE")
        older.execute("PRAGMA journal_mode = WAL")
        older.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        with pytest.raises(BookError, match="another program writes it"):
            SqliteBook(tmp_path / "jobs.sqlite")
