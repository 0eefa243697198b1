"""Performs all runs of a study in several processes, and writes everything into a folder."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from experiments.scenarios.file.study_file import PlannedRun, Study
from experiments.scenarios.outcome_files import write_run, write_summary, write_tidy_tables
from experiments.scenarios.paper_figures.figure_data import shown_runs
from experiments.scenarios.paper_figures.figure_files import write_figures
from experiments.scenarios.pictures.path_pictures import animate, animation_writer
from experiments.scenarios.provenance import kept_result, run_provenance, study_provenance, write_result
from experiments.scenarios.run.repetition import perform
from experiments.scenarios.run.results import run_result
from experiments.scenarios.study_findings import StudyFindings, study_findings
from experiments.scenarios.summaries.run_result import RunResult
from experiments.workers import Report, parallel_map_with_progress

INPUTS: Final = "inputs"  # folder with copies of the files that a study has read


@dataclass(frozen=True, slots=True)
class StudyRun:
    """One run, and the folder for its results; `animation` is None for no animation."""

    title: str
    plan: PlannedRun
    folder: Path
    animation: Path | None
    origin: Mapping[str, Any]
    tables_only: bool


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """Options for performing a study.

    Parameters
    ----------
    jobs : number of processes; None means one per processor
    animation : file for an animation of the first run
    tables_only : whether to leave out bags and pictures of the runs
    is_resumed : whether to keep complete runs of this study
    figures : format of the figures; "" for none
    only : levels that figures show, by factor
    """

    jobs: int | None = None
    animation: Path | None = None
    tables_only: bool = False
    is_resumed: bool = False
    figures: str = ""
    only: Mapping[str, str] = field(default_factory=dict)


DEFAULTS: Final = StudyOptions()


def _ignore(_index: int, _share: float) -> None:
    """Do nothing."""


def run_experiment(
    study: Study,
    seed: int,
    repetitions: int,
    folder: Path,
    *,
    how: StudyOptions = DEFAULTS,
    on_progress: Callable[[int, float], object] = _ignore,
) -> StudyFindings:
    """Perform all runs of a study and write everything into a folder; return the findings.

    `on_progress` is called repeatedly with a run's index and the passed share of its longest duration.

    Raises
    ------
    AnimationError
        The animation cannot be written.
    ExperimentError
        There are too many runs.
    FigureError
        Figures cannot show the chosen conditions.
    ForeignResultError
        Runs should be kept, but the folder has results with another provenance.
    LabError
        Some robots could not be reached.
    """
    if how.animation is not None:
        animation_writer(how.animation)
    plans = study.runs(seed, repetitions)
    shown = shown_runs(plans, how.only) if how.figures else []
    common = study_provenance(study)
    folders = [folder / f"run_{plan.number:03}" for plan in plans]
    origins = [run_provenance(common, plan, tables_only=how.tables_only) for plan in plans]
    kept = [kept_result(*one) if how.is_resumed else None for one in zip(folders, origins, strict=True)]
    folder.mkdir(parents=True, exist_ok=True)
    _copy_inputs(study, folder)
    orders = [
        StudyRun(study.base.title, plan, run_folder, how.animation, origin, how.tables_only)
        for plan, run_folder, origin, result in zip(plans, folders, origins, kept, strict=True)
        if result is None
    ]
    indices = [order.plan.number - 1 for order in orders]
    for index, result in enumerate(kept):
        if result is not None:
            on_progress(index, 1.0)
    made = parallel_map_with_progress(do_run, orders, how.jobs, lambda index, share: on_progress(indices[index], share))
    by_index = dict(zip(indices, made, strict=True))
    results = [by_index[index] if one is None else one for index, one in enumerate(kept)]
    found = study_findings(study, seed, plans, results)
    write_summary(folder, study.base.title, found)
    write_tidy_tables(folder, plans, folders)
    if how.figures:
        write_figures(folder, how.figures, shown, results)
    return found


def _copy_inputs(study: Study, folder: Path) -> None:
    for name, file in study.input_names().items():
        copy = folder / INPUTS / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())


def do_run(order: StudyRun, report: Report) -> RunResult:
    """Perform one run, write its results, and return them."""
    plan = order.plan
    run = perform(plan.experiment, plan.seed, plan.repetition, report)
    result = run_result(run)
    write_run(order.folder, plan, run, result, tables_only=order.tables_only)
    write_result(order.folder, order.title, plan, result, order.origin)
    if order.animation is not None and plan.number == 1:
        animate(order.animation, plan.experiment, run)
    return result
