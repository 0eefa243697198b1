"""Runs an experiment file and writes its results into a folder.

python -m experiments.scenarios.perform FILE [--seed S] ...

The same file and seed give the same bytes, with any number of processes; nothing depends on the place or the time.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.lab.lab import LabError
from experiments.scenarios.experiment import Experiment
from experiments.scenarios.experiment_command import add_options
from experiments.scenarios.experiment_file import ExperimentError, load_experiment
from experiments.scenarios.outcome_files import write_run, write_summary
from experiments.scenarios.path_pictures import AnimationError, animate, animation_writer
from experiments.scenarios.repetition import perform
from experiments.scenarios.results import TaskResult, TaskSummary, summaries, task_results
from experiments.scenarios.summary_table import summary_table
from experiments.workers import parallel_map

EXIT_OK, EXIT_FAILED, EXIT_USAGE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class _Job:
    """One run, and where to write its results; `animation` is None for none."""

    experiment: Experiment
    seed: int
    number: int
    folder: Path
    animation: Path | None


def main(argv: Sequence[str] | None = None) -> int:
    """Run an experiment; return 0, 1 if robots could not be reached, 2 for a bad file or usage."""
    parser = argparse.ArgumentParser(prog="thymio-fleet experiment", description=(__doc__ or "").splitlines()[0])
    add_options(parser)
    options = parser.parse_args(argv)
    try:
        experiment = load_experiment(options.file)
        folder = options.out or Path(options.file.stem)
        count = options.repeat or experiment.repetitions
        found = run_experiment(experiment, options.seed, count, folder, jobs=options.jobs, animation=options.animate)
    except (AnimationError, ExperimentError, OSError) as error:
        print(error, file=sys.stderr)
        return EXIT_USAGE
    except LabError as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return EXIT_FAILED
    runs = "1 run" if count == 1 else f"{count} runs"
    print(f"{experiment.title}: {runs}, seed {options.seed}, results in {folder}\n")
    print(summary_table(found))
    return EXIT_OK


def run_experiment(
    experiment: Experiment,
    seed: int,
    count: int,
    folder: Path,
    *,
    jobs: int | None = None,
    animation: Path | None = None,
) -> list[TaskSummary]:
    """Run an experiment `count` times and write everything into a folder; return the summary of each task.

    Raises
    ------
    AnimationError
        The animation cannot be written.
    LabError
        Some robots could not be reached.
    """
    if animation is not None:
        animation_writer(animation)
    folder.mkdir(parents=True, exist_ok=True)
    todo = [_Job(experiment, seed, number, folder / f"run_{number:03}", animation) for number in range(1, count + 1)]
    found = summaries(parallel_map(_do, todo, jobs))
    write_summary(folder, experiment, seed, count, found)
    return found


def _do(job: _Job) -> list[TaskResult]:
    run = perform(job.experiment, job.seed, job.number)
    write_run(job.folder, job.experiment, job.seed, run)
    if job.animation is not None and job.number == 1:
        animate(job.animation, job.experiment, run)
    return task_results(run)


if __name__ == "__main__":
    raise SystemExit(main())
