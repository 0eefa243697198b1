"""What wheels reported lately and is not yet counted, because measured poses come later than reports."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(init=False, unsafe_hash=True, slots=True)
class Roll:
    """What each wheel reported for a time."""

    from_ns: Final[int]
    until_ns: Final[int]
    left_m: Final[float]
    right_m: Final[float]

    def __init__(self, from_ns: int, until_ns: int, left_m: float, right_m: float) -> None:
        self.from_ns = from_ns
        self.until_ns = until_ns
        self.left_m = left_m
        self.right_m = right_m

    @property
    def rolled_m(self) -> float:
        """How much both wheels rolled together, forward or backward."""
        return abs(self.left_m) + abs(self.right_m)

    def split(self, stamp_ns: int) -> tuple["Roll", "Roll"]:
        """Return what was rolled before an instant within, and what after it, at even speed."""
        share = (stamp_ns - self.from_ns) / (self.until_ns - self.from_ns)
        rest = 1.0 - share
        return (
            Roll(self.from_ns, stamp_ns, share * self.left_m, share * self.right_m),
            Roll(stamp_ns, self.until_ns, rest * self.left_m, rest * self.right_m),
        )


class WheelLog:
    """Rolls in the order of their times, each beginning where the one before it ends."""

    def __init__(self) -> None:
        self._rolls: deque[Roll] = deque()

    def __iter__(self) -> Iterator[Roll]:
        return iter(self._rolls)

    def add(self, roll: Roll) -> None:
        """Append what the wheels reported last."""
        self._rolls.append(roll)

    def take_until(self, stamp_ns: int) -> Iterator[Roll]:
        """Remove and yield what was rolled until an instant; a roll during which it lies is split."""
        while self._rolls and self._rolls[0].until_ns <= stamp_ns:
            yield self._rolls.popleft()
        if self._rolls and self._rolls[0].from_ns < stamp_ns:
            before, self._rolls[0] = self._rolls[0].split(stamp_ns)
            yield before
