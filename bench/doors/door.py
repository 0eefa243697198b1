"""Common parts of all doors: numbered requests determined by a seed, counts, and the latest requests."""

import zlib
from collections import deque
from dataclasses import asdict, dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.random import Generator

ANSWER_S: Final = 10.0  # every request must be answered within this time
_KEPT: Final = 12  # requests shown after a death
_TEXT: Final = 1500  # characters of each


@dataclass(slots=True)
class DoorRow:
    """The results of a door.

    Parameters
    ----------
    door : its name
    requests : number of requests sent
    accepted, refused : numbers of answers; None for doors without answers
    unanswered : requests without an answer in time, while the program lived
    deaths : how often a program ended, or would have
    fenced : exceptions that its fences caught
    bench_faults : how often the benchmark itself failed
    tick_late_ms_max : the greatest lateness of a driver's tick meanwhile; None if not measured
    rate_hz : requests per second
    """

    door: str
    requests: int = 0
    accepted: int | None = None
    refused: int | None = None
    unanswered: int = 0
    deaths: int = 0
    fenced: int = 0
    bench_faults: int = 0
    tick_late_ms_max: float | None = None
    rate_hz: float = 0.0
    duration_s: float = field(default=0.0, repr=False)

    @property
    def is_clean(self) -> bool:
        """Whether no request ended, hung or surprised its program."""
        return not (self.unanswered or self.deaths or self.fenced or self.bench_faults)

    def count(self, is_accepted: bool) -> None:
        """Count an answer."""
        self.accepted = (self.accepted or 0) + is_accepted
        self.refused = (self.refused or 0) + (not is_accepted)

    def add_time(self, duration_s: float) -> None:
        """Count the duration of a slice."""
        self.duration_s += duration_s
        self.rate_hz = round(self.requests / self.duration_s, 1) if self.duration_s else 0.0

    def shown(self) -> dict[str, object]:
        """Return the row as printed."""
        return {key: value for key, value in asdict(self).items() if key != "duration_s"}


@dataclass(slots=True)
class Trace:
    """The latest requests of a door, and what went wrong in a slice."""

    last: deque[str] = field(default_factory=lambda: deque(maxlen=_KEPT))
    faults: list[str] = field(default_factory=list)

    def note(self, number: int, target: str, request: object) -> None:
        """Remember a request; its text is made only when shown."""
        self.last.append(f"{number} {target}: {request!r:.{_TEXT}}")


class Door(Protocol):
    """A way into a program.

    Attributes
    ----------
    name : name of the door
    programs : the programs that its requests may disturb
    row : its results so far
    trace : its latest requests
    """

    name: str
    programs: tuple[str, ...]
    row: DoorRow
    trace: Trace

    def run(self, first: int, duration_s: float) -> int:
        """Send requests from a number on, for a while or until a program ends; return the next number."""


def chance_of(seed: int, door: str, number: int) -> Generator:
    """Return the random generator of one request, which depends on nothing else."""
    return np.random.default_rng([seed, zlib.crc32(door.encode()), number])
