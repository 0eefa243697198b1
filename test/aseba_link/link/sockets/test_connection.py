import os
import resource
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

import pytest
from serial.tools.list_ports_common import ListPortInfo

from aseba_link.errors import ConnectionLostError
from aseba_link.link.connection import MAX_QUEUED, Connection, SerialConnection, TcpConnection, pipe
from aseba_link.link.dialer import ThreadDialer
from aseba_link.link.target import SerialTarget, TcpTarget

WAIT_S = 10.0


def receive_all(connection: Connection, size: int) -> bytes:
    """Return `size` bytes, or those that arrived before the connection was lost."""
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


def test_pipe_returns_nothing_if_nothing_was_sent() -> None:
    one, _ = pipe()
    assert one.receive() == b""


def test_pipe_returns_bytes_sent_before_the_peer_closed() -> None:
    one, other = pipe()
    one.send(b"last words")
    one.close()
    assert other.receive() == b"last words"
    with pytest.raises(ConnectionLostError, match="closed by the peer"):
        other.receive()


def test_pipe_whose_peer_closed_accepts_nothing() -> None:
    one, other = pipe()
    other.close()
    with pytest.raises(ConnectionLostError):
        one.send(b"x")


def test_pipe_reports_the_number_of_queued_bytes() -> None:
    one, other = pipe()
    one.send(b"12345")
    assert (one.queued, other.queued) == (5, 0)
    other.receive()
    assert one.queued == 0


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


def test_tcp_returns_at_once_if_nothing_was_sent(tcp_pair: tuple[Connection, socket.socket]) -> None:
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


def test_tcp_sends_queued_bytes_as_soon_as_the_peer_reads(tcp_pair: tuple[Connection, socket.socket]) -> None:
    ours, theirs = tcp_pair
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 0x10000)
    ours.send(bytes(MAX_QUEUED))
    received = 0
    while received < MAX_QUEUED:
        ours.receive()
        received += len(theirs.recv(0x10000))
    assert (received, ours.queued) == (MAX_QUEUED, 0)


