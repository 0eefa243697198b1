"""A pseudo-terminal as a serial port: hosts open and close it, and no file is ever removed."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from aseba_link.errors import ConnectionLostError, ListenError
from aseba_link.link.connection import SerialConnection
from aseba_link.link.pty_port import PtyConnection, PtyPort

POLLS = 1_000_000  # a terminal passes bytes on after some of them, however busy the machine is


@pytest.fixture
def port(tmp_path: Path) -> Iterator[PtyPort]:
    with closing(PtyPort(tmp_path / "thymio")) as opened:
        yield opened


def opened(port: PtyPort) -> tuple[SerialConnection, PtyConnection]:
    host = SerialConnection(str(port.path))
    (robots,) = port.accept()
    return host, robots


def test_a_closed_port_has_no_host(port: PtyPort) -> None:
    assert list(port.accept()) == []


def test_all_bytes_pass_unchanged_both_ways(port: PtyPort) -> None:
    host, robots = opened(port)
    with closing(host):
        data = bytes(range(256))
        host.send(data)
        robots.send(data)
        assert received(robots, len(data)) == received(host, len(data)) == data


def test_more_than_a_terminal_holds_waits_and_arrives(port: PtyPort) -> None:
    host, robots = opened(port)
    with closing(host):
        data = os.urandom(50_000)
        robots.send(data)
        assert robots.queued > 0
        got = b""
        for _ in range(POLLS):
            got += host.receive()
            robots.receive()
            if len(got) >= len(data):
                break
        assert got == data


def test_a_host_that_closes_is_lost_and_the_next_one_is_accepted(port: PtyPort) -> None:
    host, robots = opened(port)
    host.close()
    with pytest.raises(ConnectionLostError):
        robots.receive()
    second, robots = opened(port)
    with closing(second):
        second.send(b"again")
        assert received(robots, 5) == b"again"


def test_a_second_host_learns_that_the_port_is_taken(port: PtyPort) -> None:
    host, _ = opened(port)
    with closing(host), pytest.raises(ConnectionLostError, match="in use"):
        SerialConnection(str(port.path))


def test_a_file_of_the_name_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text("mine")
    with pytest.raises(ListenError, match="a file already exists"):
        PtyPort(path)
    assert path.read_text() == "mine"


def test_a_link_to_something_else_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "link"
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ListenError, match="already a link to"):
        PtyPort(path)
    assert path.is_symlink()


def test_the_link_goes_with_its_port_only(tmp_path: Path) -> None:
    path = tmp_path / "thymio"
    PtyPort(path).close()
    assert not path.is_symlink()
    port = PtyPort(path)
    path.unlink()
    path.write_text("mine")
    port.close()
    assert path.read_text() == "mine"


def received(end: SerialConnection | PtyConnection, size: int) -> bytes:
    data = b""
    for _ in range(POLLS):
        data += end.receive()
        if len(data) >= size:
            return data
    raise AssertionError(f"{len(data)} of {size} bytes came")
