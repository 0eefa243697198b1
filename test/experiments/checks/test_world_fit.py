"""A fleet and a world are checked together."""

from pathlib import Path

import pytest

from experiments.checks.file_check import FileCheck, check_file
from experiments.checks.file_kind import FileKind
from simulator.world.config import read_world

WORLD = """
arena: {width_m: 3, height_m: 2}
walls: [{x1_m: 0.4, y1_m: 1.5, x2_m: 0.6, y2_m: 1.5}]
objects: [{name: crate, shape: box, x_m: 2.0, y_m: 1.5, movable: false}]
robots:
- {node_id: 1, x_m: 0.5, y_m: 0.5}
- {node_id: 2, x_m: 1.5, y_m: 0.5, uuid: 00112233-4455-6677-8899-aabbccddeeff}
"""
ONE = "- {id: 1, node_id: 1, home: {x_m: 0.5, y_m: 0.5}}\n"
TWO = "- {id: 2, node_id: 2, home: {x_m: 1.5, y_m: 0.5}}\n"
FLOOR = """floor:
  walls: [{x1_m: 0.4, y1_m: 1.5, x2_m: 0.6, y2_m: 1.5}]
  keep_out:
  - [{x_m: 1.975, y_m: 1.475}, {x_m: 2.025, y_m: 1.475}, {x_m: 2.025, y_m: 1.525}, {x_m: 1.975, y_m: 1.525}]
"""
LOCAL = "tcp:host=127.0.0.1;port=33333"


def checked(folder: Path, fleet: str, world: str = WORLD) -> FileCheck:
    """Return what a check of a fleet together with a world finds."""
    (folder / "fleet.yaml").write_text(fleet, encoding="utf-8")
    (folder / "world.yaml").write_text(world, encoding="utf-8")
    return check_file(folder / "fleet.yaml", FileKind.FLEET, read_world(folder / "world.yaml"))


def mistakes(folder: Path, fleet: str, world: str = WORLD) -> list[str]:
    found = checked(folder, fleet, world).mistakes
    return [line.replace(f"{folder}/", "").removeprefix("fleet.yaml:") for line in found]


def warnings(folder: Path, fleet: str, world: str = WORLD) -> list[str]:
    found = checked(folder, fleet if "floor:" in fleet else f"{fleet}{FLOOR}", world)
    assert found.mistakes == ()
    return [line.replace(f"{folder}/", "").removeprefix("fleet.yaml:") for line in found.warnings]


def test_fleet_that_fits_has_neither_mistakes_nor_warnings(tmp_path: Path) -> None:
    assert warnings(tmp_path, f"robots:\n{ONE}{TWO}") == []


@pytest.mark.parametrize(
    "target",
    [
        LOCAL,
        "tcp:localhost;33333",
        "tcp:host=127.0.0.2;port=33333",
        "tcp:host=lab-pc;port=33333",  # names are not resolved
    ],
)
def test_target_that_may_reach_the_world_is_accepted(tmp_path: Path, target: str) -> None:
    assert mistakes(tmp_path, f"link: {{targets: ['{target}']}}\nrobots:\n{ONE}{TWO}") == []


@pytest.mark.parametrize("target", ["tcp:localhost;40000", "tcp:192.168.1.5;33333", "ser:name=Thymio"])
def test_target_that_does_not_reach_the_world_is_a_mistake(tmp_path: Path, target: str) -> None:
    assert mistakes(tmp_path, f"link: {{targets: ['{target}']}}\nrobots:\n{ONE}{TWO}") == [
        f"1: link.targets[0]: {target} does not reach world.yaml, which listens on 127.0.0.1, port 33333"
    ]


def test_world_on_all_interfaces_is_reached_at_any_address(tmp_path: Path) -> None:
    world = f"network: {{address: 0.0.0.0}}{WORLD}"
    assert mistakes(tmp_path, f"link: {{targets: ['tcp:192.168.1.5;33333']}}\nrobots:\n{ONE}{TWO}", world) == []


@pytest.mark.parametrize(
    ("address", "target", "reaches"),
    [
        ("::1", "tcp:host=::1;port=33333", True),
        ("::1", "tcp:localhost;33333", True),
        ("::1", LOCAL, False),
        ("::", LOCAL, True),
        ("0.0.0.0", "tcp:host=::1;port=33333", False),
    ],
)
def test_target_of_ipv6_reaches_a_world_on_ipv6(tmp_path: Path, address: str, target: str, reaches: bool) -> None:
    world = f'network: {{address: "{address}"}}{WORLD}'
    found = mistakes(tmp_path, f"link: {{targets: ['{target}']}}\nrobots:\n{ONE}{TWO}", world)
    assert (found == []) == reaches


