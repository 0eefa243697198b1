"""Raises the priority of a program on a busy machine, if privileges such as root's allow it."""

import os
from contextlib import suppress
from pathlib import Path

_NICE = -10  # a robot that gets no command for half a second stops
_REAL_TIME_PRIORITY = 1  # the lowest: the kernel's own real-time threads still go first


def request_priority() -> None:
    """Request a larger share of the processor; call this before ROS starts.

    With autogroups, Linux first shares the processor among sessions; nice then counts only within a session.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, _NICE)
        if os.getsid(0) == os.getpid():
            Path("/proc/self/autogroup").write_text(str(_NICE), encoding="ascii")


def request_real_time(*, with_new_threads: bool = False) -> None:
    """Request that this thread runs before every ordinary one; see sched(7).

    The kernel keeps 5 % of each second for ordinary threads, so that a loop without end does not block the machine.

    Parameters
    ----------
    with_new_threads : bool
        Whether threads and processes that this thread starts inherit it.
    """
    policy = os.SCHED_RR if with_new_threads else os.SCHED_RR | os.SCHED_RESET_ON_FORK
    with suppress(OSError):
        os.sched_setscheduler(0, policy, os.sched_param(_REAL_TIME_PRIORITY))


def leave_real_time() -> None:
    """Make this thread an ordinary one again."""
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_OTHER | os.SCHED_RESET_ON_FORK, os.sched_param(0))
