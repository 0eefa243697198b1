"""The summary of an experiment over all its runs: for each task, for each robot, and in total."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from experiments.scenarios.summaries.failure_words import failure_words
from experiments.scenarios.summaries.run_result import RobotResult, RunResult, TaskResult, smallest
from fleet.tasks.task import TaskState

_SUCCEEDED = TaskState.SUCCEEDED.value


@dataclass(frozen=True, slots=True)
class TaskSummary:
    """The summary of a task over all runs: successes, means and worst values.

    Durations and final errors cover the runs in which it succeeded; all other values cover all runs.

    Parameters
    ----------
    robot : robot that performed it; None if it differs between runs, or there was none
    contacts : number of contacts in all runs
    least_gap_mm : smallest gap between the robot and any other body during the task; 0 for a contact
    failures : numbers of runs by the reason of failure, in words
    """

    task: str
    robot: int | None
    kind: str
    runs: int
    succeeded: int
    duration_s: float | None
    longest_s: float | None
    rms_mm: float | None
    max_mm: float | None
    off_mm: float | None
    worst_off_mm: float | None
    worst_off_deg: float | None
    contacts: int
    least_gap_mm: float | None
    failures: dict[str, int]


@dataclass(frozen=True, slots=True)
class RobotSummary:
    """The summary of a robot over all runs: its contacts, and the smallest gap to any other body."""

    robot: int
    contacts: int
    least_gap_mm: float | None


@dataclass(frozen=True, slots=True)
class ExperimentSummary:
    """The summary of all runs of an experiment; a contact of two robots counts once in the total."""

    runs: int
    tasks: list[TaskSummary]
    robots: list[RobotSummary]
    contacts: int
    least_gap_mm: float | None


def summary(runs: Sequence[RunResult]) -> ExperimentSummary:
    """Return the summary of at least one run."""
    return ExperimentSummary(
        runs=len(runs),
        tasks=[_task(results) for results in zip(*(run.tasks for run in runs), strict=True)],
        robots=[_robot(results) for results in zip(*(run.robots for run in runs), strict=True)],
        contacts=sum(run.contacts for run in runs),
        least_gap_mm=smallest(run.least_gap_mm for run in runs),
    )


def _task(results: Sequence[TaskResult]) -> TaskSummary:
    first = results[0]
    successes = [result for result in results if result.state == _SUCCEEDED]
    durations_s = _present(result.duration_s for result in successes)
    offs_mm = _present(result.off_mm for result in successes)
    return TaskSummary(
        task=first.task,
        robot=first.robot if all(result.robot == first.robot for result in results) else None,
        kind=first.kind,
        runs=len(results),
        succeeded=len(successes),
        duration_s=_mean(durations_s),
        longest_s=max(durations_s, default=None),
        rms_mm=_mean(_present(result.rms_mm for result in results)),
        max_mm=max(_present(result.max_mm for result in results), default=None),
        off_mm=_mean(offs_mm),
        worst_off_mm=max(offs_mm, default=None),
        worst_off_deg=max(_present(result.off_deg for result in successes), default=None),
        contacts=sum(result.contacts or 0 for result in results),
        least_gap_mm=smallest(result.least_gap_mm for result in results),
        failures=_failures(result for result in results if result.state != _SUCCEEDED),
    )


def _failures(results: Iterable[TaskResult]) -> dict[str, int]:
    """Return the number of failures by reason, with the detail of the first case."""
    details: dict[str, list[str]] = {}
    for result in results:
        details.setdefault(failure_words(result.state, result.reason), []).append(result.detail)
    return {_with_detail(words, found): len(found) for words, found in details.items()}


def _with_detail(words: str, details: Sequence[str]) -> str:
    first = next(filter(None, details), "")
    return f"{words}{', such as' if len(set(details)) > 1 else ''}: {first}" if first else words


def _robot(results: Sequence[RobotResult]) -> RobotSummary:
    return RobotSummary(
        robot=results[0].robot,
        contacts=sum(result.contacts for result in results),
        least_gap_mm=smallest(result.least_gap_mm for result in results),
    )


def _present(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 6) if values else None