def test_world_on_any_free_port_is_a_warning(tmp_path: Path) -> None:
    assert warnings(tmp_path, f"robots:\n{ONE}{TWO}", f"network: {{port: 0}}{WORLD}") == [
        "1: link.targets: not checked: world.yaml listens on any free port (network.port: 0)"
    ]


def test_node_that_the_world_does_not_have_is_a_mistake(tmp_path: Path) -> None:
    text = f"robots:\n{ONE}- {{id: 2, node_id: 9, home: {{x_m: 1.5, y_m: 0.5}}}}\n"
    assert mistakes(tmp_path, text) == [
        "3: robots[1].node_id: no robot of world.yaml has node_id 9; its node ids are 1 and 2"
    ]


def test_uuid_that_the_world_does_not_have_is_a_mistake(tmp_path: Path) -> None:
    known = "- {id: 2, uuid: 00112233445566778899AABBCCDDEEFF, home: {x_m: 1.5, y_m: 0.5}}\n"
    unknown = known.replace("00112233", "11112233").replace("id: 2", "id: 3").replace("1.5", "2.5")
    assert mistakes(tmp_path, f"robots:\n{ONE}{known}{unknown}") == [
        "4: robots[2].uuid: no robot of world.yaml has uuid 11112233445566778899AABBCCDDEEFF"
    ]


def test_robots_on_other_targets_need_not_be_in_the_world(tmp_path: Path) -> None:
    link = f"link: {{targets: ['{LOCAL}', 'ser:name=Thymio']}}\n"
    other = "- {id: 7, node_id: 7, target: 'ser:name=Thymio', home: {x_m: 9, y_m: 9}}\n"
    assert mistakes(tmp_path, f"{link}robots:\n{ONE}{TWO}{other}") == []


def test_robot_of_the_world_that_the_fleet_does_not_list_is_a_warning(tmp_path: Path) -> None:
    assert warnings(tmp_path, f"robots:\n{ONE}") == [
        "1: robots: node 2 of world.yaml is not a robot of this fleet, and will stand still"
    ]


@pytest.mark.parametrize(
    ("home", "problem"),
    [
        ("x_m: 2.05, y_m: 1.5", "a robot at (2.05, 1.5) overlaps the object 'crate' of world.yaml"),
        ("x_m: 0.5, y_m: 1.5", "a robot at (0.5, 1.5) stands in walls[0] of world.yaml"),
        ("x_m: 2.95, y_m: 1.0", "a robot at (2.95, 1) is not inside world.yaml, 3 m by 2 m"),
        ("x_m: 4, y_m: 1", "a robot at (4, 1) is not inside world.yaml, 3 m by 2 m"),
    ],
)
@pytest.mark.parametrize("key", ["home", "initial_pose"])
def test_place_without_room_is_a_mistake(tmp_path: Path, key: str, home: str, problem: str) -> None:
    rest = "home: {x_m: 1.5, y_m: 0.5}, " if key == "initial_pose" else ""
    text = f"robots:\n{ONE}- {{id: 2, node_id: 2, pose_topic: p, {rest}{key}: {{{home}}}}}\n"
    assert mistakes(tmp_path, text) == [f"3: robots[1].{key}: {problem}"]


def test_homes_in_which_bodies_overlap_are_a_mistake(tmp_path: Path) -> None:
    facing = "- {id: 2, node_id: 2, pose_topic: p, home: {x_m: 0.65, y_m: 0.5, heading_rad: 3.14}}\n"
    assert mistakes(tmp_path, f"traffic: {{enabled: false}}\nrobots:\n{ONE}{facing}") == [
        "4: robots[1].home: a robot at (0.65, 0.5) overlaps the robot at the home of robots[0]"
    ]


def test_arena_beyond_the_walls_is_a_mistake(tmp_path: Path) -> None:
    arena = "arena: {x_min_m: -0.1, y_min_m: 0, x_max_m: 3, y_max_m: 2.5}\n"
    assert mistakes(tmp_path, f"{arena}robots:\n{ONE}{TWO}") == [
        "1: arena.x_min_m: -0.1 is beyond the wall of world.yaml at 0",
        "1: arena.y_max_m: 2.5 is beyond the wall of world.yaml at 2",
    ]


def test_robot_without_pose_source_that_starts_elsewhere_is_a_warning(tmp_path: Path) -> None:
    moved = TWO.replace("1.5", "1.6")
    assert warnings(tmp_path, f"robots:\n{ONE}{moved}") == [
        "3: robots[1].home: without a pose_topic (1.6, 0.5) is assumed, but in world.yaml it is at (1.5, 0.5)"
    ]


