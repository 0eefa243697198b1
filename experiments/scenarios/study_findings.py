"""The findings of a study: all runs, and their statistics."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from experiments.scenarios.file.study_file import PlannedRun, Study
from experiments.scenarios.statistics.paired import scipy_signed_rank
from experiments.scenarios.statistics.study_statistics import (
    ConditionStatistics,
    LevelComparison,
    RunOutcome,
    comparisons,
    condition_statistics,
)
from experiments.scenarios.summaries.run_result import RunResult
from experiments.scenarios.summaries.summary import ExperimentSummary, summary
from experiments.scenarios.summaries.summary_tables import failure_lines


@dataclass(frozen=True, slots=True)
class StudyFindings:
    """The results of a study; `statistics` and `summaries` have one entry for each condition, in the same order."""

    seed: int
    has_sweep: bool
    outcomes: tuple[RunOutcome, ...]
    statistics: tuple[ConditionStatistics, ...]
    summaries: tuple[ExperimentSummary, ...]
    comparisons: tuple[LevelComparison, ...]

    def failures(self) -> Iterator[str]:
        """Yield a line for each reason why a task failed under a condition."""
        for statistics, one in zip(self.statistics, self.summaries, strict=True):
            yield from (f"{statistics.condition}: {line}" for line in failure_lines(one.tasks))


def study_findings(study: Study, seed: int, plans: Sequence[PlannedRun], results: Sequence[RunResult]) -> StudyFindings:
    """Return the findings of a study from results in the order of the planned runs."""
    outcomes = [
        RunOutcome(plan.number, plan.condition.levels, plan.seed, plan.repetition, result)
        for plan, result in zip(plans, results, strict=True)
    ]
    statistics = condition_statistics(outcomes, seed)
    by_condition: dict[str, list[RunResult]] = {one.condition: [] for one in statistics}
    for outcome in outcomes:
        by_condition[outcome.condition].append(outcome.result)
    return StudyFindings(
        seed=seed,
        has_sweep=study.has_sweep,
        outcomes=tuple(outcomes),
        statistics=tuple(statistics),
        summaries=tuple(map(summary, by_condition.values())),
        comparisons=tuple(comparisons(outcomes, list(outcomes[0].levels)[::-1], seed, scipy_signed_rank())),
    )
