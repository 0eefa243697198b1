"""Reads experiment files; experiment.schema.json documents every key."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from experiments.lab.lab import simulated_index
from experiments.scenarios.experiment import Experiment, Fault, FaultKind, StartSpread, TaskPlan
from experiments.scenarios.sections import Sections
from fleet.errors import ConfigError, PathError
from fleet.geometry import Pose2D
from fleet.paths.placement import Placement
from fleet.paths.shapes import SHAPES
from fleet.settings.config import FleetConfig, load_config
from fleet.settings.path_file import PathFile, load_path, read_path
from fleet.tasks.task import TaskKind
from simulator.errors import WorldError
from simulator.world.config import WorldConfig, load_world
from thymio_base.errors import SettingsError
from thymio_base.settings_file import KeyPath, Problem, load_settings

_KINDS = {
    "go_to": TaskKind.GO_TO,
    "go_home": TaskKind.GO_HOME,
    "transport": TaskKind.TRANSPORT,
    "follow_path": TaskKind.FOLLOW_PATH,
}
_OF_PATHS = ("speed_mps", "laps", "relative_to")
_OF_FAULTS = {  # required keys of each, and optional ones
    FaultKind.CUT_LINK: ((), ("robot", "for_s")),
    FaultKind.HIDE: ((), ("robot", "for_s")),
    FaultKind.PUSH: (("robot",), ("x_m", "y_m", "heading_rad")),
    FaultKind.TELEPORT: (("robot", "x_m", "y_m"), ("heading_rad",)),
    FaultKind.BATTERY: (("robot", "charge"), ()),
    FaultKind.SLIP: (("robot",), ("left", "right", "for_s")),
    FaultKind.CANCEL: (("task",), ()),
    FaultKind.STOP: ((), ("for_s",)),
}


class ExperimentError(ValueError):
    """An experiment file has problems; the message lists all of them, one per line."""


def load_experiment(file: Path) -> Experiment:
    """Return the experiment in a file.

    Raises
    ------
    ExperimentError
            The file, or a file that it names, cannot be read or has problems; all are listed, each with file and line.
    """
    return _Reader(file).read()


def experiment_schema() -> dict[str, Any]:
    """Return the JSON Schema of experiment files."""
    text = resources.files("experiments.scenarios").joinpath("experiment.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


class _Reader:
    """Reads one file and the files that it names; collects the problems of the latter."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._world: WorldConfig | None = None
        self._fleet: FleetConfig | None = None
        self._paths: dict[int, PathFile] = {}  # by the index of their tasks
        self._problems: list[str] = []

    def read(self) -> Experiment:
        """Return the experiment."""
        try:
            values = load_settings(self._file, experiment_schema(), self._check)
        except SettingsError as error:
            raise ExperimentError("\n".join(error.problems + self._problems)) from error
        if self._problems or self._world is None or self._fleet is None:
            raise ExperimentError("\n".join(self._problems))
        return Experiment(
            title=values["title"],
            world=self._world,
            fleet=self._fleet,
            duration_s=values["duration_s"],
            repetitions=values["repetitions"],
            record_hz=values["record_hz"],
            spread=StartSpread(**values["spread"]),
            tasks=tuple(_task(task, self._paths.get(index)) for index, task in enumerate(values["tasks"])),
            faults=tuple(map(_fault, values["faults"])),
        )

    def _check(self, values: dict[str, Any]) -> Iterator[Problem]:
        """Yield what the schema cannot check; read the files that are named."""
        sources = Sections(self._file)
        self._read_world(values, sources)
        self._read_fleet(values, sources)
        tasks = [(index, task) for index, task in enumerate(values["tasks"]) if task is not None]
        for index, task in tasks:
            yield from self._task_problems(index, task, sources)
        task_ids = [task["id"] for _, task in tasks]
        yield from _order_problems(tasks, None in values["tasks"])
        for index, fault in enumerate(values["faults"]):
            if fault is not None:
                yield from self._fault_problems(("faults", index), fault, None if None in values["tasks"] else task_ids)

    def _read_world(self, values: Mapping[str, Any], sources: Sections) -> None:
        if "world" in values:
            try:
                self._world = load_world(*sources.source(values["world"], "world"))
            except WorldError as error:
                self._problems.append(str(error))

    def _read_fleet(self, values: Mapping[str, Any], sources: Sections) -> None:
        if "fleet" in values:
            try:
                file, text = sources.source(values["fleet"], "fleet")
                self._fleet = replace(load_config(file, text=text), path=file.name)
            except ConfigError as error:
                self._problems.append(str(error))

    def _task_problems(self, index: int, task: Mapping[str, Any], sources: Sections) -> Iterator[Problem]:
        where: KeyPath = ("tasks", index)
        kinds = [key for key in _KINDS if key in task]
        if len(kinds) != 1:
            yield (
                where,
                f"task {task['id']!r} needs exactly one of {', '.join(_KINDS)}, has {' and '.join(kinds) or 'none'}",
            )
        yield from self._robot_problems((*where, "robot"), task["robot"])
        if "follow_path" not in task:
            for key in _OF_PATHS:
                if key in task:
                    yield (*where, key), "goes with follow_path only"
            return
        try:
            self._paths[index] = self._path(task, index, sources)
            _ = self._paths[index].path  # all laps
        except PathError as error:
            yield (*where, "follow_path"), str(error)

    def _path(self, task: Mapping[str, Any], index: int, sources: Sections) -> PathFile:
        said = task["follow_path"]
        if isinstance(said, str):
            found = read_path(said, said) if said in SHAPES else load_path(self._file.parent / said)
        else:
            found = read_path(sources.text(said, "tasks", index, "follow_path"), str(self._file))
        changes: dict[str, Any] = {key: task[key] for key in ("speed_mps", "laps") if key in task}
        if "relative_to" in task:
            changes["placement"] = Placement(task["relative_to"])
        return replace(found, **changes)

    def _robot_problems(self, where: KeyPath, robot_id: int | None) -> Iterator[Problem]:
        if self._fleet is None or self._world is None or robot_id is None:
            return
        robot = next((robot for robot in self._fleet.robots if robot.id == robot_id), None)
        if robot is None:
            known = ", ".join(str(robot.id) for robot in self._fleet.robots)
            yield where, f"robot {robot_id} is not in the fleet, known are {known}"
        elif simulated_index(robot, self._world) is None:
            yield where, f"robot {robot_id} is not in the world: no node there has its node_id or uuid"

    def _fault_problems(
        self, where: KeyPath, fault: Mapping[str, Any], task_ids: list[str] | None
    ) -> Iterator[Problem]:
        needed, possible = _OF_FAULTS[FaultKind(fault["what"])]
        for key in needed:
            if key not in fault:
                yield where, f"{fault['what']} needs {key}"
        for key in fault.keys() - {"what", "at_s", *needed, *possible}:
            yield (*where, key), f"does not go with {fault['what']}"
        yield from self._robot_problems((*where, "robot"), fault.get("robot"))
        if task_ids is not None and fault.get("task", next(iter(task_ids))) not in task_ids:
            yield (*where, "task"), f"there is no task {fault['task']!r}, known are {', '.join(task_ids)}"


