"""The statistics of a study: each condition in numbers, and each level of a factor compared with the first."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from experiments.scenarios.statistics.paired import (
    PairedDifference,
    SignedRank,
    holm,
    mcnemar_p,
    paired_difference,
)
from experiments.scenarios.statistics.sample_description import Description, describe, wilson_interval
from experiments.scenarios.summaries.run_result import RunResult
from fleet.tasks.task import TaskState

SUCCESS: Final = "success"
_SUCCEEDED: Final = TaskState.SUCCEEDED.value
_REJECTED: Final = "REJECTED"  # state of a goal that never became a task


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The result of one run of a study, with its condition, seed and repetition."""

    number: int
    levels: Mapping[str, str]
    seed: int
    repetition: int
    result: RunResult

    @property
    def condition(self) -> str:
        """Condition of the run in words."""
        return ", ".join(f"{factor}={level}" for factor, level in self.levels.items())

    @property
    def has_succeeded(self) -> bool:
        """Whether all tasks have succeeded."""
        return _succeeded(self.result) == len(self.result.tasks)


@dataclass(frozen=True, slots=True)
class ConditionStatistics:
    """The statistics of a condition over all its runs.

    Parameters
    ----------
    succeeded : number of runs in which every task succeeded
    success_low, success_high : 95 % interval of their share
    measures : measures of the runs that have them
    """

    condition: str
    levels: Mapping[str, str]
    runs: int
    succeeded: int
    success_low: float
    success_high: float
    measures: Mapping[str, Description]


@dataclass(frozen=True, slots=True)
class LevelComparison:
    """One measure under two levels of a factor, all others equal; runs are paired by seed and repetition.

    Parameters
    ----------
    among : levels of the other factors in words
    difference : `level` minus `baseline`; for success, the difference of the shares
    p_holm : `difference.p`, corrected for all comparisons of the measure
    """

    measure: str
    factor: str
    among: str
    baseline: str
    level: str
    difference: PairedDifference
    p_holm: float | None


def _makespan_s(result: RunResult) -> float | None:
    ends_s = [None if task.state == _REJECTED else task.end_s for task in result.tasks]
    present = [end_s for end_s in ends_s if end_s is not None]
    return max(present) if present and len(present) == len(ends_s) else None


def _tasks_per_hour(result: RunResult) -> float | None:
    lasted_s = _makespan_s(result) or result.duration_s
    return 3600.0 * _succeeded(result) / lasted_s if lasted_s > 0.0 else None


def _path_max_mm(result: RunResult) -> float | None:
    return max((task.max_mm for task in result.tasks if task.max_mm is not None), default=None)


def _path_rms_mm(result: RunResult) -> float | None:
    squares = [task.rms_mm**2 for task in result.tasks if task.rms_mm is not None]
    return (sum(squares) / len(squares)) ** 0.5 if squares else None


def _off_mm(result: RunResult) -> float | None:
    offs_mm = [task.off_mm for task in result.tasks if task.off_mm is not None]
    return sum(offs_mm) / len(offs_mm) if offs_mm else None


MEASURES: Final[Mapping[str, Callable[[RunResult], float | None]]] = MappingProxyType(
    {
        "makespan_s": _makespan_s,
        "tasks_per_hour": _tasks_per_hour,
        "waited_s": lambda result: sum(robot.waited_s for robot in result.robots),
        "distance_m": lambda result: sum(robot.distance_m for robot in result.robots),
        "energy_j": lambda result: sum(robot.energy_j for robot in result.robots),
        "path_max_mm": _path_max_mm,
        "path_rms_mm": _path_rms_mm,
        "off_mm": _off_mm,
    }
)


def condition_statistics(outcomes: Sequence[RunOutcome], seed: int) -> list[ConditionStatistics]:
    """Return the statistics of each condition, in the order of the runs."""
    return [_statistics(group, seed) for group in _groups(outcomes).values()]