def test_pose_topic_of_another_node_is_a_mistake(tmp_path: Path) -> None:
    text = f"robots:\n{ONE}{TWO.replace('home', 'pose_topic: /mocap/thymio_1/pose, home')}"
    assert mistakes(tmp_path, text) == ["3: robots[1].pose_topic: /mocap/thymio_1/pose belongs to node 1, not 2"]


def test_pose_topic_without_motion_capture_is_a_warning(tmp_path: Path) -> None:
    text = f"robots:\n{ONE}{TWO.replace('home', 'pose_topic: /mocap/thymio_2/pose, home')}"
    assert warnings(tmp_path, text, f"motion_capture: {{enabled: false}}{WORLD}") == [
        "3: robots[1].pose_topic: nothing publishes it: motion_capture.enabled of world.yaml is false"
    ]


def test_mistakes_of_a_file_do_not_hide_those_of_the_pair(tmp_path: Path) -> None:
    text = f"link: {{lost_grace_s: -1}}\nrobots:\n{ONE}- {{id: x, node_id: 9, home: {{x_m: 9, y_m: 0.5}}}}\n"
    assert mistakes(tmp_path, text, WORLD.replace("x_m: 0.5", "x_m: here")) == [
        "1: link.lost_grace_s: -1 is less than the minimum of 0",
        "4: robots[1].id: 'x' is not of type 'integer'",
        "4: robots[1].node_id: no robot of world.yaml has node_id 9; its node ids are 1 and 2",
        "4: robots[1].home: a robot at (9, 0.5) is not inside world.yaml, 3 m by 2 m",
    ]


def test_charger_outside_of_the_fleets_arena_is_a_warning(tmp_path: Path) -> None:
    arena = "arena: {x_min_m: 0, y_min_m: 0, x_max_m: 2, y_max_m: 2}\n"
    world = f"chargers: [{{x_m: 1, y_m: 1}}, {{x_m: 2.5, y_m: 1}}]{WORLD}"
    assert warnings(tmp_path, f"{arena}robots:\n{ONE}{TWO}", world) == [
        "1: arena: no goal can lead to chargers[1] of world.yaml at (2.5, 1), which is outside"
    ]


def test_charger_on_which_no_robot_fits_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "world.yaml").write_text(f"chargers: [{{x_m: 4, y_m: 1}}, {{x_m: 2, y_m: 1.5}}]{WORLD}")
    assert [line.partition(": ")[2] for line in check_file(tmp_path / "world.yaml").warnings] == [
        "chargers[0]: its middle, (4, 1), is outside the arena",
        "chargers[1]: no robot can stand on its middle, (2, 1.5), without overlapping something fixed",
    ]


def test_walls_and_fixed_objects_that_the_fleet_lacks_are_named(tmp_path: Path) -> None:
    assert warnings(tmp_path, f"floor: {{}}\nrobots:\n{ONE}{TWO}") == [
        "1: floor: it lacks walls[0], the object 'crate' of world.yaml, so robots will run into "
        "them; `thymio-fleet floor world.yaml --write FLEET` adds all of them"
    ]


def test_partly_known_wall_is_named(tmp_path: Path) -> None:
    floor = FLOOR.replace("x2_m: 0.6", "x2_m: 0.5")
    assert "lacks walls[0] of" in warnings(tmp_path, f"{floor}robots:\n{ONE}{TWO}")[0]


def test_only_some_of_many_missing_walls_are_named(tmp_path: Path) -> None:
    walls = ", ".join(f"{{x1_m: 2.5, y1_m: {y_m}, x2_m: 2.6, y2_m: {y_m}}}" for y_m in (0.2, 0.4, 0.6, 0.8, 1.0))
    world = WORLD.replace("walls: [", f"walls: [{walls}, ")
    assert "lacks walls[0], walls[1], walls[2] and 2 more of" in warnings(tmp_path, f"robots:\n{ONE}{TWO}", world)[0]


def test_charger_that_is_too_near_to_a_home_is_a_warning(tmp_path: Path) -> None:
    world = f"chargers: [{{x_m: 0.6, y_m: 0.5}}, {{x_m: 1.5, y_m: 0.5}}]{WORLD}"
    assert warnings(tmp_path, f"robots:\n{ONE}{TWO}", world) == [
        " the home of robot 1 and chargers[0] of world.yaml are 0.100 m apart: robots need 0.165 m"
    ]
