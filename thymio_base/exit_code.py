"""How a program ended, for the shell and for service managers; docs/clients.md has the table."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit code of `thymio-fleet`, the driver, the simulator and the other programs."""

    DONE = 0
    FAILED = 1  # not done: by the robots, by other programs, or because something is taken
    USAGE = 2  # wrong usage or configuration
    PROGRAM_FAILED = 3  # of `repeat`: a program of the stack failed
    INCONCLUSIVE = 3  # of `conformance`: a case that must be met could not be judged
    CRASHED = 70  # a defect: the driver has stopped all robots; EX_SOFTWARE of sysexits.h
    INTERRUPTED = 130  # by Ctrl-C: 128 and the number of the signal
    UNREAD = 141  # the reader of the output has ended: 128 and the number of SIGPIPE
