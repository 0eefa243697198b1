"""Lets programs on this host stop the fleet at once, without waiting for ROS to discover the driver."""

import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from fleet.hosts.local_drivers import SOCKET_ENDING

_REQUEST_BYTES: Final = 64
_REQUESTS_A_TICK: Final = 4


class StopSocket:
    """A datagram socket in a folder of this user; whoever sends to it stops the fleet, and gets an answer.

    Parameters
    ----------
    folder : of the ROS domain; it exists
    token : identifies the driver
    stop : stops the fleet, and returns the answer

    Raises
    ------
    OSError
        The socket cannot be created.
    """

    def __init__(self, folder: Path, token: str, stop: Callable[[], bytes]) -> None:
        self._path = folder / f"{token}{SOCKET_ENDING}"
        self._stop = stop
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        try:
            self._socket.bind(str(self._path))
        except OSError:
            self._socket.close()
            raise

    def serve(self) -> None:
        """Answer the requests that wait; never waits itself."""
        for _ in range(_REQUESTS_A_TICK):
            try:
                _, sender = self._socket.recvfrom(_REQUEST_BYTES)
            except OSError:  # none, as a rule
                return
            answer = self._stop()
            with suppress(OSError):  # the sender may have left
                self._socket.sendto(answer, sender or b"")

    def close(self) -> None:
        """Remove the socket."""
        self._path.unlink(missing_ok=True)
        self._socket.close()
