import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from aseba_link.errors import ConnectionLostError, ListenError
from aseba_link.link.connection import Connection
from aseba_link.link.listener import Listener

RESET_AT_CLOSE = b"\x01\x00\x00\x00\x00\x00\x00\x00"


@pytest.fixture
def listener() -> Iterator[Listener]:
    with closing(Listener("127.0.0.1", 0)) as listening:
        yield listening


def connect(listener: Listener) -> socket.socket:
    return socket.create_connection(("127.0.0.1", listener.port))


def accepted(listener: Listener, count: int) -> list[Connection]:
    """Accept until `count` have connected."""
    connections = list[Connection]()
    while len(connections) < count:
        connections += listener.accept()
    return connections


def close(*connections: Connection) -> None:
    for connection in connections:
        connection.close()


def loss(connection: Connection) -> str:
    try:
        while True:
            connection.receive()
    except ConnectionLostError as error:
        return str(error)


def test_accept_returns_at_once_if_no_host_waits(listener: Listener) -> None:
    assert list(listener.accept()) == []


def test_all_waiting_hosts_are_accepted(listener: Listener) -> None:
    with connect(listener), connect(listener), connect(listener):
        close(*accepted(listener, 3))


def test_host_that_reset_its_connection_before_it_was_accepted_is_lost_alone(listener: Listener) -> None:
    with connect(listener) as reset:
        reset.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_AT_CLOSE)
    with connect(listener) as good:
        first, second = accepted(listener, 2)
        assert loss(first) == "Connection reset by peer"
        second.send(b"hello")
        assert good.recv(5) == b"hello"
        close(first, second)


def test_port_in_use_is_an_error(listener: Listener) -> None:
    with pytest.raises(OSError, match="in use"):
        Listener("127.0.0.1", listener.port)


def test_closed_listener_accepts_no_host(listener: Listener) -> None:
    listener.close()
    assert list(listener.accept()) == []


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
@pytest.mark.parametrize(
    ("address", "host", "expected"),
    [
        ("::1", "::1", "[::1]:"),
        ("::", "::1", "[::1]:"),
        ("::", "127.0.0.1", "127.0.0.1:"),
        ("0.0.0.0", "127.0.0.1", "127.0.0.1:"),
        ("localhost", "127.0.0.1", "127.0.0.1:"),
    ],
)
def test_hosts_are_heard_over_ipv6_too(address: str, host: str, expected: str) -> None:
    with closing(Listener(address, 0)) as listener, socket.create_connection((host, listener.port)):
        (connection,) = accepted(listener, 1)
        assert connection.address.startswith(expected)
        close(connection)


@pytest.mark.parametrize("address", ["999.1.1.1", "a b", "x" * 300, "::g", "192.0.2.1", "2001:db8::1"])
def test_address_of_another_machine_is_refused_in_a_sentence(address: str) -> None:
    with pytest.raises(ListenError, match=f"cannot listen on {address}, port 0: [A-Z]?[a-z]"):
        Listener(address, 0)
