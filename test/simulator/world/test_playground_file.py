"""Worlds of the Aseba playground: their values in centimetres are converted, and unsimulated elements are reported."""

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from simulator.errors import WorldError
from simulator.physics.objects import ObjectShape
from simulator.simulation.simulation import Simulation
from simulator.world.config import WorldConfig, load_world

ROOM = """<!DOCTYPE aseba-playground>
<aseba-playground>
  <author name="someone" email="someone at example dot org"/>
  <color name="white" r="1.0" g="1.0" b="1.0"/>
  <camera x="60" y="40" altitude="50" yaw="0" pitch="-1.5"/>
  <world w="120" h="80" color="white"/>
  {further}
  <robot type="thymio2" x="20" y="30" angle="1.5" port="34000" nodeId="7" name="first"/>
</aseba-playground>
"""


def load(folder: Path, further: str = "", text: str = ROOM) -> WorldConfig:
    path = folder / "room.playground"
    path.write_text(text.replace("{further}", further), encoding="utf-8")
    return load_world(path)


def problems(folder: Path, further: str = "", text: str = ROOM) -> str:
    with pytest.raises(WorldError) as caught:
        load(folder, further, text)
    return str(caught.value)


def test_world_and_robots_are_converted_to_metres(tmp_path: Path) -> None:
    config = load(tmp_path)
    robot = config.robots[0]
    assert (config.arena.width_m, config.arena.height_m) == (1.2, 0.8)
    assert (robot.node_id, robot.x_m, robot.y_m, robot.heading_rad) == (7, 0.2, 0.3, 1.5)
    assert (config.network.port, config.notes) == (34000, ())


def test_robots_of_older_files_are_read(tmp_path: Path) -> None:
    config = load(tmp_path, '<thymio2 x="90" y="30"/>')
    assert [(robot.node_id, robot.x_m) for robot in config.robots] == [(1, 0.9), (7, 0.2)]


def test_wall_becomes_its_four_sides(tmp_path: Path) -> None:
    config = load(tmp_path, f'<wall x="60" y="40" l1="20" l2="2" h="10" angle="{math.pi / 2}"/>')
    points = {(round(x, 6), round(y, 6)) for wall in config.walls for x, y in (wall.ends_m[:2], wall.ends_m[2:])}
    assert len(config.walls) == 4
    assert points == {(0.59, 0.3), (0.61, 0.3), (0.59, 0.5), (0.61, 0.5)}


def test_box_with_a_mass_becomes_a_movable_object(tmp_path: Path) -> None:
    config = load(tmp_path, '<wall x="60" y="40" l1="10" l2="5" h="4" mass="80" angle="0.5" color="white"/>')
    item = config.objects[0]
    assert (item.shape, item.x_m, item.y_m, item.heading_rad) == (ObjectShape.BOX, 0.6, 0.4, 0.5)
    assert (item.length_m, item.width_m, item.height_m) == (0.1, 0.05, 0.04)
    assert (item.movable, item.mass_kg, item.gray) == (True, 0.08, 1.0)


def test_cylinder_without_a_mass_never_moves(tmp_path: Path) -> None:
    red = '<color name="red" r="1" g="0" b="0"/>'
    config = load(tmp_path, f'{red}<cylinder x="60" y="40" r="3" h="10" color="red"/>')
    item = config.objects[0]
    assert (item.shape, item.radius_m, item.movable, item.gray) == (ObjectShape.CYLINDER, 0.03, False, 0.299)


def test_ground_texture_lies_on_the_whole_floor(tmp_path: Path) -> None:
    Image.new("L", (12, 8), 128).save(tmp_path / "floor.png")
    config = load(tmp_path, text=ROOM.replace('color="white"/>', 'groundTexture="floor.png"/>'))
    assert config.ground_image is not None
    assert (config.ground_image.width_m, config.ground_image.height_m) == (1.2, 0.8)


def test_ground_texture_that_is_not_a_bitmap_is_noted(tmp_path: Path) -> None:
    config = load(tmp_path, text=ROOM.replace('color="white"/>', 'groundTexture="floor.svgz"/>'))
    assert config.notes[0].endswith(
        "room.playground:6: groundTexture 'floor.svgz' is not a PNG, JPEG, BMP or GIF, and is not shown"
    )


