"""Bytes to and from robots are carried as messages."""

import pytest

from aseba_link.errors import ConnectionLostError
from aseba_link.link.connection import MAX_QUEUED
from aseba_link.link.message_dialer import MessageDialer
from aseba_link.link.target import parse_target


def test_bytes_are_carried_both_ways_as_a_whole() -> None:
    dialer = MessageDialer()
    connection = dialer.dial(parse_target("tcp:host=robots;port=1")).result(timeout=0.0)
    dialer.pipe.give(b"from robots")
    connection.send(b"to ")
    connection.send(b"robots")
    assert (connection.receive(), dialer.pipe.take(), dialer.pipe.take()) == (b"from robots", b"to robots", b"")


@pytest.mark.parametrize("size", [0x4000, 0x4001, 0x12345])
def test_any_number_of_bytes_is_taken_at_once(size: int) -> None:
    dialer = MessageDialer()
    connection = dialer.dial(parse_target("tcp:host=robots;port=1")).result(timeout=0.0)
    connection.send(bytes(size))
    assert len(dialer.pipe.take()) == size


def test_bytes_that_nobody_reads_are_refused_in_the_end() -> None:
    dialer = MessageDialer()
    with pytest.raises(ConnectionLostError, match="the peer does not read"):
        dialer.pipe.give(bytes(MAX_QUEUED + 1))
