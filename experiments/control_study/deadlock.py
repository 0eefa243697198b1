"""Deadlock trials: whether robots ever turn away from their path, in many runs back and forth.

The published law lacks the cosine of the heading error: a robot that faces backwards drives away from its reference,
and near 180 degrees noise changes the direction of turning each time.
"""

from dataclasses import dataclass

from experiments.control_study.plant import DisturbanceLevel
from experiments.control_study.study_laws import LawUnderTest
from experiments.control_study.tracking_trials import Trial, perform

RUNS = 200
LAPS = 15
LEFT_M = 0.1
_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class DeadlockRow:
    """The number of runs that were ever more than 0.1 m from the path, and the largest distance."""

    law: str
    level: str
    left: int
    worst_mm: float
    runs: int
    laps: int


def deadlock_trials(law_under_test: LawUnderTest, level: DisturbanceLevel, runs: int = RUNS) -> list[Trial]:
    """Return the runs, grouped into trials of several simultaneous runs."""
    counts = [min(_AT_ONCE, runs - first) for first in range(0, runs, _AT_ONCE)]
    return [Trial((law_under_test,), "straight", level, count, LAPS, batch) for batch, count in enumerate(counts)]


def farthest_m(trial: Trial) -> list[float]:
    """Drive a trial; return each robot's largest distance from the path."""
    (driven,) = perform(trial)
    farthest: list[float] = trial.course.distances(driven.positions).max(axis=0).tolist()
    return farthest


def deadlock_row(law_under_test: LawUnderTest, level: DisturbanceLevel, all_m: list[float]) -> DeadlockRow:
    """Return the summary of the largest distances of all runs."""
    left = sum(away_m > LEFT_M for away_m in all_m)
    return DeadlockRow(law_under_test.name, level.name, left, 1000.0 * max(all_m), len(all_m), LAPS)
