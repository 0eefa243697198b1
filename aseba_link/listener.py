"""Takes in Aseba hosts on TCP."""

import socket
from collections.abc import Iterator

from aseba_link.connection import Connection, TcpConnection

_BACKLOG = 64  # so many hosts may wait, and so many one call takes in


class Listener:
    """A listening socket whose calls never wait.

    Raises
    ------
    OSError
        The address is not one of this machine's, or the port is taken.
    """

    def __init__(self, address: str, port: int) -> None:
        self._socket = socket.create_server((address, port), backlog=_BACKLOG)
        self._socket.setblocking(False)

    @property
    def port(self) -> int:
        """The port that hosts reach."""
        return int(self._socket.getsockname()[1])

    def accept(self) -> Iterator[Connection]:
        """Yield a connection for every host that has come since the last call."""
        for _ in range(_BACKLOG):
            try:
                peer, _address = self._socket.accept()
            except OSError:  # nobody is waiting, or the host that was has gone
                return
            yield TcpConnection(peer)

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()
