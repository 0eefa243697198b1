"""Non-blocking byte connections to robots: TCP, a serial port, and a pipe in memory."""

import contextlib
import errno
import os
import socket
from collections.abc import Callable
from typing import Protocol

import serial

from aseba_link.errors import ConnectionLostError

MAX_QUEUED = 0x100000  # bytes queued at most for a peer that does not read; the descriptions of 200 robots
MAX_RECEIVED = 0x4000  # bytes per `receive`, so that a flooding peer does not delay others

_KEEPALIVE_IDLE_S = 2
_KEEPALIVE_PERIOD_S = 1
_KEEPALIVE_COUNT = 3
_WRITTEN_AT_ONCE = 0x10000  # bytes
_UNACKNOWLEDGED_LIMIT_MS = 5000  # a pulled cable is noticed after this time instead of TCP's 15 minutes


class Connection(Protocol):
    """A two-way stream of bytes; no call ever blocks."""

    @property
    def queued(self) -> int:
        """Number of bytes waiting to be sent to the peer; usually 0."""

    def send(self, data: bytes) -> None:
        """Queue `data` for the peer.

        Raises
        ------
        ConnectionLostError
            The connection is broken or closed, or more than `MAX_QUEUED` bytes are queued.
        """

    def receive(self) -> bytes:
        """Return the bytes that have arrived since the last call, at most `MAX_RECEIVED`, possibly none.

        Raises
        ------
        ConnectionLostError
            The connection is closed or broken, and everything the peer sent has been returned.
        """

    def close(self) -> None:
        """Close this end; closing it again does nothing."""


class TcpConnection:
    """A connected TCP socket, owned by this object, and the peer's address for people."""

    def __init__(self, peer: socket.socket, address: str = "") -> None:
        self.address = address
        self._socket = peer
        self._queue = _SendQueue(peer.send)
        peer.setblocking(False)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in (
            ("TCP_KEEPIDLE", _KEEPALIVE_IDLE_S),
            ("TCP_KEEPINTVL", _KEEPALIVE_PERIOD_S),
            ("TCP_KEEPCNT", _KEEPALIVE_COUNT),
            ("TCP_USER_TIMEOUT", _UNACKNOWLEDGED_LIMIT_MS),
        ):
            if hasattr(socket, option):  # not every system has all of them
                peer.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)

    @property
    def queued(self) -> int:
        """See `Connection.queued`."""
        return self._queue.size

    def send(self, data: bytes) -> None:
        """See `Connection.send`."""
        self._queue.add(data)

    def receive(self) -> bytes:
        """See `Connection.receive`; also sends queued bytes."""
        data = _read(self._socket.recv, "closed by the peer")
        if not data:  # otherwise the last bytes from a peer that disconnected would be lost
            self._queue.flush()
        return data

    def close(self) -> None:
        """See `Connection.close`."""
        self._socket.close()


class SerialConnection:
    """A serial port, opened exclusively and with DTR set: a Thymio sends only while it is set.

    Reading and writing bypass pyserial: it waits with select(), which accepts no descriptor above 1023, and its
    non-blocking write spins while the port accepts nothing.

    Raises
    ------
    ConnectionLostError
        The port cannot be opened.
    """

    def __init__(self, device: str) -> None:
        self.device = device
        try:
            # with inter_byte_timeout a read without data is an error, and an empty read means that the port was removed
            self._port = serial.Serial(device, 115200, timeout=0, inter_byte_timeout=0, exclusive=True)
        except Exception as error:  # termios.error is not an OSError
            raise ConnectionLostError(_serial_problem(device, error)) from error
        self._queue = _SendQueue(lambda data: os.write(self._port.fileno(), data))

    @property
    def queued(self) -> int:
        """See `Connection.queued`."""
        return self._queue.size

    def send(self, data: bytes) -> None:
        """See `Connection.send`."""
        self._queue.add(data)

    def receive(self) -> bytes:
        """See `Connection.receive`; also sends queued bytes."""
        data = _read(self._read, "unplugged")
        if not data:
            self._queue.flush()
        return data

    def _read(self, size: int) -> bytes:
        return os.read(self._port.fileno(), size)

    def close(self) -> None:
        """See `Connection.close`; discards queued bytes, because closing would wait up to half a minute for them."""
        with contextlib.suppress(Exception):  # termios.error is not an OSError; the port was removed or closed
            self._port.reset_output_buffer()
        self._port.close()


