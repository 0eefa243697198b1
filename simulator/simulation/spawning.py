"""Spawns robots and objects, described and checked like entries of world.yaml."""

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
_LONGEST_NAME = 100  # characters
_GIVEN = {
    **dict.fromkeys(("x_m", "y_m", "heading_rad"), "initial_pose"),
    "shape": "uri",
    "name": "the request",
}  # keys of world.yaml that are fields of the request
_ROBOT_NAME = re.compile("thymio_([1-9][0-9]{0,4})")


@dataclass(frozen=True, slots=True)
class SpawnRequest:
    """A request to add an entity: one of `KINDS`, a name, a place, and further keys of world.yaml as YAML."""

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
        raise RefusedError(Refusal.UNKNOWN_KIND, f"uri {shortened(request.kind)!r} is not one of {', '.join(KINDS)}")
    own = _described(request)
    if request.kind == "thymio":
        return control.spawn_robot(
            build_robot(_checked(request, "robots", own, node_id=_node_id(control, request, own)))
        )
    name = request.name
    if request.may_rename and (not name or control.has(name)):
        name = control.free_name(name or request.kind)
    if not name:
        raise RefusedError(Refusal.BAD_NAME, "name is empty, and allow_renaming is false")
    if len(name) > _LONGEST_NAME:
        raise RefusedError(Refusal.BAD_NAME, f"name {shortened(name)!r} has more than {_LONGEST_NAME} characters")
    return control.spawn_object(build_object(_checked(request, "objects", own, name=name, shape=request.kind)))


def _node_id(control: Control, request: SpawnRequest, own: dict[str, Any]) -> Any:
    """Return the node id from the description or the robot's name, or a free one if another name is allowed."""
    match = _ROBOT_NAME.fullmatch(request.name)
    if "node_id" in own:
        if request.name and request.name != f"thymio_{own['node_id']}":
            text = f"name {request.name!r} and node_id {own['node_id']} differ; leave one of them out"
            raise RefusedError(Refusal.BAD_NAME, text)
        return own["node_id"]
    if match is not None and not (request.may_rename and control.has(request.name)):
        return whole_number(match.group(1))
    if request.may_rename:
        return control.free_node_id()
    shown = shortened(request.name)
    raise RefusedError(Refusal.BAD_NAME, f"name {shown!r} is not thymio_ and a node id, such as thymio_9")


def _described(request: SpawnRequest) -> dict[str, Any]:
    """Return the keys in the description; keys that are also fields of the request are refused."""
    try:
        values = yaml_values(request.description, may_have_aliases=False, max_size=_MAX_DESCRIPTION) or {}
    except TextError as error:
        raise RefusedError(Refusal.BAD_DESCRIPTION, f"resource_string is not YAML: {error}") from error
    if not isinstance(values, dict):
        shown = shortened(request.description)
        raise RefusedError(Refusal.BAD_DESCRIPTION, f"resource_string {shown!r} has no keys")
    for key in values:
        if key in _GIVEN:
            raise RefusedError(
                Refusal.BAD_DESCRIPTION, f"resource_string: {key} is given by {_GIVEN[key]}; leave it out"
            )
    return values


def _checked(request: SpawnRequest, section: str, own: dict[str, Any], **known: Any) -> dict[str, Any]:
    """Return an entry of world.yaml, complete with defaults."""
    x_m, y_m, heading_rad = request.place
    complete = {**own, **known, "x_m": x_m, "y_m": y_m, "heading_rad": heading_rad}
    try:
        return check_values("resource_string", complete, world_schema()["properties"][section]["items"])
    except SettingsError as error:
        raise RefusedError(Refusal.BAD_DESCRIPTION, str(error)) from error
