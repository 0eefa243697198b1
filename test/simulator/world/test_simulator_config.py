"""The world file: all problems are reported together, with their lines."""

from pathlib import Path

import pytest
from PIL import Image

from simulator.errors import WorldError
from simulator.physics.objects import ObjectShape
from simulator.sensors.batteries import ChargerConfig
from simulator.sensors.microphone import SoundConfig
from simulator.sensors.proximity import ResponseKind
from simulator.world.config import LineConfig, WorldConfig, build_world, load_world

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


def test_world_contains_nothing_that_its_file_does_not(tmp_path: Path) -> None:
    config = load(tmp_path, ARENA + ROBOT)
    assert (config.ground_image, config.chargers, config.sounds, config.loudness_raw) == (None, (), (), 0)
    assert config.robots[0].charge is None


def test_object_without_a_name_is_named_by_its_place_in_the_list(tmp_path: Path) -> None:
    config = load(tmp_path, ARENA + ROBOT + "objects: [{shape: box, x_m: 0.5, y_m: 0.5}]")
    assert [item.name for item in config.objects] == ["object_1"]


def test_world_built_from_values_equals_the_one_read_from_a_file(tmp_path: Path) -> None:
    values = {"arena": {"width_m": 2.0, "height_m": 2.0}, "robots": [{"node_id": 1, "x_m": 1.0, "y_m": 1.0}]}
    assert build_world(values) == load(tmp_path, ARENA + ROBOT)


def test_values_that_do_not_fit_the_schema_are_refused() -> None:
    with pytest.raises(WorldError, match=r"world: motors\.speed_nois: unknown key, did you mean 'speed_noise'"):
        build_world({"motors": {"speed_nois": 1}})


def test_world_follows_its_file(tmp_path: Path) -> None:
    text = """motors: {stalls: true, slip: 0.05, dead_band_raw: 8, reading_noise_raw: 5}
proximity: {response: real}
chargers: [{x_m: 0.3, y_m: 0.3}]
sounds: [{x_m: 0.3, y_m: 0.3, loudness_raw: 100}]
objects:
- {name: mast, shape: cylinder, x_m: 0.5, y_m: 0.5, radius_m: 0.02, movable: false, gray: 0.2}
"""
    config = load(tmp_path, ARENA + ROBOT + text)
    assert config.motors.stalls
    assert config.proximity.response is ResponseKind.REAL
    assert config.chargers == (ChargerConfig(0.3, 0.3, 0.2, 0.2),)
    assert config.sounds == (SoundConfig(0.3, 0.3, 100),)
    (mast,) = config.objects
    assert (mast.name, mast.shape, mast.x_m, mast.y_m) == ("mast", ObjectShape.CYLINDER, 0.5, 0.5)
    assert (mast.radius_m, mast.movable, mast.gray) == (0.02, False, 0.2)


def test_picture_is_found_beside_the_file_and_fills_the_arena(tmp_path: Path) -> None:
    Image.new("L", (4, 2), 128).save(tmp_path / "floor.png")
    image = load(tmp_path, ARENA + ROBOT + "ground_image: {file: floor.png, height_m: 1.0}").ground_image
    assert image is not None
    assert image.pixels.shape == (2, 4)
    assert (image.x_m, image.y_m, image.width_m, image.height_m) == (0, 0, 2, 1)


def test_robot_may_park_close_to_a_wall(tmp_path: Path) -> None:
    load(tmp_path, ARENA + "robots: [{node_id: 1, x_m: 1.919, y_m: 0.056}]")


def test_line_is_black_and_two_centimetres_wide_by_default(tmp_path: Path) -> None:
    config = load(tmp_path, ARENA + ROBOT + "lines: [{x1_m: 0.0, y1_m: 0.5, x2_m: 1.0, y2_m: 0.5}]")
    assert config.lines == (LineConfig((0.0, 0.5, 1.0, 0.5), 0.02, 0.0),)


def test_uuid_is_derived_from_the_node_id(tmp_path: Path) -> None:
    assert load(tmp_path, ARENA + ROBOT).robots[0].uuid == bytes(15) + b"\x01"


