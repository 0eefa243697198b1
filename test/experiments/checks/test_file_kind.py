"""The kind of a file is recognized by its keys."""

from pathlib import Path

import pytest

from experiments.checks.file_kind import FileKind, recognize
from thymio_base.errors import SettingsError

ROOT = Path(__file__).parents[3]
HOME = "home: {x_m: 0, y_m: 0}"


def kind_of(text: str, name: str = "any.yaml") -> FileKind | None:
    likeness = recognize(Path(name), text)
    return likeness.kind if likeness.is_sufficient else None


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [
        ("config/fleet.yaml", FileKind.FLEET),
        ("examples/worlds/*_fleet.yaml", FileKind.FLEET),
        ("config/world.yaml", FileKind.WORLD),
        ("examples/worlds/*[!t].yaml", FileKind.WORLD),
        ("examples/experiments/*.yaml", FileKind.EXPERIMENT),
        ("examples/paths/*", FileKind.PATH),
        ("aseba_link/thymio/*.aesl", FileKind.SCRIPT),
    ],
)
def test_shipped_files_are_recognized(pattern: str, kind: FileKind) -> None:
    files = sorted(ROOT.glob(pattern))
    assert files
    assert {kind_of(file.read_text(encoding="utf-8"), file.name) for file in files} == {kind}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"robots: [{{id: 1, node_id: 1, {HOME}}}]", FileKind.FLEET),
        ("robots: [{id: 1, node_id: 1}]", FileKind.FLEET),
        ("robots: [{node_id: 1, x_m: 1, y_m: 1}]", FileKind.WORLD),
        ("arena: {width_m: 3, hight_m: 2}\nrobot: []", FileKind.WORLD),
        ("arena: {x_min_m: 3}", FileKind.FLEET),
        ("robots: [{id: 1, wheels: {left_unit_mps: 0.0003}}]", FileKind.CALIBRATION),
        ("title: race\nworld: {arena: {width_m: 1}}\ntaks: []", FileKind.EXPERIMENT),
        ("waypoints_m: [[0, 0], [1, 1]]\ncloesd: true", FileKind.PATH),
        ("eight", FileKind.PATH),
        ("<aseba-playground/>", FileKind.WORLD),
        ("wurld: 1", None),
        ("arena: 1\ncolour: 2\nsize: 3", None),
        ("- 1\n- 2", None),
        ("", None),
    ],
)
def test_files_with_mistakes_are_recognized(text: str, kind: FileKind | None) -> None:
    assert kind_of(text) == kind


def test_text_that_is_not_yaml_is_reported_with_its_line() -> None:
    with pytest.raises(SettingsError, match=r"any\.yaml:2: not YAML"):
        kind_of("robots:\n- [")
