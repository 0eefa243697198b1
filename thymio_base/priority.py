"""Raises the priority of a program on a busy machine."""

import os
from contextlib import suppress
from pathlib import Path

_NICE = -10  # a robot that gets no command for half a second stops


def ask_for_priority() -> None:
    """Ask for a larger share of a busy machine, if privileges such as root's allow it; call this before ROS starts.

    With autogroups, Linux first shares the processor among sessions; nice then counts only within a session.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, _NICE)
        if os.getsid(0) == os.getpid():
            Path("/proc/self/autogroup").write_text(str(_NICE), encoding="ascii")
