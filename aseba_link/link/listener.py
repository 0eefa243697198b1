"""Listens on TCP for Aseba hosts, for the switch and the simulator."""

import errno
import os
import socket
from collections.abc import Iterator

from aseba_link.errors import ListenError
from aseba_link.link.connection import TcpConnection

_BACKLOG = 64  # hosts that may wait, and hosts accepted per call


class Listener:
    """A listening socket whose calls never block.

    Raises
    ------
    ListenError
        The address is not one of this machine's, or the port is in use.
    """

    def __init__(self, address: str, port: int) -> None:
        try:
            self._socket = socket.create_server((address, port), backlog=_BACKLOG)
        except OSError as error:
            raise ListenError(f"cannot listen on {address}, port {port}: {_reason(error, port)}") from error
        self._socket.setblocking(False)

    @property
    def port(self) -> int:
        """The port number."""
        return int(self._socket.getsockname()[1])

    def accept(self) -> Iterator[TcpConnection]:
        """Yield a connection for every host that has connected since the last call."""
        for _ in range(_BACKLOG):
            try:
                peer, address = self._socket.accept()
            except OSError:  # no host is waiting, or it has disconnected already
                return
            yield TcpConnection(peer, f"{address[0]}:{address[1]}")

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()


def _reason(error: OSError, port: int) -> str:
    """Return the system's message without the address, which Python adds, and what to do."""
    if isinstance(error, socket.gaierror) or error.errno is None:
        return str(error.strerror or error)
    is_taken = error.errno == errno.EADDRINUSE
    advice = f"; does another fleet run here? `ss -ltnp 'sport = :{port}'` names the program that has the port"
    return f"{os.strerror(error.errno)}{advice if is_taken else ''}"
