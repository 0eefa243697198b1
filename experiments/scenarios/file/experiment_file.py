"""Reads experiment files in three steps; experiment.schema.json documents every key.

1. The text is read into a document, as far as it fits the schema: `thymio_base.settings_file`.
2. The world, fleet and paths that it names are loaded: `experiment_references`, which alone opens other files.
3. Both are checked, without side effects: `experiment_check`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.scenarios.file.experiment import Experiment, Fault, FaultKind, StartSpread, TaskPlan
from experiments.scenarios.file.experiment_check import ANY_ROBOT, contradictions, repeated_ids
from experiments.scenarios.file.experiment_references import ExperimentReferences, resolve, route_of_task
from fleet.geometry import Pose2D
from fleet.tasks.route import RouteLeg
from fleet.work.kinds import KINDS
from fleet.work.work import PathWish, Place, Work
from thymio_base.errors import SettingsError
from thymio_base.settings_file import SettingsDocument, load_text, read_document
from thymio_base.texts.json_text import shipped_schema


class ExperimentError(ValueError):
    """An experiment file has problems; the message lists all of them, one per line."""


def load_experiment(file: Path) -> Experiment:
    """Return the experiment in a file without a sweep.

    Raises
    ------
    ExperimentError
        The file, or a file that it names, cannot be read or has problems, which are all listed with file and line; or
        the file has a sweep and so defines several experiments.
    """
    experiment, sweep = load_base(file)
    if sweep:
        raise ExperimentError(
            f"{file}: sweep: this needs one experiment, and the sweep over {', '.join(sweep)} makes several; "
            "remove it, or use `thymio-fleet experiment`"
        )
    return experiment


def load_base(file: Path) -> tuple[Experiment, dict[str, Any]]:
    """Return the experiment in a file without its sweep, and the sweep; raises as `load_experiment`."""
    try:
        text = load_text(file)
        document = read_document(text, str(file), experiment_schema()).examined(parts_check=repeated_ids)
    except SettingsError as error:
        raise ExperimentError(str(error)) from error
    if any(key_path == ("robots",) for key_path, _ in document.problems):
        raise ExperimentError(f"{file}: this is a world or a fleet, not an experiment, which names both and has tasks")
    return checked(document, resolve(document.values, text, file)), document.values["sweep"]


def checked(document: SettingsDocument, references: ExperimentReferences) -> Experiment:
    """Return the experiment defined by a document and the files that it names.

    Raises
    ------
    ExperimentError
        The document or a file has problems; all are listed.
    """
    values, world, fleet = document.values, references.world, references.fleet
    problems = [*document.listed(contradictions(values, references)), *references.problems]
    if problems or world is None or fleet is None:
        raise ExperimentError("\n".join(problems))
    return Experiment(
        title=values["title"],
        world=world,
        fleet=fleet,
        duration_s=values["duration_s"],
        repetitions=values["repetitions"],
        record_hz=values["record_hz"],
        spread=StartSpread(**values["spread"]),
        tasks=tuple(
            _task(task, references.paths.get(index), route_of_task(task, fleet))
            for index, task in enumerate(values["tasks"])
        ),
        faults=tuple(map(_fault, values["faults"])),
    )


def experiment_schema() -> dict[str, Any]:
    """Return the JSON Schema of experiment files."""
    return shipped_schema("experiments.scenarios.file", "experiment.schema.json")


def _task(values: Mapping[str, Any], path: PathWish | None, route: tuple[RouteLeg, ...]) -> TaskPlan:
    kind, names = next((kind, facts.places) for kind, facts in KINDS.items() if kind.public_name in values)
    named = values[kind.public_name]
    poses = [named] if len(names) == 1 else [named[name] for name in names]
    return TaskPlan(
        task_id=values["id"],
        robot_id=None if values["robot"] == ANY_ROBOT else values["robot"],
        at_s=values["at_s"],
        after=values.get("after", ""),
        work=Work(kind, tuple(Place(_pose(pose)) for pose in poses), path, route),
    )


def _fault(values: Mapping[str, Any]) -> Fault:
    return Fault(
        kind=FaultKind(values["what"]),
        at_s=values["at_s"],
        for_s=values.get("for_s"),
        robot_id=values.get("robot"),
        task_id=values.get("task", ""),
        pose=_pose(values),
        charge=values.get("charge", 0.0),
        left=values.get("left", 1.0),
        right=values.get("right", 1.0),
    )


def _pose(values: Mapping[str, Any]) -> Pose2D:
    return Pose2D(values.get("x_m", 0.0), values.get("y_m", 0.0), values.get("heading_rad", 0.0))
