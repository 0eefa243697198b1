"""Opens connections to targets without blocking."""

import socket
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Protocol

from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from aseba_link.errors import ConnectionLostError
from aseba_link.link.connection import Connection, SerialConnection, TcpConnection
from aseba_link.link.target import Target, TcpTarget

CONNECT_TIMEOUT_S = 3.0


class Dialer(Protocol):
    """Starts attempts to reach targets."""

    def dial(self, target: Target) -> Future[Connection]:
        """Return at once; the future gets the connection, or a ConnectionLostError with the reason."""


class ThreadDialer:
    """Makes each attempt in its own thread, so that a slow name server or serial port delays no other attempt.

    Parameters
    ----------
    serial_ports
        Lists the existing serial ports.
    """

    def __init__(self, serial_ports: Callable[[], Iterable[ListPortInfo]] = list_ports.comports) -> None:
        self._serial_ports = serial_ports

    def dial(self, target: Target) -> Future[Connection]:
        """See `Dialer.dial`."""
        future: Future[Connection] = Future()
        threading.Thread(target=self._attempt, args=(target, future), name=f"dial {target}", daemon=True).start()
        return future

    def _attempt(self, target: Target, future: Future[Connection]) -> None:
        """Open `target` and complete `future`, whatever happens."""
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(self._open(target))
        except ConnectionLostError as error:
            future.set_exception(error)
        except Exception as error:  # a library may raise anything; an attempt must never stay open
            future.set_exception(ConnectionLostError(f"{type(error).__name__}: {error}"))

    def _open(self, target: Target) -> Connection:
        if isinstance(target, TcpTarget):
            return _open_tcp(target)
        if target.device:
            return SerialConnection(target.device)
        return self._open_named(target.name)

    def _open_named(self, name: str) -> Connection:
        """Open the first port with that name that is not in use."""
        devices = sorted(port.device for port in self._serial_ports() if name in port.description)
        if not devices:
            raise ConnectionLostError(f"no serial port has {name!r} in its description")
        problems = []
        for device in devices:
            try:
                return SerialConnection(device)
            except ConnectionLostError as error:
                problems.append(str(error))
        raise ConnectionLostError("; ".join(problems))


def _open_tcp(target: TcpTarget) -> Connection:
    try:
        peer = socket.create_connection((target.host, target.port), timeout=CONNECT_TIMEOUT_S)
    except TimeoutError as error:
        raise ConnectionLostError(f"no answer within {CONNECT_TIMEOUT_S:g} s") from error
    except OSError as error:
        raise ConnectionLostError(error.strerror or str(error)) from error
    try:
        return _checked(peer)
    except OSError as error:  # the peer has already closed the connection
        peer.close()
        raise ConnectionLostError(error.strerror or str(error)) from error


def _checked(peer: socket.socket) -> Connection:
    """Return the connection, unless it leads back to us: Linux may assign us the port that we dial."""
    if peer.getsockname() == peer.getpeername():
        raise ConnectionRefusedError("Connection refused")
    return TcpConnection(peer)
