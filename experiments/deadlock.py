"""Whether robots ever turn their back on the path: many runs back and forth.

The published law lacks the cosine of the heading error: a robot that looks backwards drives away from its reference,
and near 180 degrees noise chooses another direction of turning each time.
"""

from dataclasses import dataclass

from experiments.contender import Contender
from experiments.plant import Level
from experiments.tracking import Heat, perform

RUNS = 200
LAPS = 15
LEFT_M = 0.1
_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class DeadlockRow:
    """How many runs were ever farther than 0.1 m from the path, and how far the worst one was."""

    law: str
    level: str
    left: int
    worst_mm: float
    runs: int
    laps: int


def deadlock_heats(contender: Contender, level: Level, runs: int = RUNS) -> list[Heat]:
    """Return the runs, of which each heat drives some at once."""
    counts = [min(_AT_ONCE, runs - first) for first in range(0, runs, _AT_ONCE)]
    return [Heat((contender,), "straight", level, count, LAPS, batch) for batch, count in enumerate(counts)]


def farthest_m(heat: Heat) -> list[float]:
    """Drive a heat; return how far each robot came from the path."""
    (driven,) = perform(heat)
    farthest: list[float] = heat.course.distances(driven.positions).max(axis=0).tolist()
    return farthest


def deadlock_row(contender: Contender, level: Level, all_m: list[float]) -> DeadlockRow:
    """Return what the farthest distances of all runs say."""
    left = sum(away_m > LEFT_M for away_m in all_m)
    return DeadlockRow(contender.name, level.name, left, 1000.0 * max(all_m), len(all_m), LAPS)