class PipeConnection:
    """One end of a connection in memory."""

    def __init__(self, incoming: "_PipeBuffer", outgoing: "_PipeBuffer") -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    @property
    def queued(self) -> int:
        """See `Connection.queued`."""
        return len(self._outgoing.data)

    def send(self, data: bytes) -> None:
        """See `Connection.send`."""
        if self._outgoing.closed:
            raise ConnectionLostError("closed by the peer")
        if len(self._outgoing.data) + len(data) > MAX_QUEUED:
            raise ConnectionLostError("the peer does not read")
        self._outgoing.data += data

    def receive(self) -> bytes:
        """See `Connection.receive`."""
        incoming = self._incoming
        if not incoming.data:
            if incoming.closed:
                raise ConnectionLostError("closed by the peer")
            return b""
        data = bytes(incoming.data[:MAX_RECEIVED])
        del incoming.data[: len(data)]
        return data

    def close(self) -> None:
        """See `Connection.close`."""
        self._incoming.closed = True
        self._outgoing.closed = True


def pipe() -> tuple[Connection, Connection]:
    """Return the two ends of a connection in memory, for tests and reproducible runs."""
    one, other = _PipeBuffer(), _PipeBuffer()
    return PipeConnection(one, other), PipeConnection(other, one)


class _PipeBuffer:
    """Bytes that one end of a pipe has sent and the other has not yet read."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.closed = False


class _SendQueue:
    """Bytes queued until the system accepts them; `write` returns how many it accepted, or raises an OSError."""

    def __init__(self, write: Callable[[bytes], int]) -> None:
        self._write = write
        self._data = bytearray()

    @property
    def size(self) -> int:
        """Number of queued bytes."""
        return len(self._data)

    def add(self, data: bytes) -> None:
        """Send as much of `data` as possible at once; queue the rest."""
        if self._data or len(data) > _WRITTEN_AT_ONCE:
            self._data += data
            self.flush()
        elif data:
            self._data += data[self._written(data) :]
        if len(self._data) > MAX_QUEUED:
            raise ConnectionLostError("the peer does not read")

    def flush(self) -> None:
        """Send as many queued bytes as possible at once."""
        while self._data:
            written = self._written(bytes(self._data[:_WRITTEN_AT_ONCE]))
            if not written:
                return
            del self._data[:written]

    def _written(self, data: bytes) -> int:
        try:
            return self._write(data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError as error:
            raise _lost(error) from error


def _read(read: Callable[[int], bytes], end: str) -> bytes:
    """Return the result of `read`, or b"" if it would block; `end` is the reason reported for an empty read."""
    try:
        data = read(MAX_RECEIVED)
    except (BlockingIOError, InterruptedError):
        return b""
    except OSError as error:
        raise _lost(error) from error
    if not data:
        raise ConnectionLostError(end)
    return data


def _serial_problem(device: str, error: Exception) -> str:
    """Return why a port cannot be opened, and the cure."""
    code = getattr(error, "errno", None)
    if code in (errno.EACCES, errno.EPERM):
        return (
            f"permission denied on {device}: add your user to the group of serial ports (sudo usermod -aG dialout "
            "$USER, then log in again), or install the udev rule of docs/hardware.md"
        )
    if code in (errno.EAGAIN, errno.EBUSY):
        return f"{device} is in use by another program"
    return f"{device}: {os.strerror(code) if code else error}"


def _lost(error: Exception) -> ConnectionLostError:
    """Return an error with the system's reason for the lost connection."""
    return ConnectionLostError(getattr(error, "strerror", None) or str(error))