def test_robot_stops_at_a_wall_of_a_playground(tmp_path: Path) -> None:
    text = ROOM.replace('angle="1.5"', 'angle="0"')
    simulation = Simulation(load(tmp_path, '<wall x="60" y="40" l1="2" l2="60" h="10"/>', text))
    simulation.world.wheels.targets_raw[:] = 500
    for _ in range(500):
        simulation.world.step(0.01)
    assert 0.45 < float(simulation.world.poses.truth()[0, 0]) < 0.59


def test_repeated_node_ids_are_replaced_and_noted(tmp_path: Path) -> None:
    config = load(tmp_path, '<robot x="90" y="30" port="34000" nodeId="7"/>')
    assert [robot.node_id for robot in config.robots] == [7, 1]
    assert [note.rpartition("room.playground:")[2] for note in config.notes] == [
        "8: nodeId 7 is taken by an earlier robot; this one has 1"
    ]


def test_separate_ports_are_replaced_by_the_first_one_and_noted(tmp_path: Path) -> None:
    config = load(tmp_path, '<robot x="90" y="30" port="34001" nodeId="8"/>')
    assert config.network.port == 34001
    assert config.notes[0].endswith(":8: <robot> is reached on port 34001, like the first, not 34000")


@pytest.mark.parametrize(
    ("further", "note"),
    [
        ('<door l1="40" l2="2"/>', "7: <door> is not simulated"),
        ('<area name="cage"><point x="1" y="2"/></area>', "7: <area> is not simulated"),
        ('<robot type="e-puck" x="50" y="50"/>', "7: <robot> of type 'e-puck' is not simulated"),
    ],
)
def test_unsimulated_element_is_noted_with_its_line(tmp_path: Path, further: str, note: str) -> None:
    assert load(tmp_path, further).notes == (f"{tmp_path}/room.playground:{note}",)


@pytest.mark.parametrize(
    ("further", "problem"),
    [
        ("<walll x='1'/>", "room.playground:7: walll[0]: unknown element, did you mean <wall>?"),
        ('<wall x="60" y="40" l1="20"/>', "room.playground:7: wall[0]: attribute l2 is missing"),
        ('<wall x="60" y="4O" l1="20" l2="2"/>', "room.playground:7: wall[0]: y='4O' is not a number"),
        ('<robot x="20" y="30" nodeId="0"/>', "room.playground:7: robots[0].node_id: 0 is less than"),
        ('<robot x="21" y="31" nodeId="1.5"/>', "7: robot[0]: nodeId=1.5 is not a whole number"),
    ],
)
def test_playground_problem_is_reported_with_its_line(tmp_path: Path, further: str, problem: str) -> None:
    assert problem in problems(tmp_path, further)


def test_two_playground_problems_are_reported_together(tmp_path: Path) -> None:
    reported = problems(tmp_path, '<walll x="1"/>\n<wall x="1" y="2" l1="3"/>')
    assert ":7: walll[0]: unknown element" in reported
    assert ":8: wall[0]: attribute l2 is missing" in reported


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<aseba-playground><world", "room.playground:1: not XML: "),
        ("hello", "not XML: syntax error"),
        ("<playground/>", "1: the root element is <playground>; that of a playground is <aseba-playground>"),
        ("<aseba-playground/>", "key 'arena' is missing"),
        ("<!-- " + "x" * 1_000_000 + " -->", "has 1000009 bytes; a settings file may have at most 1000000"),
    ],
)
def test_file_that_is_not_a_playground_is_reported(tmp_path: Path, text: str, problem: str) -> None:
    assert problem in problems(tmp_path, text=text)


@pytest.mark.parametrize("entity", ['<!ENTITY a "aaaa">', '<!ENTITY a SYSTEM "file:///etc/passwd">'])
def test_entities_are_refused(tmp_path: Path, entity: str) -> None:
    text = f"<!DOCTYPE aseba-playground [\n{entity}\n]>\n<aseba-playground>&a;</aseba-playground>"
    assert "room.playground:2: the entity a is declared" in problems(tmp_path, text=text)


def test_wire_colours_and_heights_do_not_matter(tmp_path: Path) -> None:
    plain = load(tmp_path, '<wall x="60" y="40" l1="20" l2="2"/>')
    full = load(tmp_path, '<wall x="60" y="40" l1="20" l2="2" h="10" color="white" mass="-1"/>')
    assert np.array_equal([wall.ends_m for wall in plain.walls], [wall.ends_m for wall in full.walls])


def test_missing_playground_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"nowhere.playground: No such file"):
        load_world(tmp_path / "nowhere.playground")