def test_tcp_reports_the_number_of_queued_bytes(tcp_pair: tuple[Connection, socket.socket]) -> None:
    ours, _ = tcp_pair
    ours.send(b"ping")
    assert ours.queued == 0
    for _ in range(100):
        if ours.queued:
            break
        ours.send(bytes(MAX_QUEUED // 2))
    assert 0 < ours.queued <= MAX_QUEUED


def test_tcp_returns_the_last_bytes_of_a_disconnected_peer_despite_queued_bytes(
    tcp_pair: tuple[Connection, socket.socket],
) -> None:
    ours, theirs = tcp_pair
    while not ours.queued:
        ours.send(bytes(MAX_QUEUED // 2))
    theirs.sendall(b"last words")
    theirs.close()
    assert receive_all(ours, 100) == b"last words"


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


def test_serial_port_that_accepts_nothing_is_lost(terminal: tuple[BinaryIO, SerialConnection]) -> None:
    with pytest.raises(ConnectionLostError, match="does not read"):
        send_much(terminal[1])


def test_serial_port_whose_device_is_removed_is_lost(terminal: tuple[BinaryIO, SerialConnection]) -> None:
    far, connection = terminal
    far.close()
    assert loss(connection)


def test_serial_port_is_opened_exclusively(terminal: tuple[BinaryIO, SerialConnection]) -> None:
    with pytest.raises(ConnectionLostError, match=f"{terminal[1].device} is in use by another program"):
        SerialConnection(terminal[1].device)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_serial_port_of_an_unplugged_robot_is_released_so_that_its_name_is_free(tmp_path: Path) -> None:
    before = open_files()
    device = tmp_path / "ttyACM0"
    for _ in range(3):
        far, near = os.openpty()
        device.symlink_to(os.ttyname(near))
        with closing(SerialConnection(str(device))) as connection:
            os.close(near)
            os.close(far)
            assert loss(connection)
        device.unlink()
    assert open_files() == before


def test_serial_port_is_closed_at_once_despite_queued_bytes(terminal: tuple[BinaryIO, SerialConnection]) -> None:
    _, connection = terminal
    connection.send(bytes(0x10000))
    connection.close()
    connection.close()
    with pytest.raises(ConnectionLostError):
        connection.receive()
    with pytest.raises(ConnectionLostError):
        connection.send(b"x")


@pytest.fixture
def many_open_files() -> Iterator[None]:
    """Make every further descriptor exceed 1023, which is too much for select()."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, limits[1]), limits[1]))
    copies = [os.dup(0) for _ in range(1024)]
    yield
    for copy in copies:
        os.close(copy)
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_serial_port_works_beside_a_thousand_open_files(
    many_open_files: None, terminal: tuple[BinaryIO, SerialConnection]
) -> None:
    far, connection = terminal
    assert far.fileno() > 1023
    far.write(b"pong")
    assert receive_all(connection, 4) == b"pong"
    assert connection.receive() == b""


@pytest.fixture
def forbidden_port() -> Iterator[str]:
    """A serial port that the user, who is not root, may not open."""
    far, near = os.openpty()
    path = os.ttyname(near)
    Path(path).chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    yield path
    os.seteuid(user)
    os.close(far)
    os.close(near)


def test_error_of_a_forbidden_serial_port_explains_what_to_do(forbidden_port: str) -> None:
    with pytest.raises(ConnectionLostError) as refusal:
        SerialConnection(forbidden_port)
    assert str(refusal.value).startswith(f"permission denied on {forbidden_port}: add your user to the group")
    assert "docs/hardware.md" in str(refusal.value)


def test_file_that_is_not_a_serial_port_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    with pytest.raises(ConnectionLostError, match=str(path)):
        SerialConnection(str(path))


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


def test_dialler_reports_why_a_target_cannot_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert failure(ThreadDialer().dial(TcpTarget("127.0.0.1", port))) == "Connection refused"


def test_attempts_and_connections_leave_no_thread_or_socket_behind() -> None:
    before = threading.active_count(), open_files()
    for _ in range(100):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            target = TcpTarget("127.0.0.1", listener.getsockname()[1])
            ThreadDialer().dial(target).result(WAIT_S).close()
        assert failure(ThreadDialer().dial(target)) == "Connection refused"
    for thread in threading.enumerate():
        if thread.name.startswith("dial "):
            thread.join(WAIT_S)
    assert (threading.active_count(), open_files()) == before


def test_dialler_reports_a_missing_device(tmp_path: Path) -> None:
    assert "No such file" in failure(ThreadDialer().dial(SerialTarget(device=str(tmp_path / "ttyACM0"))))


def test_dialler_reports_that_no_port_has_the_name() -> None:
    assert "'No Such Robot'" in failure(ThreadDialer().dial(SerialTarget(name="No Such Robot")))


@pytest.fixture
def two_robots() -> Iterator[list[ListPortInfo]]:
    """Two serial ports, described as Thymios and their dongles are."""
    pairs = [os.openpty() for _ in range(2)]
    ports = [ListPortInfo(os.ttyname(near)) for _, near in pairs]
    for port, description in zip(ports, ["Thymio-II Wireless", "Thymio-II Robot"], strict=True):
        port.description = description
    yield ports
    for descriptor in (descriptor for pair in pairs for descriptor in pair):
        os.close(descriptor)


def test_dialler_opens_the_port_whose_description_contains_the_name(two_robots: list[ListPortInfo]) -> None:
    dialer = ThreadDialer(lambda: two_robots)
    with closing(dialer.dial(SerialTarget(name="II Robot")).result(WAIT_S)) as connection:
        assert isinstance(connection, SerialConnection)
        assert connection.device == two_robots[1].device


def test_dialler_opens_the_next_port_of_the_name_if_one_is_in_use(two_robots: list[ListPortInfo]) -> None:
    dialer, target = ThreadDialer(lambda: two_robots), SerialTarget(name="Thymio-II")
    with closing(dialer.dial(target).result(WAIT_S)) as one, closing(dialer.dial(target).result(WAIT_S)) as other:
        assert isinstance(one, SerialConnection)
        assert isinstance(other, SerialConnection)
        assert {one.device, other.device} == {port.device for port in two_robots}
        assert failure(dialer.dial(target)).count("in use by another program") == 2
