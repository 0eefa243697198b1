"""One line of the benchmarks of the body coupler."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BodyRow:
    """What was asked, and what was measured."""

    case: str
    asked: str
    measured: str
