"""Ends programs that tests left running, including those of a killed test run.

Programs inherit a mark in their environment, so they are found whatever started them. Run as a program, this file
waits until the tests that started it have ended, and ends the programs they left: python left_behind.py MARK.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

VARIABLE = "THYMIO_FLEET_TEST_RUN"
ENDING_S = 10.0  # for programs that are just ending
_PASSES = 15  # Linux shows no environment of a program while it is being loaded, which takes long on a busy machine
_unchecked = [0]  # programs and forks of this process since the last check
_OURS = ("multiprocessing.resource_tracker", "harness/loaded_programs.py")  # they end with the process that uses them


def mark_children() -> subprocess.Popen[bytes]:
    """Mark the programs that this process starts from now on; they are ended when this process ends in any way."""
    mark = f"{os.getpid()}_{time.monotonic_ns()}"
    command = [sys.executable, "-IS", __file__, mark]
    unmarked = {name: value for name, value in os.environ.items() if name != VARIABLE}
    # In its own session: Ctrl-C must not end it before the tests. Its standard input closes with this process.
    guard = subprocess.Popen(command, stdin=subprocess.PIPE, env=unmarked, start_new_session=True)
    os.environ[VARIABLE] = mark
    return guard


def note_start() -> None:
    """Note that this process starts a program, or forks."""
    _unchecked[0] += 1


def end_left_by_this_process(patience_s: float = ENDING_S) -> list[str]:
    """Do what `end_left` does, for the programs that this process has started since the last call, if any."""
    if not _unchecked[0]:
        return []  # to read the environments of all programs takes as long as many a test
    _unchecked[0] = 0
    return end_left(os.environ[VARIABLE], patience_s)


def end_left(mark: str, patience_s: float = ENDING_S) -> list[str]:
    """Kill the marked programs that do not end by themselves within the patience; return their commands."""
    end_s = time.monotonic() + patience_s
    while (left := _marked(mark)) and time.monotonic() < end_s:
        time.sleep(0.05)
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return list(left.values())


def _marked(mark: str) -> dict[int, str]:
    """Return the commands of programs with a mark, by their process ids."""
    mark_bytes = f"{VARIABLE}={mark}".encode()
    commands = {}
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or belongs to another user
            if mark_bytes in (path / "environ").read_bytes().split(b"\0"):
                commands[int(path.name)] = (
                    (path / "cmdline").read_bytes().rstrip(b"\0").replace(b"\0", b" ").decode(errors="replace")
                )
    return {pid: command for pid, command in commands.items() if not any(ours in command for ours in _OURS)}


if __name__ == "__main__":
    sys.stdin.read()
    for _ in range(_PASSES):
        end_left(sys.argv[1], 0.0)
        time.sleep(0.2)
