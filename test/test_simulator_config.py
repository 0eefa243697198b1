"""The world's file: every problem is told at once, with its line."""

from pathlib import Path

import pytest

from simulator.config import LineConfig, WorldConfig, load_world
from simulator.errors import WorldError

ARENA = "arena: {width_m: 2.0, height_m: 2.0}\n"
ROBOT = "robots:\n- {node_id: 1, x_m: 1.0, y_m: 1.0}\n"


def load(folder: Path, text: str) -> WorldConfig:
    path = folder / "world.yaml"
    path.write_text(text, encoding="utf-8")
    return load_world(path)


def problems(folder: Path, text: str) -> str:
    with pytest.raises(WorldError) as caught:
        load(folder, text)
    return str(caught.value)


def test_defaults_are_filled_in(tmp_path: Path) -> None:
    config = load(tmp_path, ARENA + ROBOT)
    assert (config.network.address, config.network.port) == ("127.0.0.1", 33333)
    assert (config.motors.time_constant_s, config.motors.speed_noise) == (0.1, 0.01)
    assert (config.motion_capture.rate_hz, config.motion_capture.latency_s) == (30, 0)
    assert (config.floor_gray, config.lines, config.temperature_c) == (1, (), 22)


def test_line_is_black_and_two_centimetres_wide_by_default(tmp_path: Path) -> None:
    config = load(tmp_path, ARENA + ROBOT + "lines: [{x1_m: 0.0, y1_m: 0.5, x2_m: 1.0, y2_m: 0.5}]")
    assert config.lines == (LineConfig((0.0, 0.5, 1.0, 0.5), 0.02, 0.0),)


def test_uuid_is_made_of_the_node_id(tmp_path: Path) -> None:
    assert load(tmp_path, ARENA + ROBOT).robots[0].uuid == bytes(15) + b"\x01"


def test_all_problems_are_told_with_their_lines(tmp_path: Path) -> None:
    told = problems(tmp_path, "arena: {width_m: 2.0, height_m: 2.0}\nmotors: {speed_nois: 1}\nseed: -1\n" + ROBOT)
    assert "world.yaml:2: motors.speed_nois: unknown key, did you mean 'speed_noise'?" in told
    assert "world.yaml:3: seed:" in told


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ROBOT + "- {node_id: 1, x_m: 0.5, y_m: 0.5}", "world.yaml:4: robots[1].node_id: 1 is taken by robots[0]"),
        (ROBOT + "- {node_id: 2, x_m: 1.1, y_m: 1.0}", "world.yaml:4: robots[1]: overlaps robots[0]"),
        (ROBOT + "- {node_id: 2, x_m: 0.0, y_m: 0.5}", "world.yaml:4: robots[1]: (0.0, 0.5) is not inside"),
        (ROBOT + "- {node_id: 2, x_m: 9.0, y_m: 0.5}", "world.yaml:4: robots[1]: (9.0, 0.5) is not inside"),
        (
            ROBOT + "- {node_id: 2, x_m: 0.5, y_m: 0.5, uuid: 00000000-0000-0000-0000-000000000001}",
            "robots[1].uuid: 00000000000000000000000000000001 is taken by robots[0]",
        ),
        (
            ROBOT + "walls: [{x1_m: 1.0, y1_m: 0.0, x2_m: 1.0, y2_m: 2.0}]",
            "world.yaml:3: robots[0]: stands in walls[0]",
        ),
        (
            ROBOT + "lines: [{x1_m: 1.0, y1_m: 1.0, x2_m: 1.0, y2_m: 1.0}]",
            "world.yaml:4: lines[0]: both ends are the same point",
        ),
        (ROBOT + "lines: [{x1_m: 1.0, y1_m: 0.0, x2_m: 1.0, y2_m: 1.0, width_m: 0}]", "lines[0].width_m: 0 is"),
        (ROBOT + "lines: [{x1_m: 1.0, y1_m: 0.0, x2_m: 1.0, y2_m: 1.0, gray: 2}]", "lines[0].gray: 2 is"),
        (ROBOT + "floor_gray: 1.5", "floor_gray: 1.5 is"),
        (ROBOT + "temperature_c: warm", "temperature_c: 'warm' is"),
        ("robots: []\n", "robots"),
        (ROBOT + "motion_capture: {latency_s: -1}", "motion_capture.latency_s: -1 is less than"),
        (ROBOT + "motors: {time_constant_s: .nan}", "motors.time_constant_s: nan is not a finite number"),
    ],
)
def test_problem_is_told_with_its_key(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in problems(tmp_path, ARENA + text)


def test_uuid_that_an_earlier_robot_took_from_a_later_one_is_told(tmp_path: Path) -> None:
    robots = """robots:
- {node_id: 1, x_m: 1.0, y_m: 1.0, uuid: 00000000-0000-0000-0000-000000000002}
- {node_id: 2, x_m: 0.5, y_m: 0.5}
"""
    assert "is taken by robots[0]" in problems(tmp_path, ARENA + robots)


def test_file_that_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="No such file"):
        load_world(tmp_path / "nowhere.yaml")
