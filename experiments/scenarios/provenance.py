"""The provenance of results: program, inputs and options; checks whether existing results have the same."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from experiments.scenarios.file.study_file import PlannedRun, Study, digest
from experiments.scenarios.summaries.run_result import RobotResult, RunResult, TaskResult
from thymio_base.errors import TextError
from thymio_base.program_version import package_version, source_commit, sources_digest
from thymio_base.texts.json_text import read_json

RESULTS: Final = "results.json"
_PACKAGES: Final = ("aseba_link", "experiments", "fleet", "simulator", "thymio_base")
_LIBRARIES: Final = ("matplotlib", "mcap", "numpy", "pillow")


class ForeignResultError(ValueError):
    """A result file has another origin than this study."""


def study_provenance(study: Study) -> dict[str, Any]:
    """Return the common provenance of all runs of a study: program, libraries, and the SHA-256 of each input.

    Raises
    ------
    OSError
        An input cannot be read.
    """
    names = study.input_names()
    files = {file: name for name, file in names.items()}
    return {
        "program": "thymio_fleet",
        "version": package_version("thymio_fleet"),
        "commit": source_commit(),
        "sources_sha256": sources_digest(_PACKAGES),
        "libraries": {name: package_version(name) for name in _LIBRARIES},
        "experiment": files[study.inputs[0]] if study.inputs else "",
        "inputs_sha256": {name: digest(file) for name, file in sorted(names.items())},
    }


def run_provenance(common: Mapping[str, Any], plan: PlannedRun, *, tables_only: bool) -> dict[str, Any]:
    """Return the provenance of one run, without its results."""
    options = {
        "condition": plan.condition.name,
        "seed": plan.seed,
        "repetition": plan.repetition,
        "tables_only": tables_only,
    }
    return {**common, "options": options}


def write_result(folder: Path, title: str, plan: PlannedRun, result: RunResult, origin: Mapping[str, Any]) -> None:
    """Write results.json atomically, with the SHA-256 of all other files of the run."""
    body = {"title": title, "seed": plan.seed, "run": plan.number, "repetition": plan.repetition}
    body |= {"condition": plan.condition.name, "levels": dict(plan.condition.levels)} | asdict(result)
    outputs = {file.name: digest(file) for file in sorted(folder.iterdir()) if file.name != RESULTS and file.is_file()}
    made = {**origin, "outputs": outputs, "result_sha256": _digest_of(body)}
    text = json.dumps({**body, "provenance": made}, indent=1, allow_nan=False, ensure_ascii=False)
    beside = folder / f".{RESULTS}"
    beside.write_text(f"{text}\n", encoding="utf-8")
    beside.replace(folder / RESULTS)


def kept_result(folder: Path, origin: Mapping[str, Any]) -> RunResult | None:
    """Return the result in a run's folder; None if it is missing or incomplete, so that the run must be done.

    Raises
    ------
    ForeignResultError
        The result has another provenance.
    """
    file = folder / RESULTS
    try:
        values = read_json(file.read_bytes())
    except (FileNotFoundError, TextError):
        return None
    made = values.get("provenance") if isinstance(values, dict) else None
    if not isinstance(made, dict):
        raise ForeignResultError(f"{file} is not a result of this program's experiments; use another --out")
    differing = [key for key in origin if made.get(key) != origin[key]]
    if differing:
        raise ForeignResultError(
            f"{file} is a result of another experiment, or of other options or sources: "
            f"{', '.join(differing)} differ; use another --out, or leave out --resume to write it again"
        )
    body = {key: value for key, value in values.items() if key != "provenance"}
    if made.get("result_sha256") != _digest_of(body) or not _are_whole(folder, made.get("outputs")):
        return None
    return RunResult(
        duration_s=body["duration_s"],
        tasks=[TaskResult(**task) for task in body["tasks"]],
        robots=[RobotResult(**robot) for robot in body["robots"]],
        contacts=body["contacts"],
        least_gap_mm=body["least_gap_mm"],
    )


def body_of(file: Path) -> dict[str, Any]:
    """Return the content of a result file without the provenance; raises ForeignResultError or OSError."""
    return {key: value for key, value in _values(file).items() if key != "provenance"}


def provenance_of(file: Path) -> dict[str, Any]:
    """Return the provenance in a result file.

    Raises
    ------
    ForeignResultError
        The file is not a result of an experiment.
    OSError
        The file cannot be read.
    """
    made = _values(file).get("provenance")
    if not isinstance(made, dict) or not all(isinstance(made.get(key), dict) for key in ("options", "outputs")):
        raise ForeignResultError(f"{file} has no provenance: it needs a results.json of a run, such as run_001's")
    return made


def _values(file: Path) -> dict[str, Any]:
    try:
        values = read_json(file.read_bytes())
    except TextError as error:
        raise ForeignResultError(f"{file}: not JSON: {error.problem}") from error
    return values if isinstance(values, dict) else {}


def _are_whole(folder: Path, outputs: Any) -> bool:
    """Return whether all files of a run are unchanged."""
    if not isinstance(outputs, dict):
        return False
    try:
        return all(digest(folder / name) == found for name, found in outputs.items())
    except OSError:
        return False


def _digest_of(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