def comparisons(
    outcomes: Sequence[RunOutcome], factors: Sequence[str], seed: int, signed_rank: SignedRank | None
) -> list[LevelComparison]:
    """Return the difference of each level of each factor from the factor's first level, for every measure."""
    found = [one for factor in factors for one in _of_factor(outcomes, factor, seed, signed_rank)]
    by_measure: dict[str, list[int]] = {}
    for index, one in enumerate(found):
        if one.difference.p is not None:
            by_measure.setdefault(one.measure, []).append(index)
    corrected: dict[int, float] = {}
    for indices in by_measure.values():
        corrected.update(zip(indices, holm([found[index].difference.p or 0.0 for index in indices]), strict=True))
    return [
        LevelComparison(
            one.measure, one.factor, one.among, one.baseline, one.level, one.difference, corrected.get(index)
        )
        for index, one in enumerate(found)
    ]


def _succeeded(result: RunResult) -> int:
    return sum(task.state == _SUCCEEDED for task in result.tasks)


def _groups(outcomes: Sequence[RunOutcome]) -> dict[str, list[RunOutcome]]:
    groups: dict[str, list[RunOutcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.condition, []).append(outcome)
    return groups


def _statistics(group: Sequence[RunOutcome], seed: int) -> ConditionStatistics:
    succeeded = sum(outcome.has_succeeded for outcome in group)
    low, high = wilson_interval(succeeded, len(group))
    samples = {name: [measure(one.result) for one in group] for name, measure in MEASURES.items()}
    present = {name: [value for value in values if value is not None] for name, values in samples.items()}
    return ConditionStatistics(
        condition=group[0].condition,
        levels=dict(group[0].levels),
        runs=len(group),
        succeeded=succeeded,
        success_low=low,
        success_high=high,
        measures={name: describe(values, seed) for name, values in present.items() if values},
    )


def _of_factor(
    outcomes: Sequence[RunOutcome], factor: str, seed: int, signed_rank: SignedRank | None
) -> Iterator[LevelComparison]:
    by_others: dict[str, dict[str, list[RunOutcome]]] = {}
    for outcome in outcomes:
        others = ", ".join(f"{name}={level}" for name, level in outcome.levels.items() if name != factor)
        by_others.setdefault(others, {}).setdefault(outcome.levels[factor], []).append(outcome)
    for among, by_level in by_others.items():
        (baseline, first), *rest = by_level.items()
        for level, second in rest:
            pairs = _pairs(first, second)
            for measure, difference in _differences(pairs, seed, signed_rank):
                yield LevelComparison(measure, factor, among, baseline, level, difference, None)


def _pairs(first: Sequence[RunOutcome], second: Sequence[RunOutcome]) -> list[tuple[RunOutcome, RunOutcome]]:
    partners = {(one.seed, one.repetition): one for one in second}
    return [(one, partners[one.seed, one.repetition]) for one in first if (one.seed, one.repetition) in partners]


def _differences(
    pairs: Sequence[tuple[RunOutcome, RunOutcome]], seed: int, signed_rank: SignedRank | None
) -> Iterator[tuple[str, PairedDifference]]:
    """Yield the difference of the success rate, and of each measure that at least one pair has."""
    firsts, seconds = ([one.has_succeeded for one in side] for side in zip(*pairs, strict=True))
    of_success = paired_difference(firsts, seconds, seed, None)
    changed = [(one, other) for one, other in zip(firsts, seconds, strict=True) if one != other]
    p = mcnemar_p(sum(one for one, _ in changed), sum(other for _, other in changed))
    yield (
        SUCCESS,
        PairedDifference(
            of_success.n, of_success.mean, of_success.low, of_success.high, of_success.effect, of_success.d, p
        ),
    )
    for name, measure in MEASURES.items():
        values = [(measure(one.result), measure(other.result)) for one, other in pairs]
        present = [(one, other) for one, other in values if one is not None and other is not None]
        if present:
            ones, others = zip(*present, strict=True)
            yield name, paired_difference(ones, others, seed, signed_rank)