def _order_problems(tasks: list[tuple[int, dict[str, Any]]], is_incomplete: bool) -> Iterator[Problem]:
    """Yield ids that occur twice, and tasks that wait for each other or for one that does not exist."""
    waits: dict[str, str] = {}
    for index, task in tasks:
        if task["id"] in waits:
            yield ("tasks", index, "id"), f"{task['id']!r} is the id of an earlier task"
        waits[task["id"]] = task.get("after", "")
    for index, task in tasks:
        after = waits[task["id"]]
        if after and after not in waits and not is_incomplete:
            yield ("tasks", index, "after"), f"there is no task {after!r}, known are {', '.join(waits)}"
        seen = {task["id"]}
        while after in waits and after not in seen:
            seen.add(after)
            after = waits[after]
        if after == task["id"]:
            yield ("tasks", index, "after"), f"{task['id']!r} waits for itself"


def _task(values: Mapping[str, Any], path: PathFile | None) -> TaskPlan:
    key = next(key for key in _KINDS if key in values)
    transport = values.get("transport", {})
    poses = [values[key]] if key == "go_to" else list(filter(None, (transport.get("from"), transport.get("to"))))
    return TaskPlan(
        task_id=values["id"],
        robot_id=values["robot"],
        at_s=values["at_s"],
        after=values.get("after", ""),
        kind=_KINDS[key],
        places=tuple(map(_pose, poses)),
        path=path,
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
