"""How a command ended, for the shell."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit code of `thymio-fleet`."""

    DONE = 0
    FAILED = 1  # not done by the robots
    USAGE = 2  # wrong usage or configuration
    INTERRUPTED = 130  # by Ctrl-C: 128 and the number of the signal
