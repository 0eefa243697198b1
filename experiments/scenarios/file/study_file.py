"""Reads an experiment file with its sweep: the experiment of each condition, and the files read for it."""

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from experiments.scenarios.file.conditions import Condition, SweepError, changed, conditions, seeds
from experiments.scenarios.file.experiment import Experiment
from experiments.scenarios.file.experiment_check import repeated_ids
from experiments.scenarios.file.experiment_file import (
    ExperimentError,
    checked,
    experiment_schema,
    load_base,
)
from experiments.scenarios.file.experiment_references import resolve
from fleet.paths.shapes import SHAPES
from simulator.world.playground_file import is_playground
from thymio_base.errors import SettingsError, TextError
from thymio_base.number_text import count_text
from thymio_base.settings_file import load_text, read_document
from thymio_base.texts.user_file import may_exist
from thymio_base.texts.yaml_text import read_yaml, write_yaml

MAX_RUNS: Final = 100_000
_SHOWN: Final = 5  # most shown problems of conditions
_PLACE: Final = re.compile(r"^(.+?):\d+: ")


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One run of a study; `number` counts all runs from 1, `repetition` the runs of a condition and seed."""

    number: int
    condition: Condition
    experiment: Experiment
    seed: int
    repetition: int


@dataclass(frozen=True, slots=True)
class Study:
    """An experiment under all its conditions.

    Parameters
    ----------
    base : the experiment without its sweep
    conditions : the conditions, each with its experiment
    seeds : seeds in the file; empty if the seed is chosen for each study
    inputs : all files that were read, the experiment file first
    """

    base: Experiment
    conditions: tuple[tuple[Condition, Experiment], ...]
    seeds: tuple[int, ...] = ()
    inputs: tuple[Path, ...] = ()

    @property
    def has_sweep(self) -> bool:
        """Whether there are several conditions, or seeds in the file."""
        return len(self.conditions) > 1 or bool(self.seeds)

    def runs(self, seed: int, repetitions: int) -> list[PlannedRun]:
        """Return all runs; runs with the same seed and repetition get the same random numbers in all conditions.

        Raises
        ------
        ExperimentError
            There are too many runs.
        """
        found_seeds = self.seeds or (seed,)
        count = len(self.conditions) * len(found_seeds) * repetitions
        if count > MAX_RUNS:
            raise ExperimentError(f"a study may have {MAX_RUNS} runs; this one has {count}")
        plans = (
            (condition, experiment, one, repetition)
            for condition, experiment in self.conditions
            for one in found_seeds
            for repetition in range(1, repetitions + 1)
        )
        return [PlannedRun(number, *plan) for number, plan in enumerate(plans, 1)]

    def input_names(self) -> dict[str, Path]:
        """Return the inputs by their paths relative to their common folder."""
        if not self.inputs:
            return {}
        above = os.path.commonpath([file.parent for file in self.inputs])
        return {file.relative_to(above).as_posix(): file for file in self.inputs}


def single(experiment: Experiment) -> Study:
    """Return the study of an experiment without a sweep."""
    return Study(experiment, ((Condition({}, ()), experiment),))


def load_study(file: Path) -> Study:
    """Return the study in an experiment file.

    Raises
    ------
    ExperimentError
        The file or one of its conditions has problems.
    """
    base, sweep = load_base(file)
    values = read_yaml(load_text(file)).values
    try:
        swept, found_seeds = conditions(sweep), tuple(seeds(sweep, 0)) if "seed" in sweep else ()
        if len(swept) > MAX_RUNS:
            raise SweepError(next(iter(sweep)), f"makes {len(swept)} conditions; {MAX_RUNS} are allowed")
    except SweepError as error:
        raise ExperimentError(f"{file}: sweep.{error.key}: {error}") from error
    files = [file, *_named_files(values, base, file, file)]
    if not sweep:
        return Study(base, ((Condition({}, ()), base),), (), _unique(files))
    loaded, problems = [], []
    for condition in swept:
        reader = _ConditionReader(file, values)
        try:
            experiment = reader.experiment(condition)
        except ExperimentError as error:
            problems += [line for line in str(error).splitlines() if line not in problems]
            continue
        loaded.append((condition, experiment))
        files += [*reader.files, *_named_files(reader.values, experiment, file, reader.sources.get("world", file))]
    if problems:
        more = [f"{file}: and {count_text(len(problems) - _SHOWN, 'more problem')}"] if len(problems) > _SHOWN else []
        raise ExperimentError("\n".join([*problems[:_SHOWN], *more]))
    return Study(base, tuple(loaded), found_seeds, _unique(files))


def digest(file: Path) -> str:
    """Return the SHA-256 of a file's content, as `sha256sum` prints it.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    return hashlib.sha256(file.read_bytes()).hexdigest()


