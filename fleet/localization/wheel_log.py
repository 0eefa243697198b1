"""Recent wheel reports that the belief does not include yet, because measured poses arrive later than reports."""

from dataclasses import dataclass
from typing import Final


@dataclass(init=False, unsafe_hash=True, slots=True)
class Roll:
    """The reported travel of each wheel in an interval."""

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
        """The sum of both wheels' travel, without signs."""
        return abs(self.left_m) + abs(self.right_m)

    def split(self, stamp_ns: int) -> tuple["Roll", "Roll"]:
        """Return the parts before and after an instant within the interval, at uniform speed."""
        share = (stamp_ns - self.from_ns) / (self.until_ns - self.from_ns)
        rest = 1.0 - share
        return (
            Roll(self.from_ns, stamp_ns, share * self.left_m, share * self.right_m),
            Roll(stamp_ns, self.until_ns, rest * self.left_m, rest * self.right_m),
        )


class WheelLog:
    """Rolls in time order, each starting when the previous one ends; usually two or three."""

    def __init__(self) -> None:
        self.rolls: Final[list[Roll]] = []

    def add(self, roll: Roll) -> None:
        """Append the latest wheel report."""
        self.rolls.append(roll)

    def pop_until(self, stamp_ns: int) -> list[Roll]:
        """Remove and return the rolls up to an instant; a roll that contains the instant is split."""
        rolls = self.rolls
        popped: list[Roll] = []
        while rolls and rolls[0].until_ns <= stamp_ns:
            popped.append(rolls.pop(0))
        if rolls and rolls[0].from_ns < stamp_ns:
            before, rolls[0] = rolls[0].split(stamp_ns)
            popped.append(before)
        return popped
