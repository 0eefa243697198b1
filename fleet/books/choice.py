"""Opens the book named in a configuration."""

from pkgutil import resolve_name
from typing import Final

from fleet.books.memory_book import MemoryBook
from fleet.books.sqlite_access import SqliteAccess
from fleet.dispatch.records.book import Book, BookAccess
from fleet.errors import BookError
from fleet.settings.config import FleetConfig


class OwnBook:
    """Access to a book that no other driver can have."""

    def __init__(self, book: Book) -> None:
        self._book: Final = book
        self.obstacle = ""
        self.is_held_elsewhere = False

    def poll(self, core_ns: int) -> Book | None:
        """Return the book."""
        return self._book

    def close(self) -> None:
        """Release the book."""
        self._book.close()


def book_access(config: FleetConfig, name: str) -> BookAccess | None:
    """Return access to the book of the fleet's jobs; None if this driver accepts no jobs.

    Parameters
    ----------
    config
        the fleet's configuration
    name
        name of the driver, as shown to other drivers

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
