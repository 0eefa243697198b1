"""Peers that died by themselves: these deaths are not our failures, but are counted and reported.

A peer is a third-party program beside a test. A test that fails after the death of one of its peers is run again.
"""

import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

_deaths: list[str] = []  # those of the running test
_alive: list[tuple[str, subprocess.Popen[bytes]]] = []


def record(death: str) -> None:
    """Count a death."""
    _deaths.append(death)


@contextmanager
def watched(command: Sequence[str], process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Expect a peer to live until the end of this context."""
    watch = (command[0], process)
    _alive.append(watch)
    try:
        yield
    finally:
        if watch in _alive:
            _alive.remove(watch)
            _bury([watch])


def collect(patience_s: float = 0.0) -> list[str]:
    """Return the deaths since the last call; a dying process closes its sockets a moment before its end."""
    end_s = time.monotonic() + patience_s
    while not (dead := [watch for watch in _alive if watch[1].poll() is not None]) and time.monotonic() < end_s:
        time.sleep(0.01)
    for watch in dead:
        _alive.remove(watch)
    _bury(dead)
    collected = list(_deaths)
    _deaths.clear()
    return collected


def _bury(watches: Sequence[tuple[str, subprocess.Popen[bytes]]]) -> None:
    for name, process in watches:
        if process.poll() is not None:
            record(f"{name}: exit code {process.returncode}")
