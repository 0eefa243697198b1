"""Watches when the machine itself holds up programs: bare timers miss their millisecond.

A virtual machine's processors stall now and then for several milliseconds, however urgent their work is. Lateness at
such a moment says nothing about the measured program.
"""

import gc
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from types import TracebackType
from typing import IO, Final

_PERIOD_S: Final = 0.001
_STALL_S: Final = 0.002  # from one tick to the next
_PRIORITY: Final = 50  # above all measured programs


class StallWatch:
    """A bare timer on each processor, in a process of its own, with a higher priority than all measured programs."""

    def __init__(self) -> None:
        self._timers: list[subprocess.Popen[str]] = []

    def __enter__(self) -> "StallWatch":
        for processor in sorted(os.sched_getaffinity(0)):
            command = [sys.executable, "-m", "bench.instruments.stall_watch", str(processor)]
            self._timers.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        for timer in self._timers:
            _lines_of(timer).readline()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for timer in self._timers:
            timer.kill()
            timer.wait()
            _lines_of(timer).close()

    def stalls(self) -> list[tuple[float, float]]:
        """End the watch; return start and end of all stalls on all processors, in s of monotonic time."""
        for timer in self._timers:
            timer.send_signal(signal.SIGTERM)
        lines = [line.split() for timer in self._timers for line in _lines_of(timer)]
        return sorted((float(began), float(ended)) for began, ended in lines)


def _lines_of(timer: "subprocess.Popen[str]") -> IO[str]:
    assert timer.stdout is not None
    return timer.stdout


def main() -> int:
    """Tick on one processor until SIGTERM; then print each stall."""
    os.sched_setaffinity(0, [int(sys.argv[1])])
    with suppress(OSError):  # without the privilege, the measured programs have no such priority either
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(_PRIORITY))
    is_ended = False

    def end(*_: object) -> None:
        nonlocal is_ended
        is_ended = True

    signal.signal(signal.SIGTERM, end)
    gc.disable()
    print("ready", flush=True)
    stalls = []
    ticked_s = due_s = time.monotonic()
    while not is_ended:
        due_s = max(due_s + _PERIOD_S, ticked_s)
        time.sleep(max(0.0, due_s - time.monotonic()))
        now_s = time.monotonic()
        if now_s - ticked_s > _STALL_S:
            stalls.append((ticked_s, now_s))
        ticked_s = now_s
    for began_s, ended_s in stalls:
        print(began_s, ended_s)
    return 0


if __name__ == "__main__":
    sys.exit(main())
