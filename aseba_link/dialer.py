"""Opens connections to targets without making anyone wait."""

import socket
import threading
from concurrent.futures import Future
from typing import Protocol

from serial.tools import list_ports

from aseba_link.connection import Connection, SerialConnection, TcpConnection
from aseba_link.errors import ConnectionLostError
from aseba_link.target import SerialTarget, Target, TcpTarget

CONNECT_TIMEOUT_S = 3.0


class Dialer(Protocol):
    """Starts attempts to reach targets."""

    def dial(self, target: Target) -> Future[Connection]:
        """Return at once; the future gives the connection, or a ConnectionLostError that says why there is none."""


class ThreadDialer:
    """Makes each attempt in a thread of its own: a slow name server or serial port delays nobody else."""

    def dial(self, target: Target) -> Future[Connection]:
        """See `Dialer.dial`."""
        future: Future[Connection] = Future()
        threading.Thread(target=_attempt, args=(target, future), name=f"dial {target}", daemon=True).start()
        return future


def _attempt(target: Target, future: Future[Connection]) -> None:
    """Open `target` and complete `future`, whatever happens."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(_open(target))
    except ConnectionLostError as error:
        future.set_exception(error)
    except Exception as error:  # a library may raise anything; an attempt must never stay open
        future.set_exception(ConnectionLostError(f"{type(error).__name__}: {error}"))


def _open(target: Target) -> Connection:
    if isinstance(target, TcpTarget):
        return _open_tcp(target)
    return _open_serial(target)


def _open_tcp(target: TcpTarget) -> Connection:
    try:
        peer = socket.create_connection((target.host, target.port), timeout=CONNECT_TIMEOUT_S)
    except TimeoutError as error:
        raise ConnectionLostError(f"no answer within {CONNECT_TIMEOUT_S:g} s") from error
    except OSError as error:
        raise ConnectionLostError(error.strerror or str(error)) from error
    if peer.getsockname() == peer.getpeername():
        # Linux may give us the very port that we dial, and then connects us to ourselves
        peer.close()
        raise ConnectionLostError("Connection refused")
    return TcpConnection(peer)


def _open_serial(target: SerialTarget) -> Connection:
    """Open the device, or the first port of that name that nobody else holds."""
    if target.device:
        return SerialConnection(target.device)
    devices = [port.device for port in list_ports.comports() if target.name in port.description]
    error = ConnectionLostError(f"no serial port has {target.name!r} in its description")
    for device in sorted(devices):
        try:
            return SerialConnection(device)
        except ConnectionLostError as reason:
            error = reason
    raise error
