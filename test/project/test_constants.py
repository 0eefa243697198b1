"""The table of constants in docs/simulator.md agrees with the code."""

import ast
import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.outlines import outline
from simulator.physics import contacts, objects, placed_bodies, wheels
from simulator.sensors import accelerometer, batteries, communication, floor, ground, microphone, proximity

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "simulator/world/world.schema.json").read_text(encoding="utf-8"))
MODULES = (
    accelerometer,
    batteries,
    communication,
    contacts,
    floor,
    ground,
    microphone,
    objects,
    outline,
    proximity,
    placed_bodies,
    wheels,
)


def rows() -> dict[str, list[str]]:
    """Return the cells of each constant's row, by its name."""
    section = (ROOT / "docs" / "simulator.md").read_text(encoding="utf-8").split("## Constants")[1]
    cells = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): row[1:] for row in cells}


TABLE = rows()


def value_of(name: str) -> Any:
    """Return a constant of the code, or the default of a setting."""
    place, _, key = name.rpartition(".")
    if name.startswith(("simulator.", "aseba_link.")):
        return getattr(importlib.import_module(place), key)
    return SCHEMA["properties"][place]["properties"][key]["default"]


@pytest.mark.parametrize("name", TABLE)
def test_documented_value_matches_the_code(name: str) -> None:
    documented = np.array(ast.literal_eval(TABLE[name][0]), dtype=float)
    assert documented == pytest.approx(np.array(value_of(name), dtype=float), rel=1e-3)


@pytest.mark.parametrize("name", TABLE)
def test_row_has_a_value_a_unit_a_meaning_and_a_source(name: str) -> None:
    assert len(TABLE[name]) == 4


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_numeric_constant_has_a_row(module: Any) -> None:
    source = ast.parse((ROOT / f"{module.__name__.replace('.', '/')}.py").read_text(encoding="utf-8"))
    targets = [node.targets[0] for node in source.body if isinstance(node, ast.Assign)]
    targets += [node.target for node in source.body if isinstance(node, ast.AnnAssign)]
    own = {target.id for target in targets if isinstance(target, ast.Name)}
    numbers = {f"{module.__name__}.{name}" for name in own if name.isupper() and not name.startswith("_")}
    assert numbers - set(TABLE) == set()
