"""The command `thymio-fleet jobs backup`: copies the book of jobs, also while the driver writes it."""

import argparse
import time
from pathlib import Path

from fleet.books.sqlite_backup import back_up, book_in_file
from fleet.settings.config import load_config
from thymio_base.exit_code import ExitCode
from thymio_base.number_text import count_text
from thymio_base.shipped_files import shipped_file


def add_backup(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the action."""
    backup = actions.add_parser("backup", help="copy the book of jobs, also while the driver runs, see docs/jobs.md")
    backup.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="a new file (default: beside the book, named by the time)"
    )
    backup.add_argument(
        "--config",
        type=Path,
        default=shipped_file("fleet.yaml"),
        help="the fleet, whose dispatch.book is copied (default: %(default)s)",
    )
    backup.set_defaults(run=_back_up)


def _back_up(options: argparse.Namespace) -> int:
    book = book_in_file(load_config(options.config))
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    file = options.file or book.with_name(f"{book.stem}_{stamp}{book.suffix}")
    print(f"{file}: {count_text(back_up(book, file), 'job')}")
    return ExitCode.DONE
