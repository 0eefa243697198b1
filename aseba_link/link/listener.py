"""Listens on TCP for Aseba hosts, for the switch and the simulator."""

import socket
from collections.abc import Iterator

from aseba_link.link.connection import TcpConnection

_BACKLOG = 64  # hosts that may wait, and hosts accepted per call


class Listener:
    """A listening socket whose calls never block.

    Raises
    ------
    OSError
        The address is not one of this machine's, or the port is in use.
    """

    def __init__(self, address: str, port: int) -> None:
        self._socket = socket.create_server((address, port), backlog=_BACKLOG)
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
