"""What all doors have in common: numbered requests that a seed determines, counts, and the requests sent last."""

import zlib
from collections import deque
from dataclasses import asdict, dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.random import Generator

ANSWER_S: Final = 10.0  # within this time every request is answered
_KEPT: Final = 12  # requests that are shown after a death
_TEXT: Final = 1500  # characters of one


@dataclass(slots=True)
class DoorRow:
    """What a door did.

    Parameters
    ----------
    door : its name
    requests : that were sent
    accepted, refused : by the answers; None for doors that give none
    unanswered : requests without an answer in time, while the program lived
    deaths : how often the program ended, or would have
    fenced : exceptions that its fences caught
    bench_faults : how often the bench itself failed
    tick_late_ms_max : how late a tick of the driver was at most, meanwhile; None if it was not measured
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
        """Whether nothing ended, hung, or surprised its program."""
        return not (self.unanswered or self.deaths or self.fenced or self.bench_faults)

    def count(self, is_accepted: bool) -> None:
        """Count an answer."""
        self.accepted = (self.accepted or 0) + is_accepted
        self.refused = (self.refused or 0) + (not is_accepted)

    def add_time(self, duration_s: float) -> None:
        """Count the time that a slice took."""
        self.duration_s += duration_s
        self.rate_hz = round(self.requests / self.duration_s, 1) if self.duration_s else 0.0

    def shown(self) -> dict[str, object]:
        """Return what is printed of the row."""
        return {key: value for key, value in asdict(self).items() if key != "duration_s"}


@dataclass(slots=True)
class Trace:
    """The requests that a door has sent last, and what went wrong in a slice."""

    last: deque[str] = field(default_factory=lambda: deque(maxlen=_KEPT))
    faults: list[str] = field(default_factory=list)

    def note(self, number: int, target: str, request: object) -> None:
        """Remember a request; its text is made when it is shown."""
        self.last.append(f"{number} {target}: {request!r:.{_TEXT}}")


class Door(Protocol):
    """A way into a program.

    Attributes
    ----------
    name : of the door
    programs : those that its requests may disturb
    row : what it did until now
    trace : its last requests
    """

    name: str
    programs: tuple[str, ...]
    row: DoorRow
    trace: Trace

    def run(self, first: int, duration_s: float) -> int:
        """Send requests from a number on, for a while or until a program ends; return the number of the next one."""


def chance_of(seed: int, door: str, number: int) -> Generator:
    """Return the randomness of one request: it depends on nothing else."""
    return np.random.default_rng([seed, zlib.crc32(door.encode()), number])
