"""Runs an experiment file and writes its results into a folder.

python -m experiments.scenarios.perform FILE [--seed S] ...

The same file and seed give the same bytes, with any number of processes; nothing depends on the place or the time.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from experiments.lab.lab import LabError
from experiments.scenarios.experiment_command import add_options
from experiments.scenarios.file.experiment import Experiment
from experiments.scenarios.file.experiment_file import ExperimentError, load_experiment
from experiments.scenarios.outcome_files import summary_values, write_run, write_summary
from experiments.scenarios.pictures.path_pictures import AnimationError, animate, animation_writer
from experiments.scenarios.run.repetition import perform
from experiments.scenarios.run.results import run_result
from experiments.scenarios.summaries.run_progress import RunProgress
from experiments.scenarios.summaries.run_result import RunResult
from experiments.scenarios.summaries.summary import ExperimentSummary, summary
from experiments.scenarios.summaries.summary_tables import terminal_tables
from experiments.workers import Report, parallel_map_with_progress
from thymio_base.exit_code import ExitCode
from thymio_base.number_text import count_text


@dataclass(frozen=True, slots=True)
class _RunOrder:
    """One run, and where to write its results; `animation` is None for none."""

    experiment: Experiment
    seed: int
    number: int
    folder: Path
    animation: Path | None


def main(argv: Sequence[str] | None = None) -> int:
    """Run an experiment; see `run`."""
    parser = argparse.ArgumentParser(prog="thymio-fleet experiment", description=(__doc__ or "").splitlines()[0])
    add_options(parser)
    return run(parser.parse_args(argv))


def run(options: argparse.Namespace) -> int:
    """Run an experiment; return 0, 1 if robots could not be reached, 2 for a bad file or usage, 130 after Ctrl-C."""
    try:
        experiment = load_experiment(options.file)
        folder = options.out or Path(options.file.stem)
        found = _run_with_progress(experiment, folder, options)
    except (AnimationError, ExperimentError, OSError) as error:
        print(error, file=sys.stderr)
        return ExitCode.USAGE
    except LabError as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return ExitCode.FAILED
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    if not options.quiet:
        _print(experiment, folder, options, found)
    return ExitCode.DONE


def _run_with_progress(experiment: Experiment, folder: Path, options: argparse.Namespace) -> ExperimentSummary:
    count = options.repeat or experiment.repetitions
    progress = RunProgress(count, Console(stderr=True), is_quiet=options.quiet or options.json)
    before = _written(folder)
    try:
        with progress:
            return run_experiment(
                experiment,
                options.seed,
                count,
                folder,
                jobs=options.jobs,
                animation=options.animate,
                on_progress=progress.update,
            )
    except KeyboardInterrupt:
        kept = len(_written(folder) - before)
        print(f"interrupted: {kept} of {count_text(count, 'run')} kept in {folder}", file=sys.stderr)
        raise


def _written(folder: Path) -> set[tuple[Path, int]]:
    """Return the results in a folder with the instants in which they were written: programs for runs may be ahead."""
    found = set()
    for path in folder.glob("run_*/results.json"):
        with suppress(FileNotFoundError):  # its run just writes it again
            found.add((path, path.stat().st_mtime_ns))
    return found


def _print(experiment: Experiment, folder: Path, options: argparse.Namespace, found: ExperimentSummary) -> None:
    if options.json:
        print(json.dumps(summary_values(experiment, options.seed, found), allow_nan=False))
        return
    console = Console(highlight=False)
    heading = f"{experiment.title}: {count_text(found.runs, 'run')}, seed {options.seed}, results in {folder}\n"
    console.print(heading, markup=False, soft_wrap=True)
    console.print(terminal_tables(found), markup=False)


def _ignore(_index: int, _share: float) -> None:
    """Do nothing."""


def run_experiment(
    experiment: Experiment,
    seed: int,
    count: int,
    folder: Path,
    *,
    jobs: int | None = None,
    animation: Path | None = None,
    on_progress: Callable[[int, float], object] = _ignore,
) -> ExperimentSummary:
    """Run an experiment `count` times and write everything into a folder; return the summary.

    `on_progress` is called now and then with a run's index and the share of its longest duration that has passed.

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
    todo = [
        _RunOrder(experiment, seed, number, folder / f"run_{number:03}", animation) for number in range(1, count + 1)
    ]
    found = summary(parallel_map_with_progress(_do, todo, jobs, on_progress))
    write_summary(folder, experiment, seed, found)
    return found


def _do(order: _RunOrder, report: Report) -> RunResult:
    run = perform(order.experiment, order.seed, order.number, report)
    result = run_result(run)
    write_run(order.folder, order.experiment, order.seed, run, result)
    if order.animation is not None and order.number == 1:
        animate(order.animation, order.experiment, run)
    return result


if __name__ == "__main__":
    raise SystemExit(main())
