"""Recognizes the kind of a user's file by its keys, not by its name."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from experiments.checks.script_check import is_script
from experiments.scenarios.file.experiment_file import experiment_schema
from fleet.paths.shapes import SHAPES
from fleet.settings.calibration_file import calibration_schema
from fleet.settings.config import config_schema
from fleet.settings.path_file import path_schema
from fleet.settings.waypoint_file import holds_waypoints, is_on_globe
from simulator.world.config import world_schema
from simulator.world.playground_file import is_playground
from thymio_base.settings_file import read_document

_DEPTH = 3  # depth of the compared keys, such as robots[].home.x_m
_LEAST_SHARE = 0.5  # smallest share of the file's keys that its kind must know


class FileKind(Enum):
    """A kind of file; the value is its name."""

    FLEET = "fleet"  # configuration of a driver
    WORLD = "world"  # world of the simulator
    EXPERIMENT = "experiment"  # tasks and faults over time
    PATH = "path"  # path for a robot
    CALIBRATION = "calibration"  # measured wheels and sensors
    SCRIPT = "script"  # Aseba program of the robots

    def __str__(self) -> str:
        return self.value

    @property
    def noun(self) -> str:
        """Name of the kind, with its article."""
        return f"{'an' if self is FileKind.EXPERIMENT else 'a'} {self.value}"


_SCHEMAS = {  # kinds that have keys
    FileKind.FLEET: config_schema,
    FileKind.WORLD: world_schema,
    FileKind.EXPERIMENT: experiment_schema,
    FileKind.PATH: path_schema,
    FileKind.CALIBRATION: calibration_schema,
}


@dataclass(frozen=True, slots=True)
class Likeness:
    """The resemblance of a file to a kind, by the keys that they share.

    Parameters
    ----------
    known : number of the file's keys that the kind knows
    keys : number of the file's keys; keys below an unknown key do not count
    required_share : share of the kind's required keys that the file contains
    """

    kind: FileKind
    known: int
    keys: int
    required_share: float

    @property
    def is_sufficient(self) -> bool:
        """Whether the file may be read as this kind."""
        return self.known > 0 and self.known >= _LEAST_SHARE * self.keys


def recognize(file: Path, text: str) -> Likeness:
    """Return the kind that a file resembles most; in a tie, the first in the order of `FileKind`.

    Raises
    ------
    SettingsError
        The text is not YAML.
    """
    if is_on_globe(file):
        return Likeness(FileKind.PATH, 1, 1, 1.0)
    if is_script(file):
        return Likeness(FileKind.SCRIPT, 1, 1, 1.0)
    if is_playground(file) or text.lstrip().startswith("<"):
        return Likeness(FileKind.WORLD, 1, 1, 1.0)
    if text.strip() in SHAPES or holds_waypoints(file, text):
        return Likeness(FileKind.PATH, 1, 1, 1.0)
    values = read_document(text, str(file), {"properties": {}}).values
    return max(
        (_likeness(kind, values) for kind in _SCHEMAS),
        key=lambda likeness: (likeness.known / max(likeness.keys, 1), likeness.required_share),
    )


def _likeness(kind: FileKind, values: Mapping[str, Any]) -> Likeness:
    schema = _SCHEMAS[kind]()
    found = dict(_compared(values, schema, schema, "", _DEPTH))
    required = schema.get("required", [])
    share = sum(key in values for key in required) / len(required) if required else 0.0
    return Likeness(kind, sum(found.values()), len(found), share)


def _compared(value: Any, part: Mapping[str, Any], root: Mapping[str, Any], path: str, depth: int) -> Iterator[Any]:
    """Yield path and whether the schema knows it, for every key below a value; items of an array share a path."""
    if isinstance(value, list):
        for item in value:
            yield from _compared(item, _resolved(part.get("items", {}), root), root, f"{path}[]", depth)
    elif isinstance(value, Mapping) and depth > 0 and "properties" in part:
        for key, item in value.items():
            child = part["properties"].get(key)
            yield f"{path}.{key}", child is not None
            if child is not None:
                yield from _compared(item, _resolved(child, root), root, f"{path}.{key}", depth - 1)


def _resolved(part: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a part of a schema, or the definition that it refers to."""
    name = str(part.get("$ref", "")).removeprefix("#/$defs/")
    found: Mapping[str, Any] = root.get("$defs", {}).get(name, part)
    return found
