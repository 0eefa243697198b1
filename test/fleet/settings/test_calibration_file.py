from pathlib import Path

import pytest

from aseba_link.thymio.sensor_events import PROXIMITY_CALIBRATION, ProximityCalibration
from fleet.errors import ConfigError
from fleet.settings.calibration_file import calibration_schema, load_calibrations, save_calibrations
from fleet.wheels.robot_calibration import Record, RobotCalibration, WheelCalibration
from harness.fleets import ONE_ROBOT, read

WHEELS = WheelCalibration(0.00034, 0.00032, 0.0935)
SENSOR = ProximityCalibration(4400.0, 0.0002, 0.007, 0.02, 0.12, 0.3)
CALIBRATED = f"calibration_file: calibration.yaml\n{ONE_ROBOT}"


def test_calibration_survives_writing_and_reading(tmp_path: Path) -> None:
    robots = {
        3: RobotCalibration(
            3,
            node_id=7,
            uuid="00112233445566778899aabbccddeeff",
            wheels=WHEELS,
            wheels_record=Record("2026-11-21", "poses, 20 stretches", 0.0004),
            proximity={"center": SENSOR},
            proximity_record=Record("2026-11-20", "wall", 0.001),
        ),
        1: RobotCalibration(1, wheels=WHEELS),
    }
    save_calibrations(tmp_path / "calibration.yaml", robots)
    assert load_calibrations(tmp_path / "calibration.yaml") == robots


def test_uncalibrated_sensors_use_the_built_in_model() -> None:
    calibrations = RobotCalibration(1, proximity={"center": SENSOR}).proximity_calibrations
    assert calibrations == (*(PROXIMITY_CALIBRATION,) * 2, SENSOR, *(PROXIMITY_CALIBRATION,) * 4)


def test_five_mistakes_are_reported_together_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "calibration.yaml"
    path.write_text("""robots:
- id: 1
  wheels: {left_unit_mps: 0.3, right_unit_mps: 0.00033, axle_length_m: 0.094}
- id: 2
  wheels: {left_unit_mps: 0.00033, right_unit_mps: 0.00033}
- id: 3
  proximity:
    centre: {max_raw: 4505, x0_m: 0.0003, c_m2: 0.0073}
- id: 4
  proximity: {center: {max_raw: 4505, x0_m: 0.0003, c_m2: 0.0073, range_min_m: 0.2}}
- id: 5
- id: 5
""")
    with pytest.raises(ConfigError) as caught:
        load_calibrations(path)
    assert [problem.removeprefix(f"{path}:") for problem in str(caught.value).splitlines()] == [
        "3: robots[0].wheels.left_unit_mps: 0.3 is greater than the maximum of 0.001",
        "5: robots[1].wheels: key 'axle_length_m' is missing",
        "8: robots[2].proximity.centre: unknown key, did you mean 'center'?",
        "10: robots[3].proximity.center: proximity calibration: range_min_m 0.2 is not below range_max_m 0.14",
        "12: robots[5].id: 5 is taken by robots[4]",
    ]


def test_driver_reads_the_calibration_file_beside_its_own(tmp_path: Path) -> None:
    save_calibrations(tmp_path / "calibration.yaml", {1: RobotCalibration(1, wheels=WHEELS)})
    config = read(tmp_path, CALIBRATED)
    assert config.robots[0].wheels == WHEELS
    assert config.calibration_text.endswith("calibration.yaml: wheels of all robots are calibrated")


def test_missing_file_is_reported_and_changes_nothing(tmp_path: Path) -> None:
    config = read(tmp_path, CALIBRATED)
    assert config.robots == read(tmp_path).robots
    assert "calibration.yaml does not exist: every robot uses `body`" in config.calibration_text


def test_robots_missing_in_the_file_are_named(tmp_path: Path) -> None:
    save_calibrations(tmp_path / "calibration.yaml", {1: RobotCalibration(1, wheels=WHEELS)})
    config = read(tmp_path, f"{CALIBRATED}- {{id: 2, node_id: 2, home: {{x_m: 1.0, y_m: 0.0}}}}\n")
    assert config.calibration_text.endswith("wheels of 1 robots are calibrated, those of 2 are not and use `body`")


@pytest.mark.parametrize(
    ("measured", "problem"),
    [
        (RobotCalibration(1, node_id=4, wheels=WHEELS), "robot 1: node 4 was measured, but the fleet's is node 1"),
        (RobotCalibration(1, node_id=1, wheels=WHEELS), ""),
    ],
)
def test_the_calibration_of_another_robot_is_refused(measured: RobotCalibration, problem: str, tmp_path: Path) -> None:
    save_calibrations(tmp_path / "calibration.yaml", {1: measured})
    found = ""
    try:
        read(tmp_path, CALIBRATED)
    except ConfigError as error:
        found = str(error)
    assert found.removeprefix(f"{tmp_path}/calibration.yaml: ") == problem


def test_unwritable_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file or directory"):
        save_calibrations(tmp_path / "nowhere" / "calibration.yaml", {})


def test_every_key_of_the_schema_is_described() -> None:
    schema = calibration_schema()
    robot = schema["properties"]["robots"]["items"]["properties"]
    parts = [robot, schema["$defs"]["sensor"]["properties"], robot["wheels"]["properties"]]
    assert [
        key for part in parts for key, value in part.items() if "description" not in value and "$ref" not in value
    ] == []
