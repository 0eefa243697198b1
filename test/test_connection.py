import os
import socket
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

import pytest

from aseba_link.connection import MAX_QUEUED, Connection, SerialConnection, TcpConnection, pipe
from aseba_link.dialer import ThreadDialer
from aseba_link.errors import ConnectionLostError
from aseba_link.target import SerialTarget, TcpTarget

WAIT_S = 10.0


def receive_all(connection: Connection, size: int) -> bytes:
    """Return `size` bytes, or what had come when the connection was lost."""
    data = b""
    try:
        while len(data) < size:
            data += connection.receive()
    except ConnectionLostError:
        return data
    return data


def send_much(connection: Connection) -> None:
    for _ in range(1000):
        connection.send(bytes(0x10000))


def loss(connection: Connection) -> str:
    """Receive until the connection is lost, and return why."""
    try:
        while True:
            connection.receive()
    except ConnectionLostError as error:
        return str(error)


@pytest.fixture
def tcp_pair() -> Iterator[tuple[Connection, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours = socket.create_connection(listener.getsockname())
        theirs, _ = listener.accept()
    theirs.settimeout(WAIT_S)
    connection = TcpConnection(ours)
    with theirs, closing(connection):
        yield connection, theirs


def test_pipe_carries_bytes_both_ways() -> None:
    one, other = pipe()
    one.send(b"to ")
    one.send(b"other")
    other.send(b"to one")
    assert (other.receive(), one.receive()) == (b"to other", b"to one")


def test_pipe_gives_nothing_where_nothing_was_sent() -> None:
    one, _ = pipe()
    assert one.receive() == b""


def test_pipe_gives_what_was_sent_before_the_peer_closed() -> None:
    one, other = pipe()
    one.send(b"last words")
    one.close()
    assert other.receive() == b"last words"
    with pytest.raises(ConnectionLostError, match="closed by the peer"):
        other.receive()


def test_pipe_whose_peer_closed_takes_nothing() -> None:
    one, other = pipe()
    other.close()
    with pytest.raises(ConnectionLostError):
        one.send(b"x")


def test_pipe_whose_peer_does_not_read_is_lost_instead_of_growing() -> None:
    one, _ = pipe()
    one.send(bytes(MAX_QUEUED))
    with pytest.raises(ConnectionLostError, match="does not read"):
        one.send(b"x")


def test_tcp_carries_bytes_both_ways(tcp_pair: tuple[Connection, socket.socket]) -> None:
    ours, theirs = tcp_pair
    ours.send(b"ping")
    assert theirs.recv(10) == b"ping"
    theirs.sendall(b"pong")
    assert receive_all(ours, 4) == b"pong"


def test_tcp_gives_nothing_at_once_where_nothing_was_sent(tcp_pair: tuple[Connection, socket.socket]) -> None:
    assert tcp_pair[0].receive() == b""


def test_tcp_closed_by_the_peer_is_lost_after_its_last_bytes(tcp_pair: tuple[Connection, socket.socket]) -> None:
    ours, theirs = tcp_pair
    theirs.sendall(b"last words")
    theirs.close()
    assert receive_all(ours, 100) == b"last words"
    assert loss(ours) == "closed by the peer"


def test_tcp_whose_peer_does_not_read_is_lost_instead_of_waiting(tcp_pair: tuple[Connection, socket.socket]) -> None:
    ours, _ = tcp_pair
    with pytest.raises(ConnectionLostError, match="does not read"):
        send_much(ours)


def test_tcp_sends_what_waited_as_soon_as_the_peer_reads(tcp_pair: tuple[Connection, socket.socket]) -> None:
    ours, theirs = tcp_pair
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 0x10000)
    ours.send(bytes(MAX_QUEUED))
    received = 0
    while received < MAX_QUEUED:
        ours.receive()
        received += len(theirs.recv(0x10000))
    assert received == MAX_QUEUED


def test_tcp_that_was_closed_here_is_lost(tcp_pair: tuple[Connection, socket.socket]) -> None:
    tcp_pair[0].close()
    tcp_pair[0].close()
    with pytest.raises(ConnectionLostError):
        tcp_pair[0].receive()


@pytest.fixture
def terminal() -> Iterator[tuple[BinaryIO, SerialConnection]]:
    """The far end of a serial line, as a file, and ours."""
    far, near = os.openpty()
    connection = SerialConnection(os.ttyname(near))
    os.close(near)
    with os.fdopen(far, "r+b", buffering=0) as file, closing(connection):
        yield file, connection


def test_serial_port_carries_bytes_both_ways(terminal: tuple[BinaryIO, SerialConnection]) -> None:
    far, connection = terminal
    connection.send(b"\x00\x0aping")
    assert far.read(10) == b"\x00\x0aping"
    far.write(b"\x11\x0dpong")
    assert receive_all(connection, 6) == b"\x11\x0dpong"


def test_serial_port_that_takes_nothing_is_lost_instead_of_waiting(terminal: tuple[BinaryIO, SerialConnection]) -> None:
    with pytest.raises(ConnectionLostError, match="does not read"):
        send_much(terminal[1])


def test_serial_port_whose_device_is_gone_is_lost(terminal: tuple[BinaryIO, SerialConnection]) -> None:
    far, connection = terminal
    far.close()
    assert loss(connection)


def test_serial_port_is_held_exclusively(terminal: tuple[BinaryIO, SerialConnection]) -> None:
    with pytest.raises(ConnectionLostError, match="lock"):
        SerialConnection(terminal[1].device)


def test_dialler_reaches_a_listening_target() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        future = ThreadDialer().dial(TcpTarget("127.0.0.1", listener.getsockname()[1]))
        theirs, _ = listener.accept()
        with theirs, closing(future.result(WAIT_S)) as ours:
            theirs.sendall(b"hello")
            assert receive_all(ours, 5) == b"hello"


def failure(future: Future[Connection]) -> str:
    error = future.exception(WAIT_S)
    assert isinstance(error, ConnectionLostError)
    return str(error)


def test_dialler_says_why_a_target_is_not_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert failure(ThreadDialer().dial(TcpTarget("127.0.0.1", port))) == "Connection refused"


def test_dialler_says_that_a_device_does_not_exist(tmp_path: Path) -> None:
    assert "No such file" in failure(ThreadDialer().dial(SerialTarget(device=str(tmp_path / "ttyACM0"))))


def test_dialler_says_that_no_port_has_the_name() -> None:
    assert "'No Such Robot'" in failure(ThreadDialer().dial(SerialTarget(name="No Such Robot")))
