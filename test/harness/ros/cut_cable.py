"""A cable between a driver and robots on TCP that can be cut."""

import contextlib
import threading
import time

from aseba_link.errors import ConnectionLostError
from aseba_link.link.connection import Connection
from aseba_link.link.dialer import ThreadDialer
from aseba_link.link.listener import Listener
from aseba_link.link.target import TcpTarget

_PERIOD_S = 0.002
_DIAL_S = 5.0


class CutCable:
    """Connects each host to robots on a port of this machine, in its own thread."""

    def __init__(self, robots_port: int) -> None:
        self._robots = TcpTarget("127.0.0.1", robots_port)
        self._listener = Listener("127.0.0.1", 0)
        self._pairs: list[tuple[Connection, Connection]] = []  # host's side, robots' side
        self._last_bytes: list[bytes] = []
        self._is_closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="cable", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port for hosts."""
        return self._listener.port

    def cut(self, last_bytes: bytes = b"") -> None:
        """Close every connection soon, after sending `last_bytes` to the hosts."""
        self._last_bytes.append(last_bytes)

    def close(self) -> None:
        """Close everything permanently."""
        self._is_closed.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._is_closed.is_set():
            for host in self._listener.accept():
                self._join(host)
            for pair in list(self._pairs):
                self._pass_on(pair)
            while self._last_bytes:
                self._hang_up(self._last_bytes.pop())
            time.sleep(_PERIOD_S)
        self._hang_up(b"")
        self._listener.close()

    def _join(self, host: Connection) -> None:
        try:
            self._pairs.append((host, ThreadDialer().dial(self._robots).result(_DIAL_S)))
        except ConnectionLostError:
            host.close()

    def _pass_on(self, pair: tuple[Connection, Connection]) -> None:
        host, robots = pair
        try:
            robots.send(host.receive())
            host.send(robots.receive())
        except ConnectionLostError:
            self._end(pair)

    def _hang_up(self, last_bytes: bytes) -> None:
        for pair in list(self._pairs):
            with contextlib.suppress(ConnectionLostError):
                pair[0].send(last_bytes)
            self._end(pair)

    def _end(self, pair: tuple[Connection, Connection]) -> None:
        for connection in pair:
            connection.close()
        self._pairs.remove(pair)
