"""The command `thymio-fleet floor`."""

from pathlib import Path

import pytest
import yaml

from experiments.checks.floor_command import FloorSectionError, with_floor
from experiments.checks.world_floor import floor_of
from fleet.commands.main import main
from fleet.settings.config import load_config
from simulator.world.config import load_world
from thymio_base.shipped_files import shipped_file

WORLD = """
arena: {width_m: 2, height_m: 1}
walls: [{x1_m: 1, y1_m: 0, x2_m: 1, y2_m: 0.5}]
objects:
- {name: box, shape: box, x_m: 0.3, y_m: 0.8, length_m: 0.2, width_m: 0.1, height_m: 0.1, movable: false}
- {name: drum, shape: cylinder, x_m: 1.5, y_m: 0.8, radius_m: 0.1, height_m: 0.1, movable: false}
- {name: duck, shape: cylinder, x_m: 1.5, y_m: 0.3, radius_m: 0.05, height_m: 0.1}
robots: [{node_id: 1, x_m: 0.3, y_m: 0.3}]
"""
ROBOTS = "robots: # ours\n- {id: 1, node_id: 1, home: {x_m: 0.3, y_m: 0.3}}\n"
SECTION = "floor: # new\n  walls: []\n"


@pytest.fixture
def world(tmp_path: Path) -> Path:
    file = tmp_path / "world.yaml"
    file.write_text(WORLD, encoding="utf-8")
    return file


def test_walls_and_immovable_objects_are_printed_as_a_section(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["floor", str(world)]) == 0
    floor = yaml.safe_load(capsys.readouterr().out)["floor"]
    assert floor["walls"] == [{"x1_m": 1, "y1_m": 0, "x2_m": 1, "y2_m": 0.5}]
    assert [len(area) for area in floor["keep_out"]] == [4, 12]


def test_polygon_around_a_cylinder_contains_it(world: Path) -> None:
    config = load_world(world)
    drum = config.objects[1]
    corners = floor_of(config).keep_out[1]
    middles = [
        (0.5 * (x1_m + x2_m) - drum.x_m, 0.5 * (y1_m + y2_m) - drum.y_m)
        for (x1_m, y1_m), (x2_m, y2_m) in zip(corners, (*corners[1:], corners[0]), strict=True)
    ]
    assert min((x_m**2 + y_m**2) ** 0.5 for x_m, y_m in middles) >= drum.radius_m


def test_section_is_written_into_a_fleet(world: Path, tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.yaml"
    fleet.write_text(ROBOTS, encoding="utf-8")
    assert main(["floor", str(world), "--write", str(fleet)]) == 0
    assert load_config(fleet).floor == floor_of(load_world(world))


def test_fleet_whose_home_is_in_a_wall_is_left_as_it_is(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fleet = tmp_path / "fleet.yaml"
    text = ROBOTS.replace("0.3, y_m", "0.98, y_m")
    fleet.write_text(text, encoding="utf-8")
    assert main(["floor", str(world), "--write", str(fleet)]) == 2
    assert (fleet.read_text(encoding="utf-8"), "robots[0].home" in capsys.readouterr().err) == (text, True)


def test_file_that_does_not_exist_is_named(world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "missing.yaml"
    assert main(["floor", str(world), "--write", str(missing)]) == 2
    assert str(missing) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"# mine\nfloor:\n  walls: [] # old\n\n# robots\n{ROBOTS}", f"# mine\n{SECTION}\n# robots\n{ROBOTS}"),
        (f"floor: {{}}\n{ROBOTS}", f"{SECTION}{ROBOTS}"),
        (f"{ROBOTS}\nfloor:\n  walls: []\n", f"{ROBOTS}\n{SECTION}"),
        (f"arena: {{a: 1}} # ours\n\n{ROBOTS}", f"arena: {{a: 1}} # ours\n\n{SECTION}\n{ROBOTS}"),
        (f"# mine\n{ROBOTS}", f"# mine\n{SECTION}\n{ROBOTS}"),
    ],
    ids=["replaced", "replaced in one line", "replaced at the end", "after the arena", "first"],
)
def test_section_has_its_place_and_everything_else_stays(before: str, after: str) -> None:
    assert with_floor(before, SECTION, "fleet.yaml") == after


def test_file_in_braces_is_refused() -> None:
    with pytest.raises(FloorSectionError, match=r"fleet\.yaml: no section starts"):
        with_floor("{robots: []}\n", SECTION, "fleet.yaml")


@pytest.mark.parametrize("name", ["factory", "lab_table", "maze"])
def test_floors_of_the_examples_match_their_worlds(name: str) -> None:
    fleet = load_config(shipped_file(f"{name}_fleet.yaml", "examples/worlds"))
    assert fleet.floor == floor_of(load_world(shipped_file(f"{name}.yaml", "examples/worlds")))
