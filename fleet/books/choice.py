"""Chooses the book that a configuration names."""

from pkgutil import resolve_name
from typing import Final

from fleet.books.memory_book import MemoryBook
from fleet.books.sqlite_access import SqliteAccess
from fleet.dispatch.records.book import Book, BookAccess
from fleet.errors import BookError
from fleet.settings.config import FleetConfig


class OwnBook:
    """The way to a book that nobody else can have."""

    def __init__(self, book: Book) -> None:
        self._book: Final = book
        self.obstacle = ""
        self.is_held_elsewhere = False

    def poll(self, core_ns: int) -> Book | None:
        """Return the book."""
        return self._book

    def close(self) -> None:
        """Let go of the book."""
        self._book.close()


def book_access(config: FleetConfig, name: str) -> BookAccess | None:
    """Return the way to the book of the fleet's jobs, None if this driver accepts none.

    Parameters
    ----------
    config
        of the fleet
    name
        of the driver, as other drivers are told

    Raises
    ------
    BookError
        The book cannot be opened, or the package for it is missing.
    """
    settings = config.dispatch
    if not settings.enabled:
        return None
    kind, _, text = settings.book.partition(":")
    if kind == "postgresql":
        return _on_server(text, name)
    file = settings.book_file(config.path)
    if file is None:
        return OwnBook(MemoryBook())
    return SqliteAccess(file, name, survives_power=settings.book_survives == "power")


def _on_server(text: str, name: str) -> BookAccess:
    try:
        access = resolve_name("fleet.books.postgresql_book:PostgresqlAccess")  # most fleets need no server
    except ImportError as error:
        raise BookError(
            f"dispatch.book names a PostgreSQL server, and the package psycopg cannot be loaded ({error}): "
            "install it with: pip install 'psycopg[binary]'"
        ) from error
    found: BookAccess = access(text, name)
    return found
