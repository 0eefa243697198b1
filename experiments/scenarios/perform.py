"""Runs an experiment file and writes its results into a folder.

python -m experiments.scenarios.perform FILE [--seed S] ...

The same file and seed give the same bytes with any number of processes, at any place and time.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from rich.console import Console

from experiments.lab.lab import LabError
from experiments.scenarios.experiment_command import add_options
from experiments.scenarios.file.experiment_file import ExperimentError
from experiments.scenarios.file.study_file import Study, load_study
from experiments.scenarios.outcome_files import summary_values
from experiments.scenarios.paper_figures.figure_data import FigureError
from experiments.scenarios.pictures.path_pictures import AnimationError
from experiments.scenarios.provenance import ForeignResultError
from experiments.scenarios.repeat_result import repeat_result
from experiments.scenarios.study_findings import StudyFindings
from experiments.scenarios.study_runs import StudyOptions, run_experiment
from experiments.scenarios.summaries.run_progress import RunProgress
from experiments.scenarios.summaries.summary_tables import terminal_tables
from experiments.scenarios.terminal_study import study_tables
from thymio_base.exit_code import ExitCode
from thymio_base.number_text import count_text


def main(argv: Sequence[str] | None = None) -> int:
    """Run an experiment; see `run`."""
    parser = argparse.ArgumentParser(prog="thymio-fleet experiment", description=(__doc__ or "").splitlines()[0])
    add_options(parser)
    return run(parser.parse_args(argv))


def run(options: argparse.Namespace) -> int:
    """Run an experiment; return 0, 1 if robots could not be reached, 2 for a bad file or usage, 130 after Ctrl-C."""
    try:
        if options.repeat_result is not None:
            return repeat_result(options.repeat_result, options.file)
        if options.file is None:
            raise ExperimentError("an experiment FILE is needed, or --repeat-result")
        study = load_study(options.file)
        folder = options.out or Path(options.file.stem)
        found = _run_with_progress(study, folder, options)
    except (AnimationError, ExperimentError, FigureError, ForeignResultError, OSError) as error:
        print(error, file=sys.stderr)
        return ExitCode.USAGE
    except LabError as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return ExitCode.FAILED
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    if not options.quiet:
        _print(study.base.title, folder, options, found)
    return ExitCode.DONE


def _run_with_progress(study: Study, folder: Path, options: argparse.Namespace) -> StudyFindings:
    repetitions = options.repeat or study.base.repetitions
    count = len(study.runs(options.seed, repetitions))
    progress = RunProgress(count, Console(stderr=True), is_quiet=options.quiet or options.json)
    before = _written(folder)
    how = StudyOptions(
        jobs=options.jobs,
        animation=options.animate,
        tables_only=options.tables_only,
        is_resumed=options.resume,
        figures=options.figures or "",
        only=dict(options.only),
    )
    try:
        with progress:
            return run_experiment(study, options.seed, repetitions, folder, how=how, on_progress=progress.update)
    except KeyboardInterrupt:
        kept = len(_written(folder) - (set() if options.resume else before))
        advice = "" if options.resume else "; --resume continues"
        print(f"interrupted: {kept} of {count_text(count, 'run')} kept in {folder}{advice}", file=sys.stderr)
        raise


def _written(folder: Path) -> set[tuple[Path, int]]:
    """Return the results in a folder with their times of writing: processes of runs may be ahead of the progress."""
    found = set()
    for path in folder.glob("run_*/results.json"):
        with suppress(FileNotFoundError):  # its run is just rewriting it
            found.add((path, path.stat().st_mtime_ns))
    return found


def _print(title: str, folder: Path, options: argparse.Namespace, found: StudyFindings) -> None:
    if options.json:
        print(json.dumps(summary_values(title, found), allow_nan=False))
        return
    console = Console(highlight=False)
    runs = count_text(len(found.outcomes), "run")
    console.print(f"{title}: {runs}, seed {found.seed}, results in {folder}\n", markup=False, soft_wrap=True)
    tables = study_tables(found) if found.has_sweep else terminal_tables(found.summaries[0])
    console.print(tables, markup=False)


if __name__ == "__main__":
    raise SystemExit(main())
