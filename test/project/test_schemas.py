"""Keys, types and choices of fleet.yaml and of worlds are the same in their schemas and in the classes of the code."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from types import NoneType
from typing import Any, Final, get_args, get_origin, get_type_hints

import pytest

from fleet.settings.config import FleetConfig
from simulator.world.config import WorldConfig

ROOT = Path(__file__).parents[2]
FILES: Mapping[str, type] = {
    "fleet/settings/fleet.schema.json": FleetConfig,
    "simulator/world/world.schema.json": WorldConfig,
}
TYPES: Mapping[str, Any] = {"number": float, "integer": int, "boolean": bool, "string": str}

# Sections that become something else: limits with the axle, areas, frames, a picture, what a robot is made of.
OTHERWISE = frozenset({"floor", "motion", "following", "motion_capture", "motors", "ground_image"})


def section_type(annotation: Any) -> Any:
    """Return a type without None and Final."""
    annotation = get_args(annotation)[0] if get_origin(annotation) is Final else annotation
    choices = [one for one in get_args(annotation) if one is not NoneType]
    return choices[0] if NoneType in get_args(annotation) else annotation


def sections(schema: Mapping[str, Any], made: type, place: str) -> Iterator[tuple[str, Mapping[str, Any], type]]:
    """Yield each object of a schema that the code keeps as a class, with its place and that class."""
    hints = get_type_hints(made)
    for key, part in schema["properties"].items():
        inner = section_type(hints[key]) if key in hints else None
        if "properties" in part and isinstance(inner, type) and is_dataclass(inner):
            yield f"{place}{key}", part, inner
            yield from sections(part, inner, f"{place}{key}.")


SECTIONS = [
    pytest.param(part, made, id=f"{Path(name).name}: {key}")
    for name, top in FILES.items()
    for key, part, made in sections(json.loads((ROOT / name).read_text(encoding="utf-8")), top, "")
    if key not in OTHERWISE
]


@pytest.mark.parametrize(("part", "made"), SECTIONS)
def test_class_has_the_keys_of_its_section(part: Mapping[str, Any], made: type) -> None:
    assert {one.name for one in fields(made)} == set(part["properties"])


@pytest.mark.parametrize(("part", "made"), SECTIONS)
def test_fields_have_the_types_and_choices_of_their_keys(part: Mapping[str, Any], made: type) -> None:
    hints = get_type_hints(made)
    for key, value in part["properties"].items():
        kept = section_type(hints[key])
        if isinstance(kept, type) and issubclass(kept, Enum):
            assert [one.value for one in kept] == value["enum"], key
        elif "enum" in value:
            assert kept is str, key
        elif value.get("type") in TYPES and not is_dataclass(kept):
            assert kept is TYPES[value["type"]], key
        elif value.get("type") == "array":
            assert get_origin(kept) is tuple, key


def test_most_sections_are_compared() -> None:
    assert len(SECTIONS) >= 20
