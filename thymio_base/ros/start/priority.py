"""Raises the priority of a program on a busy machine, if it has the privileges, such as root's."""

import os
import threading
from contextlib import suppress
from pathlib import Path

from thymio_base.texts.decimal_text import whole_number

_NICE = -10  # a robot that gets no command for half a second stops
_REAL_TIME = 2  # low: the kernel's own real-time threads still take precedence
_REAL_TIME_BELOW = 1


def request_priority() -> None:
    """Request a larger share of the processor; call before ROS starts.

    With autogroups, Linux first shares the processor among sessions; niceness then counts only within a session.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, _NICE)
        if os.getsid(0) == os.getpid():
            Path("/proc/self/autogroup").write_text(str(_NICE), encoding="ascii")


def request_real_time(*, with_new_threads: bool = False) -> None:
    """Request that this thread runs before all ordinary threads, with the process's other threads right behind it.

    The other threads hold locks that this thread waits for; as ordinary threads on a busy machine, they would make it
    wait for other programs. The kernel reserves 5 % of each second for ordinary threads, so an endless loop does not
    block the machine; see sched(7).

    Parameters
    ----------
    with_new_threads : bool
        Whether threads and processes that this thread starts later inherit its priority.
    """
    policy = os.SCHED_RR if with_new_threads else os.SCHED_RR | os.SCHED_RESET_ON_FORK
    for thread in _threads():
        own = thread == threading.get_native_id()
        _schedule(thread, policy, _REAL_TIME if own else _REAL_TIME_BELOW)


def leave_real_time() -> None:
    """Make all threads of this process ordinary again."""
    for thread in _threads():
        _schedule(thread, os.SCHED_OTHER | os.SCHED_RESET_ON_FORK, 0)


def _threads() -> list[int]:
    return [whole_number(thread.name) for thread in Path("/proc/self/task").iterdir()]


def _schedule(thread: int, policy: int, priority: int) -> None:
    with suppress(OSError):  # it is not allowed, or the thread has just ended
        os.sched_setscheduler(thread, policy, os.sched_param(priority))
