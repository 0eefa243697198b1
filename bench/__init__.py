"""Benchmarks; each is a program that prints its measurements, with ratios taken in one run.

One that is asked to end by SIGTERM or SIGINT ends the programs that it has started.
"""

import signal
import sys
from types import FrameType

_ENDING = (signal.SIGTERM, signal.SIGINT)  # a shell ignores the latter by default in background processes


def _end(_: int, __: FrameType | None) -> None:
    """Exit by an exception, so that everything is cleaned up; ignore further signals meanwhile."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    sys.exit(1)


if sys.argv[0] == "-m":  # Python is about to run a module of this package as a program
    for _number in _ENDING:
        signal.signal(_number, _end)
