"""A fence at each door of a program: it notes unexpected exceptions there, and everything else continues.

A door is where something enters that the program did not write: a request, a message, a file, a table row. Readers
raise errors of their own, which their callers answer. Any other exception is a defect of ours: the fence logs it with
its traceback and the request, counts it, and the door answers with a refusal.
"""

import logging
import os
import sys
import time
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeAlias

from thymio_base.logs.json_log import log_line

RECORD_VARIABLE: Final = "THYMIO_FLEET_FENCE_RECORD"  # names a file to which every caught exception is appended
_REQUEST_MAX: Final = 1_000  # characters of a request in the log
_KNOWN_MAX: Final = 256  # faults that are distinguished
_AGAIN_NS: Final = 10_000_000_000  # after this time the same fault is logged again
_DOORS_SHOWN: Final = 5  # in a line of text
_RECORDED_MAX: Final = 1_000  # exceptions recorded per program

_Fault: TypeAlias = tuple[str, str, str, int]  # door, type of the exception, file and line


class Fence:
    """Catches the unexpected exceptions of a program.

    The same exception at the same door is logged at most once in ten seconds, with the number of repetitions.

    Parameters
    ----------
    log : takes a text for people, with the traceback; prints to standard error by default
    clock_ns : a clock that never goes back [ns]
    passes : exceptions that are raised again because they end the program

    Attributes
    ----------
    counts : number of caught exceptions, by door
    """

    def __init__(
        self,
        log: Callable[[str], Any] | None = None,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        passes: tuple[type[Exception], ...] = (),
    ) -> None:
        self._passes = passes
        self.counts: dict[str, int] = {}
        self._log = log or _print
        self._clock_ns = clock_ns
        self._logged_ns: dict[_Fault, int] = {}
        self._repeats: dict[_Fault, int] = {}
        self._recorded = 0

    @property
    def total(self) -> int:
        """Number of all caught exceptions."""
        return sum(self.counts.values())

    @property
    def text(self) -> str:
        """The number of caught exceptions at each door, for people."""
        doors = ", ".join(f"{count} at {door}" for door, count in list(self.counts.items())[:_DOORS_SHOWN])
        more = len(self.counts) - _DOORS_SHOWN
        return f"internal errors: {doors}{f' and {more} more doors' if more > 0 else ''}"

    def note(self, door: str, error: BaseException, request: object = None) -> str:
        """Count and log an exception caught at a door; return a sentence that answers the request."""
        if isinstance(error, self._passes):
            raise error
        self.counts[door] = self.counts.get(door, 0) + 1
        self._record(door, error, request)
        fault = _fault(door, error)
        now_ns = self._clock_ns()
        if now_ns - self._logged_ns.get(fault, now_ns - _AGAIN_NS) >= _AGAIN_NS:
            self._log(_log_text(door, error, request, self._repeats.pop(fault, 0)))
            self._logged_ns.pop(fault, None)  # keeps the entries in order of their latest logs
            self._logged_ns[fault] = now_ns
            self._forget_old()
        else:
            self._repeats[fault] = self._repeats.get(fault, 0) + 1
        return f"internal error at {door}: {_brief(error)}; the log of the program has the details"

    @contextmanager
    def around(self, door: str, request: object = None) -> Generator[None]:
        """Note an exception of the body, then continue."""
        try:
            yield
        except Exception as error:
            self.note(door, error, request)

    def call(self, door: str, function: Callable[..., Any], *args: Any) -> Any:
        """Call a function and return its result; after an exception, which is noted, return None."""
        try:
            return function(*args)
        except Exception as error:
            self.note(door, error, args[0] if args else None)
            return None

    def fenced(self, door: str, callback: Callable[..., Any]) -> Callable[..., Any]:
        """Return the callback with a fence around it: it returns None after an exception."""

        @wraps(callback)  # rclpy reads the number of its arguments
        def call(*args: Any) -> Any:
            return self.call(door, callback, *args)

        return call

    def _forget_old(self) -> None:
        while len(self._logged_ns) > _KNOWN_MAX:
            fault = next(iter(self._logged_ns))
            del self._logged_ns[fault]
            self._repeats.pop(fault, None)

    def _record(self, door: str, error: BaseException, request: object) -> None:
        """Append an exception to the file named by the environment, if any."""
        file = os.environ.get(RECORD_VARIABLE)
        if file and self._recorded < _RECORDED_MAX:
            self._recorded += 1
            with suppress(OSError, ValueError), Path(file).open("a", errors="backslashreplace") as record:
                record.write(_log_text(door, error, request, 0) + "\n\n")


def _fault(door: str, error: BaseException) -> _Fault:
    """Return what identifies an exception: repetitions have different texts, but come from the same line."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = ("", 0) if frame is None else (frame.tb_frame.f_code.co_filename, frame.tb_lineno)
    return (door, type(error).__name__, *where)


def _log_text(door: str, error: BaseException, request: object, repeats: int) -> str:
    again = f" ({repeats} more since the last report)" if repeats else ""
    about = "" if request is None else f"\nrequest: {_request_text(request)}"
    trace = "".join(traceback.format_exception(error)).rstrip()
    return f"internal error at {door}, please report it{again}: {_brief(error)}{about}\n{trace}"


def _brief(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:_REQUEST_MAX]


def _request_text(request: object) -> str:
    try:
        return repr(request)[:_REQUEST_MAX]
    except Exception as error:  # the text is only for the log
        return f"{type(request).__name__} without a text ({type(error).__name__})"


def _print(text: str) -> None:
    log_line(logging.ERROR, "fence", text)
    with suppress(OSError, ValueError):  # nothing that logging does may pass the fence
        print(text, file=sys.stderr, flush=True)
