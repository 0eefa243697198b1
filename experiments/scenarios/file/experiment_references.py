"""Loads the world, fleet and paths that an experiment file refers to; only this step opens other files."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from fleet.errors import ConfigError, GoalRejectedError, PathError
from fleet.settings.config import FleetConfig, load_config
from fleet.settings.path_file import read_path
from fleet.tasks.route import RouteLeg
from fleet.work.named_path import named_path
from fleet.work.path_wish import path_of_wish
from fleet.work.route_text import route_of_text
from fleet.work.work import PathWish
from simulator.errors import WorldError
from simulator.world.config import WorldConfig, load_world
from thymio_base.texts.yaml_text import read_yaml, write_yaml


@dataclass(frozen=True, slots=True)
class ExperimentReferences:
    """The settings that an experiment refers to; a world or fleet that is missing or has problems is None.

    Parameters
    ----------
    paths : valid paths by the tasks' indices
    path_problems : problems of the other paths by the tasks' indices
    problems : problems of the world and the fleet, in lines
    """

    world: WorldConfig | None
    fleet: FleetConfig | None
    paths: Mapping[int, PathWish]
    path_problems: Mapping[int, str]
    problems: tuple[str, ...]


def route_of_task(task: Mapping[str, Any], fleet: FleetConfig) -> tuple[RouteLeg, ...]:
    """Return the legs of a task's route; empty without a route.

    Raises
    ------
    GoalRejectedError
        A leg is malformed, or names an unknown station.
    """
    stations = {station.name: station.pose for station in fleet.stations}
    return route_of_text(task["follow_route"], stations.get) if "follow_route" in task else ()


def resolve(
    values: Mapping[str, Any], text: str, file: Path, sources: Mapping[str, Path] = MappingProxyType({})
) -> ExperimentReferences:
    """Load the files and sections that an experiment refers to.

    Parameters
    ----------
    values, text
        content of the experiment file
    file
        name of the experiment file
    sources
        files from which sections of the text were taken; relative paths in these sections start there
    """
    sections = _Sections(text, file, sources)
    problems: list[str] = []
    world, fleet = _world(values, sections, problems), _fleet(values, sections, problems)
    paths, path_problems = _paths(values, sections)
    return ExperimentReferences(world, fleet, paths, path_problems, tuple(problems))


class _Sections:
    """The parts of a file with their own readers; problems in a part are reported with their line in the file."""

    def __init__(self, text: str, file: Path, sources: Mapping[str, Path]) -> None:
        self.file = file
        self._sources = sources
        self._document = read_yaml(text)

    def source(self, value: str | Mapping[str, Any], key: str) -> tuple[Path, str | None]:
        """Return the file that a key names and None, or this file and the text of the key's value."""
        if isinstance(value, str):
            return self.file.parent / value, None
        return self._sources.get(key, self.file), self.text(value, key)

    def text(self, value: Mapping[str, Any], *key_path: str | int) -> str:
        """Return the text of a part, at its original lines and columns; `value` is its parsed value."""
        text = self._document.part(key_path)
        return write_yaml(dict(value)) if text is None else text


def _world(values: Mapping[str, Any], sections: _Sections, problems: list[str]) -> WorldConfig | None:
    try:
        return load_world(*sections.source(values["world"], "world")) if "world" in values else None
    except WorldError as error:
        problems.append(str(error))
        return None


def _fleet(values: Mapping[str, Any], sections: _Sections, problems: list[str]) -> FleetConfig | None:
    if "fleet" not in values:
        return None
    try:
        file, text = sections.source(values["fleet"], "fleet")
        return replace(load_config(file, text=text), path=file.name)
    except ConfigError as error:
        problems.append(str(error))
        return None


def _paths(values: Mapping[str, Any], sections: _Sections) -> tuple[dict[int, PathWish], dict[int, str]]:
    """Return the paths of tasks, and the problems of invalid ones, by the tasks' indices."""
    paths: dict[int, PathWish] = {}
    problems: dict[int, str] = {}
    for index, task in enumerate(values["tasks"]):
        if task is not None and "follow_path" in task:
            try:
                paths[index] = _path(task, index, sections)
            except PathError as error:
                problems[index] = re.sub(rf"^{re.escape(str(sections.file))}:\d+: ", "", str(error))  # has its own
    return paths, problems


def _path(task: Mapping[str, Any], index: int, sections: _Sections) -> PathWish:
    named = task["follow_path"]
    speed_mps, laps, relative_to = task.get("speed_mps", 0.0), int(task.get("laps", 0)), task.get("relative_to", "")
    if isinstance(named, str):
        return named_path(named, None, speed_mps, laps, relative_to, folder=sections.file.parent)
    read_path(sections.text(named, "tasks", index, "follow_path"), str(sections.file))  # problems have lines there
    wish = PathWish(write_yaml(dict(named)), speed_mps, laps, relative_to)
    try:
        path_of_wish(wish)
    except GoalRejectedError as error:
        raise PathError(error.explanation.detail) from error
    return wish
