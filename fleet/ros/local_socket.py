"""A socket through which programs on this host reach the driver at once, without waiting for ROS to discover it."""

import os
import socket
from array import array
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

_REQUEST_BYTES: Final = 64
_REQUESTS_A_TICK: Final = 4


class LocalSocket:
    """A datagram socket in a folder of this user, for one kind of request; the content of requests does not matter.

    Parameters
    ----------
    path : of the socket; its folder exists
    handle : handles a request, and returns the answer

    Raises
    ------
    OSError
        The socket cannot be created.
    """

    def __init__(self, path: Path, handle: Callable[[], bytes]) -> None:
        self._path = path
        self._handle = handle
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        try:
            self._socket.bind(str(self._path))
        except OSError:
            self._socket.close()
            raise

    def serve(self) -> None:
        """Answer the requests that wait, all with one answer; never waits itself."""
        senders = self._senders()
        if not senders:
            return
        answer = self._handle()
        for sender in senders:
            with suppress(OSError):  # the sender may have left
                self._send(answer, sender)

    def close(self) -> None:
        """Remove the socket."""
        self._path.unlink(missing_ok=True)
        self._socket.close()

    def _senders(self) -> list[str]:
        """Return the addresses from which requests have arrived."""
        senders: list[str] = []
        while len(senders) < _REQUESTS_A_TICK:
            try:
                _, sender = self._socket.recvfrom(_REQUEST_BYTES)
            except OSError:  # none, as a rule
                break
            senders.append(sender or "")
        return senders

    def _send(self, answer: bytes, address: str) -> None:
        """Send an answer as a file in memory: a datagram has not room for many robots."""
        file = os.memfd_create("answer")
        try:
            os.write(file, answer)
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", [file]))
            self._socket.sendmsg([b"answer"], [rights], 0, address)  # socket.send_fds ignores the address
        finally:
            os.close(file)
