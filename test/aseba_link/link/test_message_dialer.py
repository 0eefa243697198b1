"""Bytes to and from robots are carried as messages."""

import pytest

from aseba_link.errors import ConnectionLostError
from aseba_link.link.connection import MAX_QUEUED
from aseba_link.link.message_dialer import MessageDialer, MessagePipe
from aseba_link.link.target import parse_target


def test_bytes_are_carried_both_ways_as_a_whole() -> None:
    dialer = MessageDialer()
    connection = dialer.dial(parse_target("tcp:host=robots;port=1")).result(timeout=0.0)
    dialer.give(b"from robots")
    connection.send(b"to ")
    connection.send(b"robots")
    assert (connection.receive(), dialer.take(), dialer.take()) == (b"from robots", b"to robots", b"")


@pytest.mark.parametrize("size", [0x4000, 0x4001, 0x12345])
def test_any_number_of_bytes_is_taken_at_once(size: int) -> None:
    dialer = MessageDialer()
    connection = dialer.dial(parse_target("tcp:host=robots;port=1")).result(timeout=0.0)
    connection.send(bytes(size))
    assert len(dialer.take()) == size


def test_unread_bytes_are_refused_in_the_end() -> None:
    with pytest.raises(ConnectionLostError, match="the peer does not read"):
        MessagePipe().give(bytes(MAX_QUEUED + 1))


def test_a_lost_link_drops_bytes_until_it_dials_a_new_connection() -> None:
    dialer = MessageDialer()
    target = parse_target("tcp:host=robots;port=1")
    dialer.dial(target).result(timeout=0.0).close()
    dialer.give(b"dropped")
    assert dialer.take() == b""
    connection = dialer.dial(target).result(timeout=0.0)
    dialer.give(b"from robots")
    connection.send(b"to robots")
    assert (connection.receive(), dialer.take()) == (b"from robots", b"to robots")