class _ConditionReader:
    """Reads the experiment of one condition.

    Attributes
    ----------
    files : files that were inlined to change keys in them
    sources : files of inlined sections, where relative paths of the sections start
    values : content of the experiment file under the condition
    """

    def __init__(self, file: Path, values: Mapping[str, Any]) -> None:
        self._file = file
        self._base = values
        self.sources: dict[str, Path] = {}
        self.files: list[Path] = []
        self.values: dict[str, Any] = {}

    def experiment(self, condition: Condition) -> Experiment:
        """Return the experiment; raise ExperimentError, with the condition in each line, if it has problems."""
        try:
            self.values = self._changed(condition)
            text = write_yaml(self.values)
            document = read_document(text, str(self._file), experiment_schema()).examined(parts_check=repeated_ids)
            return checked(document, resolve(document.values, text, self._file, self.sources))
        except SweepError as error:
            raise ExperimentError(f"{self._file}: sweep.{error.key}: {error}") from error
        except (ExperimentError, SettingsError) as error:
            lines = map(self._without_line, str(error).splitlines())
            raise ExperimentError(
                "\n".join(f"{self._file}: with {condition.name}: {line}" for line in lines)
            ) from error

    def _changed(self, condition: Condition) -> dict[str, Any]:
        """Return the content under a condition; record the files of inlined sections."""
        latest: dict[str, Any] = dict(self._base)
        for change in condition.changes:
            if change[1] in ("world", "fleet"):
                self.sources.pop(change[1], None)
            latest = changed(latest, Condition({}, (change,)), partial(self._loaded, latest))
        return latest

    def _loaded(self, values: Mapping[str, Any], section: str) -> dict[str, Any]:
        file = self._file.parent / values[section]
        self.sources[section] = file
        self.files.append(file)
        if is_playground(file):
            raise SweepError(section, f"{file} is a playground, whose keys cannot be changed; sweep whole files")
        try:
            found = read_yaml(load_text(file)).values
        except TextError as error:
            raise SweepError(section, f"{file}: {error.problem}") from error
        if not isinstance(found, dict):
            raise SweepError(section, f"{file} has no keys")
        return found

    def _without_line(self, line: str) -> str:
        """Return a problem without the name of this file and without line numbers, which refer to a generated text."""
        return _PLACE.sub(lambda found: "" if found[1] == str(self._file) else f"{found[1]}: ", line)


def _named_files(values: Mapping[str, Any], experiment: Experiment, file: Path, world_file: Path) -> list[Path]:
    """Return the files that an experiment names, directly or through its world and fleet."""
    folder, found = file.parent, []
    for section in ("world", "fleet"):
        if isinstance(values.get(section), str):
            found.append(folder / values[section])
    found += [folder / path for path in map(_path_of, values.get("tasks", [])) if path and path not in SHAPES]
    calibration = experiment.fleet.calibration_path
    if calibration is not None and may_exist(calibration):
        found.append(calibration)
    if experiment.world.ground_image is not None:
        found += _pictures(values["world"], folder, world_file)
    return found


def _path_of(task: Mapping[str, Any]) -> str:
    """Return the name of the path that a task follows; "" for paths written inline and other tasks."""
    path = task.get("follow_path")
    return path if isinstance(path, str) else ""


def _pictures(world: str | Mapping[str, Any], folder: Path, world_file: Path) -> list[Path]:
    """Return the ground image of a world, given as a file or inline; playgrounds contain their own."""
    if isinstance(world, str):
        world_file = folder / world
        world = {} if is_playground(world_file) else read_yaml(load_text(world_file)).values
    name = world.get("ground_image", {}).get("file")
    return [world_file.parent / name] if name else []


def _unique(files: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(Path(os.path.normpath(file.absolute())) for file in files))
