"""Spawning of robots and objects; they are described and checked like entries of world.yaml."""

import re
from dataclasses import dataclass
from typing import Any

from simulator.simulation.refusal import Refusal, RefusedError
from simulator.simulation.simulation_control import Control, Place
from simulator.world.config import build_object, build_robot, world_schema
from thymio_base.errors import SettingsError, TextError
from thymio_base.settings_file import check_values
from thymio_base.texts.decimal_text import whole_number
from thymio_base.texts.shortened import shortened
from thymio_base.texts.yaml_text import yaml_values

KINDS = ("thymio", "box", "cylinder")

_MAX_DESCRIPTION = 10_000  # characters
_ROBOT_NAME = re.compile("thymio_([1-9][0-9]{0,4})")


@dataclass(frozen=True, slots=True)
class SpawnRequest:
    """A request to add an entity: one of `KINDS`, its name and place, and further keys of world.yaml in YAML."""

    kind: str
    name: str
    may_rename: bool
    place: Place
    description: str


def spawn(control: Control, request: SpawnRequest) -> str:
    """Add a robot or an object to the world; return its name.

    Raises
    ------
    RefusedError
        It cannot be added; nothing has changed.
    """
    if request.kind not in KINDS:
        raise RefusedError(Refusal.UNKNOWN_KIND, f"uri {request.kind!r} is not one of {', '.join(KINDS)}")
    if request.kind == "thymio":
        return control.spawn_robot(build_robot(_checked(request, "robots", node_id=_node_id(control, request))))
    name = request.name
    if request.may_rename and (not name or control.has(name)):
        name = control.free_name(name or request.kind)
    if not name:
        raise RefusedError(Refusal.BAD_NAME, "name is empty, and allow_renaming is false")
    return control.spawn_object(build_object(_checked(request, "objects", name=name, shape=request.kind)))


def _node_id(control: Control, request: SpawnRequest) -> int:
    """Return the node id in the robot's name, or a free one if another name is allowed."""
    match = _ROBOT_NAME.fullmatch(request.name)
    if match is not None and not (request.may_rename and control.has(request.name)):
        return whole_number(match.group(1))
    if request.may_rename:
        return control.free_node_id()
    raise RefusedError(Refusal.BAD_NAME, f"name {request.name!r} is not thymio_ and a node id, such as thymio_9")


def _checked(request: SpawnRequest, section: str, **known: int | str) -> dict[str, Any]:
    """Return the keys of an entry of world.yaml, with defaults."""
    try:
        values = yaml_values(request.description, may_have_aliases=False, max_size=_MAX_DESCRIPTION) or {}
    except TextError as error:
        raise RefusedError(Refusal.BAD_DESCRIPTION, f"resource_string is not YAML: {error}") from error
    if not isinstance(values, dict):
        raise RefusedError(Refusal.BAD_DESCRIPTION, f"resource_string {shortened(request.description)!r} has no keys")
    x_m, y_m, heading_rad = request.place
    complete = {**values, **known, "x_m": x_m, "y_m": y_m, "heading_rad": heading_rad}
    try:
        return check_values("resource_string", complete, world_schema()["properties"][section]["items"])
    except SettingsError as error:
        raise RefusedError(Refusal.BAD_DESCRIPTION, str(error)) from error
