"""Benchmarks: programs that print their measurements, with ratios taken within a run.

On SIGTERM or SIGINT, a benchmark ends the programs that it has started.
"""

import signal
import sys
from types import FrameType

_ENDING = (signal.SIGTERM, signal.SIGINT)  # a shell ignores the latter by default in background processes


def _end(_: int, __: FrameType | None) -> None:
    """Exit by an exception, so that everything is cleaned up; ignore further signals."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    sys.exit(1)


if sys.argv[0] == "-m":  # Python is about to run a module of this package as a program
    for _number in _ENDING:
        signal.signal(_number, _end)
