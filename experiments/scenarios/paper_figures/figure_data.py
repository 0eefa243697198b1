"""The data of figures: the runs of some conditions, with their trajectories."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.scenarios.file.study_file import PlannedRun
from experiments.scenarios.run.trajectories import IDLE, WAITING
from experiments.scenarios.summaries.run_result import RunResult
from thymio_base.argument_types import suggestion
from thymio_base.texts.decimal_text import real_number, whole_number

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

MAX_CONDITIONS: Final = 12


class FigureError(ValueError):
    """Figures cannot show the chosen conditions."""


@dataclass(frozen=True, slots=True)
class RobotTrajectory:
    """One robot over one run; arrays have one value for each recorded time.

    Parameters
    ----------
    places_m : true positions, shape (times, 2)
    path_error_mm : true distance from the path; NaN without a path
    estimate_error_mm : distance between true and estimated position; NaN without an estimate
    charge : charge, 0 to 1
    is_waiting, is_busy : whether it waited for others, and whether it had a task
    """

    robot: int
    times_s: Array
    places_m: Array
    path_error_mm: Array
    estimate_error_mm: Array
    charge: Array
    is_waiting: Flags
    is_busy: Flags


@dataclass(frozen=True, slots=True)
class ShownRun:
    """One run in a figure; `label` names its condition by the factors that vary in the figure."""

    number: int
    label: str
    result: RunResult
    trajectories: tuple[RobotTrajectory, ...]


def shown_runs(plans: Sequence[PlannedRun], only: Mapping[str, str]) -> list[PlannedRun]:
    """Return the runs that figures show.

    Parameters
    ----------
    plans
        all runs
    only
        the shown level by factor; all levels of other factors are shown

    Raises
    ------
    FigureError
        A factor or a level is unknown, or there are more conditions than figures can show.
    """
    levels = plans[0].condition.levels
    for factor, level in only.items():
        if factor not in levels:
            raise FigureError(f"--only: the sweep has no factor {factor!r}{_advice(factor, list(levels))}")
        known = list(dict.fromkeys(plan.condition.levels[factor] for plan in plans))
        if level not in known:
            raise FigureError(f"--only: {factor} has no level {level!r}{_advice(level, known)}")
    shown = [plan for plan in plans if all(plan.condition.levels[key] == level for key, level in only.items())]
    count = len({plan.condition.name for plan in shown})
    if count > MAX_CONDITIONS:
        raise FigureError(
            f"figures show at most {MAX_CONDITIONS} conditions, and these are {count}: "
            f"choose with --only FACTOR=LEVEL; factors are {', '.join(levels)}"
        )
    return shown


def load_runs(folder: Path, plans: Sequence[PlannedRun], results: Sequence[RunResult]) -> list[ShownRun]:
    """Return runs with their trajectories, read from the runs' folders; `results` are those of all runs."""
    factors = list(plans[0].condition.levels)
    varied = [one for one in factors if len({plan.condition.levels[one] for plan in plans}) > 1]
    return [
        ShownRun(
            plan.number,
            ", ".join(plan.condition.levels[factor] for factor in varied),
            results[plan.number - 1],
            tuple(_trajectories(folder / f"run_{plan.number:03}" / "trajectories.csv")),
        )
        for plan in plans
    ]


def by_label(runs: Sequence[ShownRun]) -> dict[str, list[ShownRun]]:
    """Return the runs by condition, in order."""
    groups: dict[str, list[ShownRun]] = {}
    for run in runs:
        groups.setdefault(run.label, []).append(run)
    return groups


def _advice(word: str, known: list[str]) -> str:
    return suggestion(word, known) or (f"; known: {', '.join(known)}" if known else "")


def _trajectories(file: Path) -> Iterator[RobotTrajectory]:
    rows_of: dict[str, list[dict[str, str]]] = {}
    with file.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            rows_of.setdefault(row["robot"], []).append(row)
    for robot, rows in rows_of.items():
        places_m, estimates_m = _columns(rows, "x_m", "y_m"), _columns(rows, "estimate_x_m", "estimate_y_m")
        yield RobotTrajectory(
            robot=whole_number(robot),
            times_s=_columns(rows, "time_s")[:, 0],
            places_m=places_m,
            path_error_mm=_columns(rows, "path_error_mm")[:, 0],
            estimate_error_mm=1000.0 * np.hypot(*(places_m - estimates_m).T),
            charge=_columns(rows, "charge")[:, 0],
            is_waiting=np.array([row["state"] == WAITING for row in rows]),
            is_busy=np.array([row["state"] != IDLE for row in rows]),
        )


def _columns(rows: Sequence[Mapping[str, str]], *names: str) -> Array:
    return np.array([[real_number(row[name]) if row[name] else np.nan for name in names] for row in rows])
