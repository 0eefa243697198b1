"""A pseudo-terminal in place of a robot's serial port; the program that opens it is a host."""

import errno
import os
import pty
import select
import tty
from collections.abc import Iterator
from pathlib import Path

from aseba_link.errors import ConnectionLostError, ListenError
from aseba_link.link.connection import MAX_QUEUED, MAX_RECEIVED

_TERMINALS = Path("/dev/pts")
_GONE = (errno.EIO, errno.ENXIO, errno.EBADF)


class PtyPort:
    """A pseudo-terminal, reached by a symbolic link at a path, for one host at a time.

    Raises
    ------
    ListenError
        A file exists at the path (it is never removed), or the link cannot be created.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._host: PtyConnection | None = None
        try:
            self._master, slave = pty.openpty()
        except OSError as error:
            raise ListenError(f"no pseudo-terminal for {path}: {error.strerror}") from error
        tty.setraw(slave)
        self._device = os.ttyname(slave)
        os.close(slave)  # from now on the terminal is hung up until a host opens it
        os.set_blocking(self._master, False)
        try:
            self._link()
        except OSError as error:
            os.close(self._master)
            raise ListenError(f"cannot link {path} to a pseudo-terminal: {error.strerror or error}") from error

    def accept(self) -> Iterator["PtyConnection"]:
        """Yield a connection once a host has opened the port."""
        if self._host is not None and self._host.is_open:
            return
        if not is_hung_up(self._master):
            self._host = PtyConnection(self._master, str(self.path))
            yield self._host

    def close(self) -> None:
        """Remove the link, if it is still ours, and the terminal."""
        if self._is_ours():
            self.path.unlink()
        os.close(self._master)

    def _link(self) -> None:
        """Create the link; an existing link is replaced only if it leads to a pseudo-terminal that no longer exists."""
        if self.path.is_symlink():
            place = self.path.readlink()
            if place.parent != _TERMINALS or (place.exists() and str(place) != self._device):
                raise OSError(errno.EEXIST, f"it is already a link to {place}; choose another path")
            self.path.unlink()
        elif self.path.exists():
            raise OSError(errno.EEXIST, "a file already exists there; choose another path")
        self.path.symlink_to(self._device)

    def _is_ours(self) -> bool:
        return self.path.is_symlink() and str(self.path.readlink()) == self._device


class PtyConnection:
    """The robots' end of an open pseudo-terminal; see `Connection`."""

    def __init__(self, master: int, address: str = "") -> None:
        self.address = address
        self.is_open = True
        self._master = master
        self._queue = bytearray()

    @property
    def queued(self) -> int:
        """See `Connection.queued`."""
        return len(self._queue)

    def send(self, data: bytes) -> None:
        """See `Connection.send`."""
        self._require_host()
        if len(self._queue) + len(data) > MAX_QUEUED:
            self.is_open = False
            raise ConnectionLostError("the host does not read")
        self._queue += data
        self._flush()

    def receive(self) -> bytes:
        """See `Connection.receive`; also sends queued bytes."""
        self._require_host()
        self._flush()
        try:
            return os.read(self._master, MAX_RECEIVED)
        except (BlockingIOError, InterruptedError):
            return b""
        except OSError as error:
            raise self._lost(error) from error

    def close(self) -> None:
        """See `Connection.close`; the terminal remains for the next host."""
        self.is_open = False
        self._queue.clear()

    def _flush(self) -> None:
        try:
            while self._queue:
                del self._queue[: os.write(self._master, self._queue)]
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            raise self._lost(error) from error

    def _require_host(self) -> None:
        if not self.is_open or is_hung_up(self._master):
            self.is_open = False
            raise ConnectionLostError("the host has closed the port")

    def _lost(self, error: OSError) -> ConnectionLostError:
        self.is_open = False
        return ConnectionLostError("the host has closed the port" if error.errno in _GONE else str(error.strerror))


def is_hung_up(master: int) -> bool:
    """Return whether no program has the other end of a pseudo-terminal open."""
    poll = select.poll()
    poll.register(master, select.POLLIN)
    return any(event & select.POLLHUP for _, event in poll.poll(0))
