"""How a program ended, for the shell and service managers; docs/clients.md has the table."""

from enum import IntEnum, unique


@unique
class ExitCode(IntEnum):
    """The exit code of `thymio-fleet`, the driver, the simulator and the other programs."""

    DONE = 0
    FAILED = 1  # not done: because of robots or other programs, or because something is in use
    USAGE = 2  # wrong usage or configuration
    INCONCLUSIVE = 3  # not judged: a mandatory case of `conformance`, or `repeat`, as a program of the stack failed
    CRASHED = 70  # a defect: the driver has stopped all robots; EX_SOFTWARE of sysexits.h
    INTERRUPTED = 130  # by Ctrl-C: 128 plus the number of the signal
    UNREAD = 141  # the reader of the output has ended: 128 plus the number of SIGPIPE
