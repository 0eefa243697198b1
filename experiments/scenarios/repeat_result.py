"""Repeats the run of a result file, and compares every byte with the original files."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from experiments.scenarios.file.experiment_file import ExperimentError
from experiments.scenarios.file.study_file import PlannedRun, Study, load_study
from experiments.scenarios.provenance import (
    RESULTS,
    ForeignResultError,
    body_of,
    provenance_of,
    run_provenance,
    study_provenance,
)
from experiments.scenarios.study_runs import INPUTS, StudyRun, do_run
from thymio_base.exit_code import ExitCode
from thymio_base.number_text import count_text


def repeat_result(file: Path, experiment: Path | None) -> int:
    """Repeat the run of a results.json and print a comparison; return 0 if all files are the same, else 1.

    The experiment is read from the folder `inputs` next to the runs, unless another file is given.

    Raises
    ------
    ExperimentError
        The experiment has problems, or is not the result's.
    ForeignResultError
        The file is not the result of a run.
    OSError
        A file cannot be read.
    """
    made = provenance_of(file)
    study = load_study(experiment or file.resolve().parents[1] / INPUTS / str(made.get("experiment", "")))
    plan = _plan(study, made, body_of(file), file)
    common = study_provenance(study)
    _check_inputs(common, made, file)
    tables_only = made["options"].get("tables_only") is True
    with TemporaryDirectory() as place:
        folder = Path(place)
        origin = run_provenance(common, plan, tables_only=tables_only)
        do_run(StudyRun(study.base.title, plan, folder, None, origin, tables_only), lambda _: None)
        differing = list(_differing(file, folder, made))
    for key in ("version", "commit", "sources_sha256", "libraries"):
        if made.get(key) != common[key]:
            print(f"note: {key} then: {made.get(key)}; now: {common[key]}")
    names = [*sorted(made["outputs"]), RESULTS]
    for name in names:
        print(f"{'differs' if name in differing else 'same':8}{name}")
    print(f"{file}: {count_text(len(names) - len(differing), 'file')} of {len(names)} the same")
    return ExitCode.FAILED if differing else ExitCode.DONE


def _plan(study: Study, made: Mapping[str, Any], body: Mapping[str, Any], file: Path) -> PlannedRun:
    wanted = made["options"].get("condition")
    for condition, experiment in study.conditions:
        if condition.name == wanted:
            try:
                return PlannedRun(int(body["run"]), condition, experiment, int(body["seed"]), int(body["repetition"]))
            except (KeyError, TypeError, ValueError) as error:
                raise ForeignResultError(f"{file} does not name its run") from error
    known = "; ".join(condition.name for condition, _ in study.conditions)
    raise ExperimentError(f"{file}: the experiment has no condition {wanted!r}; known: {known}")


def _check_inputs(common: Mapping[str, Any], made: Mapping[str, Any], file: Path) -> None:
    then, now = made.get("inputs_sha256"), common["inputs_sha256"]
    if not isinstance(then, dict):
        raise ForeignResultError(f"{file} does not list its inputs")
    changed = sorted(name for name in {*then, *now} if then.get(name) != now.get(name))
    if changed:
        raise ExperimentError(f"{file} was made from other inputs: {', '.join(changed)} differ")


def _differing(file: Path, folder: Path, made: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of the files in which a repeated run differs."""
    again = provenance_of(folder / RESULTS)
    yield from (name for name, found in sorted(made["outputs"].items()) if again["outputs"].get(name) != found)
    has_same_origin = again == made  # otherwise the bytes differ at least in the provenance
    is_same = body_of(folder / RESULTS) == body_of(file)
    if not is_same or (has_same_origin and (folder / RESULTS).read_bytes() != file.read_bytes()):
        yield RESULTS
