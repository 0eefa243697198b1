"""How programs deal with their surroundings: closed standard streams, signals, and output that cannot be written."""

import errno
import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, TextIO

from thymio_base.exit_code import ExitCode

_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # the limit of the disk, the user's quota, or the file size
_STREAMS: Final = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))  # in the order of their descriptors


def open_closed_streams() -> None:
    """Connect closed standard streams to /dev/null; call before the program opens anything.

    Otherwise Python has no `sys.stdout`, and what C libraries write to it goes to the first socket opened.
    """
    for descriptor, (name, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115  until the end


class StopSignal:
    """Records that SIGINT, SIGTERM or SIGHUP has arrived; create it once, in the main thread, before ROS starts.

    SIGHUP, the end of a terminal, acts like Ctrl-C, except after `nohup`: robots must not be left without a stop.
    """

    def __init__(self) -> None:
        self.is_requested = False
        signal.signal(signal.SIGINT, self._note)
        signal.signal(signal.SIGTERM, self._note)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self._note)

    def _note(self, _: int, __: FrameType | None) -> None:
        self.is_requested = True


def end_at_once() -> None:
    """Let Ctrl-C end the program without a traceback from now on, until a `StopSignal` is created.

    A KeyboardInterrupt during imports does not end a program cleanly: C libraries report other errors instead.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else the parent process has disabled it
        signal.signal(signal.SIGINT, _end)


@contextmanager
def ended_at_once() -> Iterator[None]:
    """Let Ctrl-C end the program without a traceback within the block."""
    before = signal.getsignal(signal.SIGINT)
    end_at_once()
    try:
        yield
    finally:
        if before is signal.default_int_handler:
            signal.signal(signal.SIGINT, before)


@contextmanager
def ended_with_its_reader() -> Iterator[None]:
    """End the program without a traceback if its output cannot be written: after `| head -1`, or on a full disk."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        if not _has_lost_reader():
            raise
        _drop_output()
        raise SystemExit(ExitCode.UNREAD) from None
    except OSError as error:
        if error.errno not in _FULL:
            raise
        _drop_output()
        where = f" {error.filename}" if error.filename else ""
        raise SystemExit(f"cannot write{where}: {error.strerror}") from None


def say(text: str, stream: TextIO | None = None) -> None:
    """Print a line at once; a full disk does not end a program that serves others, but a missing reader does."""
    try:
        print(text, file=stream or sys.stdout, flush=True)
    except BrokenPipeError:
        raise
    except OSError:
        return


def _drop_output() -> None:
    """Discard the remaining output, which Python prints when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _has_lost_reader() -> bool:
    """Return whether the standard output is a pipe without a reader."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _end(_: int, __: FrameType | None) -> None:
    os._exit(ExitCode.INTERRUPTED)