def test_all_world_problems_are_reported_with_their_lines(tmp_path: Path) -> None:
    reported = problems(tmp_path, "arena: {width_m: 2.0, height_m: 2.0}\nmotors: {speed_nois: 1}\nseed: -1\n" + ROBOT)
    assert "world.yaml:2: motors.speed_nois: unknown key, did you mean 'speed_noise'?" in reported
    assert "world.yaml:3: seed:" in reported


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ROBOT + "- {node_id: 1, x_m: 0.5, y_m: 0.5}", "world.yaml:4: robots[1].node_id: 1 is taken by robots[0]"),
        (ROBOT + "- {node_id: 2, x_m: 1.1, y_m: 1.0}", "world.yaml:4: robots[1]: overlaps robots[0]"),
        (ROBOT + "- {node_id: 2, x_m: 0.0, y_m: 0.5}", "world.yaml:4: robots[1]: (0, 0.5) is not inside"),
        (ROBOT + "- {node_id: 2, x_m: 9.0, y_m: 0.5}", "world.yaml:4: robots[1]: (9, 0.5) is not inside"),
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
        (ROBOT + "ground_image: {file: no.png}", "ground_image.file: 'no.png': No such file or directory"),
        (ROBOT + "ground_image: {file: world.yaml}", "ground_image.file: 'world.yaml': not an image"),
        (ROBOT + "objects: [{shape: box, x_m: 1.0, y_m: 1.0}]", "world.yaml:3: robots[0]: overlaps objects[0]"),
        (ROBOT + "objects: [{shape: box, x_m: 3.0, y_m: 1.0}]", "world.yaml:4: objects[0]: (3, 1) is not inside"),
        (ROBOT + "objects: [{shape: cone, x_m: 0.5, y_m: 0.5}]", "objects[0].shape: 'cone' is"),
        (ROBOT + "objects: [{shape: box, x_m: 0.5, y_m: 0.5, mass_kg: 0}]", "objects[0].mass_kg: 0 is"),
        (
            ROBOT + "objects: [{name: a, shape: box, x_m: 0.5, y_m: 0.5}, {name: a, shape: box, x_m: 0.2, y_m: 0.5}]",
            "objects[1].name: 'a' is taken by objects[0]",
        ),
        (ROBOT + "proximity: {response: ideal}", "proximity.response: 'ideal' is"),
        (ROBOT + "battery: {charge: 2}", "battery.charge: 2 is"),
        (ROBOT + "chargers: [{x_m: 0.5, y_m: 0.5, length_m: 0}]", "chargers[0].length_m: 0 is"),
        (ROBOT + "sounds: [{x_m: 0.5, y_m: 0.5, loudness_raw: -1}]", "sounds[0].loudness_raw: -1 is"),
        (ROBOT + "loudness_raw: 256", "loudness_raw: 256 is"),
        (ROBOT + "motors: {stalls: 3}", "motors.stalls: 3 is"),
        (ROBOT + "motors: {dead_band_raw: -1}", "motors.dead_band_raw: -1 is"),
        (ROBOT + "motors: {slip_time_constant_s: 0}", "motors.slip_time_constant_s: 0 is"),
        ("robots: [{node_id: 1, x_m: 1.0, y_m: 1.0, charge: -1}]", "robots[0].charge: -1 is"),
        (ROBOT + "temperature_c: warm", "temperature_c: 'warm' is"),
        ("robots: []\n", "robots"),
        (ROBOT + "motion_capture: {latency_s: -1}", "motion_capture.latency_s: -1 is less than"),
        (ROBOT + "motors: {time_constant_s: .nan}", "motors.time_constant_s: nan is not a finite number"),
    ],
)
def test_world_problem_is_reported_with_its_key(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in problems(tmp_path, ARENA + text)


def test_uuid_equal_to_a_later_robots_default_is_reported(tmp_path: Path) -> None:
    robots = """robots:
- {node_id: 1, x_m: 1.0, y_m: 1.0, uuid: 00000000-0000-0000-0000-000000000002}
- {node_id: 2, x_m: 0.5, y_m: 0.5}
"""
    assert "is taken by robots[0]" in problems(tmp_path, ARENA + robots)


def test_missing_world_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="No such file"):
        load_world(tmp_path / "nowhere.yaml")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "objects: [{shape: cylinder, radius_m: 0.05, x_m: 1.5, y_m: 1.5, name: thymio_1}]",
            "'thymio_1' is the name of a robot",
        ),
        (
            'objects: [{shape: cylinder, radius_m: 0.05, x_m: 1.5, y_m: 1.5, name: "a "}]',
            "'a ' does not fit: it begins or ends",
        ),
        ("network: {address: local host}", "network.address: host 'local host' has ' '"),
    ],
)
def test_unusable_name_is_a_mistake(tmp_path: Path, text: str, problem: str) -> None:
    assert problem in problems(tmp_path, ARENA + ROBOT + text)
