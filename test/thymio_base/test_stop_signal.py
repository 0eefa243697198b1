"""Programs end in order at the signals that ask for it, however often they come."""

import io
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from thymio_base.stop_signal import StopSignal, ended_with_its_reader, say

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Put the handlers of the tests' own process back."""
    before = [signal.signal(number, signal.SIG_DFL) for number in SIGNALS]
    yield
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_signal_is_recorded_each_time(number: signal.Signals) -> None:
    stop = StopSignal()
    assert not stop.is_requested
    for _ in range(2):
        os.kill(os.getpid(), number)
    assert stop.is_requested


def test_end_of_the_terminal_is_ignored_after_nohup() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    stop = StopSignal()
    os.kill(os.getpid(), signal.SIGHUP)
    assert not stop.is_requested


def test_line_for_a_full_disk_is_dropped() -> None:
    with io.TextIOWrapper(Path("/dev/full").open("wb", buffering=0), write_through=True) as full:
        say("listening", full)


def test_command_whose_file_cannot_be_written_ends_with_a_sentence() -> None:
    with (
        pytest.raises(SystemExit, match=r"^cannot write: No space left on device$"),
        ended_with_its_reader(),
        Path("/dev/full").open("w") as full,
    ):
        full.write("x" * 100_000)
