"""Checks one file of any kind, and summarizes its content in a line."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, assert_never

from experiments.checks.file_kind import FileKind, Likeness, recognize
from experiments.checks.place_fit import charger_remarks
from experiments.checks.places import place_advice
from experiments.checks.script_check import first_element, is_script, read_script, script_notes, script_summary
from experiments.checks.world_fit import world_chargers, world_fit
from experiments.scenarios.file.experiment_file import ExperimentError
from experiments.scenarios.file.study_file import Study, load_study
from fleet.errors import FleetError, PathError
from fleet.settings.calibration_file import load_calibrations
from fleet.settings.config import FleetConfig, build_config, load_config, read_config
from fleet.settings.path_file import PathFile, load_path
from fleet.settings.waypoint_file import is_on_globe
from fleet.trajectories.timing import limits_at_mean_speed
from fleet.work.objections import objection_to_work
from simulator.errors import WorldError
from simulator.world.config import WorldConfig, WorldFile, read_world, world_of
from simulator.world.playground_file import is_playground
from thymio_base.errors import SettingsError
from thymio_base.number_text import count_text
from thymio_base.settings_file import Problem, load_text
from thymio_base.shipped_files import shipped_file
from thymio_base.texts.decimal_text import whole_number

_PATH_MISTAKES: Final = 3  # most listed mistakes of a path
_ROBOT: Final = "robot"  # outermost element of URDF and xacro
_ROBOT_TEXT: Final = "a robot description, not a file of a fleet; check it with rbc --urdf FILE"
_MORE: Final = re.compile(r"and (\d+) more")


@dataclass(frozen=True, slots=True)
class FileCheck:
    """The result of checking a file.

    Parameters
    ----------
    kind : kind that the file was read as; None if it is of no known kind
    mistakes : mistakes, each starting with file and line; empty if the file is valid
    summary : content of a valid file in a few words
    notes : further information for the user
    warnings : valid entries that are perhaps not intended
    """

    file: Path
    kind: FileKind | None
    mistakes: tuple[str, ...] = ()
    summary: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def mistake_count(self) -> int:
        """Number of mistakes, including those that are counted but not listed."""
        counted = _MORE.match(self.mistakes[-1]) if self.mistakes else None
        return len(self.mistakes) if counted is None else len(self.mistakes) - 1 + whole_number(counted[1])


def check_file(
    file: Path, kind: FileKind | None = None, world: WorldFile | None = None, fleet: FleetConfig | None = None
) -> FileCheck:
    """Check a file of a given kind, or of the kind that it most resembles.

    If given, a world is checked for its fit to a fleet file, and the limits of a fleet apply to the speed of a path.
    """
    found = _check_by_form(file, kind)
    if found is not None:
        return found
    try:
        text = load_text(file)
        likeness = recognize(file, text) if kind is None else None
    except SettingsError as error:
        return FileCheck(file, kind, tuple(error.problems))
    if likeness is not None and not likeness.is_sufficient:
        return FileCheck(file, None, (f"{file}: {_unknown_text(likeness)}",))
    taken_for = (likeness.kind if likeness is not None else kind) or FileKind.PATH
    match taken_for:
        case FileKind.FLEET:
            found = _check_fleet(file, text, world)
        case FileKind.WORLD:
            found = _check_world(file)
        case FileKind.EXPERIMENT:
            found = _check_experiment(file)
        case FileKind.PATH:
            found = _check_path(file, fleet)
        case FileKind.CALIBRATION:
            found = _check_calibration(file)
        case FileKind.SCRIPT:
            found = _check_script(file)
        case _:
            assert_never(taken_for)
    return found


def _check_by_form(file: Path, kind: FileKind | None) -> FileCheck | None:
    """Check a file of a kind that is not recognized by keys; return None for other files."""
    if kind is FileKind.SCRIPT or (kind is None and is_script(file)):
        return _check_script(file)
    if kind is None and first_element(file) == _ROBOT:
        return FileCheck(file, None, (f"{file}: {_ROBOT_TEXT}",))
    if kind is FileKind.WORLD or (kind is None and is_playground(file) and not is_on_globe(file)):
        return _check_world(file)
    return None


def _unknown_text(likeness: Likeness) -> str:
    nearest = f"; the closest kind is {likeness.kind.noun}, which has {likeness.known} of its {likeness.keys} keys"
    kinds = ", ".join(map(str, FileKind))
    return (
        f"not a file that can be checked{nearest if likeness.known else ''}; kinds are {kinds}, and --kind forces one"
    )


def _check_fleet(file: Path, text: str, world: WorldFile | None) -> FileCheck:
    try:
        document = read_config(file, text)
    except FleetError as error:
        return FileCheck(file, FileKind.FLEET, _lines(error))
    mistakes: list[Problem] = []
    warnings: tuple[str, ...] = ()
    if world is not None:
        fit = world_fit(document, world.document)
        mistakes, warnings = fit.mistakes, tuple(document.located(fit.remarks))
    listed = tuple(document.listed(mistakes))
    try:
        config = build_config(file, document)
    except FleetError as error:
        broken = _lines(error) if not document.problems else _broken_calibration(file, document.parts)
        return FileCheck(file, FileKind.FLEET, (*listed, *broken), warnings=warnings)
    chargers = world_chargers(world.document) if world is not None else []
    warnings += tuple(f"{file}: {advice}" for advice in (*config.budget_advice, *place_advice(config, chargers)))
    return FileCheck(file, FileKind.FLEET, listed, fleet_summary(config), (config.calibration_text,), warnings)


def _broken_calibration(file: Path, parts: Mapping[str, Any]) -> tuple[str, ...]:
    if not parts.get("calibration_file"):
        return ()
    try:
        load_calibrations(file.parent / parts["calibration_file"])
    except FleetError as error:
        return _lines(error)
    return ()


def _check_world(file: Path) -> FileCheck:
    try:
        world = read_world(file)
        remarks = tuple(world.document.located(charger_remarks(world.document.values)))
        config = world_of(file, world)
    except WorldError as error:
        return FileCheck(file, FileKind.WORLD, _lines(error))
    return FileCheck(file, FileKind.WORLD, (), world_summary(config), config.notes, remarks)


def _check_script(file: Path) -> FileCheck:
    script, mistakes = read_script(file)
    if script is None or mistakes:
        return FileCheck(file, FileKind.SCRIPT, mistakes)
    return FileCheck(file, FileKind.SCRIPT, (), script_summary(script), script_notes(script))


def _check_path(file: Path, fleet: FleetConfig | None) -> FileCheck:
    """Check a path; a speed beyond the limits of the shipped fleet is only a warning."""
    try:
        path = load_path(file)
    except FleetError as error:
        lines = _lines(error)
        found = FileCheck(file, FileKind.PATH, lines)
        more = found.mistake_count - _PATH_MISTAKES
        return found if more <= 0 else replace(found, mistakes=(*lines[:_PATH_MISTAKES], f"and {more} more lines"))
    summary, too_fast = _path_summary(path), ""
    if path.speed_mps is not None:
        used = fleet or load_config(shipped_file("fleet.yaml"), with_calibration=False)
        try:
            limits_at_mean_speed(path.lap, used.following, path.speed_mps, path.laps)
        except PathError as error:
            too_fast = f"{file}: speed_mps: {error}"
    if too_fast and fleet is not None:
        return FileCheck(file, FileKind.PATH, (too_fast,))
    hint = f"{too_fast}, by the usual limits; check it together with your fleet.yaml"
    return FileCheck(file, FileKind.PATH, (), summary, path.notes, (hint,) if too_fast else ())


def _check_calibration(file: Path) -> FileCheck:
    try:
        return FileCheck(file, FileKind.CALIBRATION, (), _calibration_summary(file))
    except FleetError as error:
        return FileCheck(file, FileKind.CALIBRATION, _lines(error))


def _check_experiment(file: Path) -> FileCheck:
    """Check an experiment; a task that every run would refuse is a mistake."""
    try:
        study = load_study(file)
    except (FleetError, ExperimentError) as error:
        return FileCheck(file, FileKind.EXPERIMENT, _lines(error))
    refused = tuple(dict.fromkeys(f"{file}: {text}" for text in _refused_tasks(study)))
    return FileCheck(file, FileKind.EXPERIMENT, refused, _study_summary(study))


def _refused_tasks(study: Study) -> Iterator[str]:
    for condition, experiment in study.conditions:
        under = f"{condition.name}: " if condition.name else ""
        for task in experiment.tasks:
            why = objection_to_work(task.work, experiment.fleet)
            if why is not None:
                yield f"{under}task {task.task_id!r} would be refused: {why.detail} ({why.reason.value})"


def fleet_summary(config: FleetConfig) -> str:
    """Describe a fleet in a few words."""
    return f"fleet of {count_text(len(config.robots), 'robot')}, {count_text(len(config.link.targets), 'target')}"


def world_summary(config: WorldConfig) -> str:
    """Describe a world in a few words."""
    counts = [count_text(len(config.robots), "robot"), count_text(len(config.objects), "object")]
    if config.walls:
        counts.append(count_text(len(config.walls), "wall"))
    if config.chargers:
        counts.append(count_text(len(config.chargers), "charger"))
    return f"world of {config.arena.width_m:g} m by {config.arena.height_m:g} m, {', '.join(counts)}"


def _study_summary(study: Study) -> str:
    experiment = study.base
    counts = [count_text(len(experiment.tasks), "task"), count_text(len(experiment.faults), "fault")]
    conditions = len(study.conditions)
    number = conditions * max(1, len(study.seeds)) * experiment.repetitions
    runs = count_text(number, "run") + (f" under {count_text(conditions, 'condition')}" if study.has_sweep else "")
    return f"experiment of {runs} with {', '.join(counts)}, {fleet_summary(experiment.fleet)}"


def _path_summary(path: PathFile) -> str:
    return f"path of {path.lap.length_m:.2f} m, {count_text(path.laps, 'lap')}"


def _calibration_summary(file: Path) -> str:
    return f"calibration of {count_text(len(load_calibrations(file)), 'robot')}"


def _lines(error: Exception) -> tuple[str, ...]:
    return tuple(str(error).splitlines())
