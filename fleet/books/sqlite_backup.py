"""Copies a book in a file, even while a driver writes it."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from fleet.errors import BookError
from fleet.settings.config import FleetConfig
from thymio_base.texts.user_file import may_exist


def book_in_file(config: FleetConfig) -> Path:
    """Return the file of a fleet's book of jobs.

    Raises
    ------
    BookError
        The fleet accepts no jobs, or keeps them elsewhere; the message gives advice.
    """
    file = config.dispatch.book_file(config.path)
    if not config.dispatch.enabled:
        raise BookError(f"dispatch.enabled is false in {config.path}: it has no book; name the fleet with --config")
    if file is None and config.dispatch.book == "memory":
        raise BookError(f"dispatch.book of {config.path} is memory: nothing is kept; write sqlite:jobs.sqlite there")
    if file is None:
        raise BookError(f"dispatch.book of {config.path} is on a server: back it up with pg_dump, see docs/jobs.md")
    return file


def back_up(book: Path, file: Path) -> int:
    """Copy a consistent state of a book into a new file; return its number of jobs.

    The driver can keep writing. Once the copy has its name, it is complete and on the disk.

    Raises
    ------
    BookError
        There is no such book, it cannot be read, or the new file exists or cannot be written.
    """
    if not (may_exist(book) and book.is_file()):
        raise BookError(f"there is no book {book}: no driver has had this configuration yet")
    if may_exist(file):
        raise BookError(f"{file} exists: name another file")
    unfinished = file.with_name(f"{file.name}.unfinished")
    try:
        unfinished.unlink(missing_ok=True)
        jobs = _copy(book, unfinished)
        os.link(unfinished, file)  # never over another file
        unfinished.unlink()
    except (sqlite3.Error, OSError) as error:
        unfinished.unlink(missing_ok=True)
        raise BookError(f"cannot copy the book of jobs {book} to {file}: {error}") from error
    return jobs


def _copy(book: Path, copy: Path) -> int:
    with (
        closing(sqlite3.connect(f"file:{quote(str(book))}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)  # in one step, so that a write meanwhile does not restart it
        target.execute("PRAGMA journal_mode = DELETE")  # one file, which can be read from anywhere
        ((found,),) = target.execute("PRAGMA quick_check(1)").fetchall()
        if found != "ok":
            raise sqlite3.DatabaseError(f"it is damaged: {found}")
        return int(target.execute("SELECT count(*) FROM jobs").fetchone()[0])
