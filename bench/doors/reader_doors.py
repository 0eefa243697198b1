"""Doors of readers in this process: thousands of requests a second, without separate programs.

A reader returns a value or raises one of its own errors; anything else would have ended its program.
"""

import signal
import time
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, TypeAlias

from numpy.random import Generator

from bench.doors.door import ANSWER_S, DoorRow, Trace, chance_of

Attempt: TypeAlias = Callable[[], bool | None]  # returns whether the request was accepted; None counts as accepted
Make: TypeAlias = Callable[[Generator], tuple[object, Attempt]]  # returns a request as text, and its reader

_KEPT: Final = 20  # faults of a slice


class TooSlowError(BaseException):
    """A reader has not returned in time; no reader catches it."""


class ReaderDoor:
    """One or several readers of the same kind.

    Parameters
    ----------
    name : name of the door
    seed : seed of the requests
    make : makes a request
    own_errors : the errors that the readers raise for bad requests
    """

    def __init__(self, name: str, seed: int, make: Make, own_errors: tuple[type[BaseException], ...]) -> None:
        self.name = name
        self.programs: tuple[str, ...] = ()
        self.row = DoorRow(name)
        self.trace = Trace()
        self.slowest_s = 0.0
        self._seed = seed
        self._make = make
        self._own_errors = own_errors
        self._seen: set[str] = set()

    def run(self, first: int, duration_s: float) -> int:
        """See `Door.run`."""
        number, end_s = first, time.monotonic() + duration_s
        while time.monotonic() < end_s:
            self.read(number)
            number += 1
        return number

    def read(self, number: int) -> Any:
        """Make and read one request; return it."""
        request, attempt = self._make(chance_of(self._seed, self.name, number))
        self.row.requests += 1
        before = signal.signal(signal.SIGPROF, _give_up)
        signal.setitimer(signal.ITIMER_PROF, ANSWER_S)  # of processor time, as readers never wait
        started_s = time.perf_counter()
        try:
            self.row.count(attempt() is not False)
        except self._own_errors:
            self.row.count(is_accepted=False)
        except TooSlowError:
            self.row.unanswered += 1
            self._blame(number, request, "not read in time")
        except Exception as error:
            self.row.deaths += 1
            self._blame(number, request, "".join(traceback.format_exception(error)), _place_of(error))
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            signal.signal(signal.SIGPROF, before)
        self.slowest_s = max(self.slowest_s, time.perf_counter() - started_s)
        return request

    def _blame(self, number: int, request: object, text: str, place: str = "") -> None:
        """Report a fault; identical faults are reported once."""
        if (place or str(number)) not in self._seen and len(self.trace.faults) < _KEPT:
            self._seen.add(place or str(number))
            self.trace.faults.append(f"--from {number}: {request!r:.1500}\n{text}")


def _place_of(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} {frame.filename}:{frame.lineno}"


def _give_up(_: int, __: FrameType | None) -> None:
    raise TooSlowError
