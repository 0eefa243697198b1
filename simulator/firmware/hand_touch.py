"""How a hand holds a robot, and what the robot's sensors then read."""

from dataclasses import dataclass
from typing import Final

Words = tuple[int, ...]

COVERED_RAW: Final = 4200
VOID_RAW: Final = 4  # ground sensors above nothing
PAPER_RAW: Final = 900
CLAP_RAW: Final = 200
G_RAW: Final = 23


@dataclass(slots=True)
class HandTouch:
    """What a hand does to a robot; by default, nothing."""

    is_lifted: bool = False
    covered: int | None = None  # index of a proximity sensor
    paper_left: bool = False  # white paper under the left ground sensor
    acceleration_raw: tuple[int, int, int] | None = None
    is_clapping: bool = False
    pressed: int | None = None  # index of a button

    def proximity(self, readings_raw: Words) -> Words:
        """Return the readings of the proximity sensors."""
        return tuple(COVERED_RAW if index == self.covered else raw for index, raw in enumerate(readings_raw))

    def ground(self, readings_raw: tuple[int, int]) -> tuple[int, int]:
        """Return the readings of the ground sensors."""
        if self.paper_left:
            return PAPER_RAW, VOID_RAW
        return (VOID_RAW, VOID_RAW) if self.is_lifted else readings_raw

    def buttons(self, count: int) -> tuple[bool, ...]:
        """Return which buttons are touched."""
        return tuple(index == self.pressed for index in range(count))
