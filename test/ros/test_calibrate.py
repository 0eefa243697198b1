"""The command `thymio-fleet calibrate`, on a robot of the simulator in real time."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fleet.settings.calibration_file import load_calibrations
from fleet.settings.config import load_config
from harness.ros.running_fleet import RunningFleet
from thymio_base.shipped_files import shipped_file


def calibrate(config: Path, *arguments: str, timeout_s: float = 180.0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fleet.commands.main", "calibrate", "--config", str(config), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)


def test_robot_served_by_a_driver_is_not_calibrated(fleet: RunningFleet) -> None:
    result = calibrate(fleet.config, "1")
    assert result.returncode == 1
    assert "a driver serves robot 1; stop it first" in result.stderr


def target(config: Path) -> str:
    return load_config(config).link.targets[0]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["77"], "robot 77 is not in"),
        (["1", "--area", "0,0,1"], "'0,0,1' is not X1,Y1,X2,Y2"),
        (["1", "--area", "1,0,0,1"], "'1,0,0,1' has no inside"),
        (["1", "--straight", "0.1"], "2 rounds of 0.1 m: at least 1 of 0.2 m is needed"),
        (["1", "--method", "line", "--lines-apart", "0.05"], "lines 0.05 m apart are nearer than 0.15 m"),
        (["1", "--method", "wall-rear", "--gap", "1"], "gap of 1.0 m to the wall is not within 0 to 0.05 m"),
    ],
)
def test_usage_errors_are_reported_before_a_robot_is_sought(arguments: list[str], problem: str) -> None:
    result = calibrate(shipped_file("fleet.yaml"), *arguments)
    assert result.returncode != 0
    assert problem in result.stderr


def test_proximity_sensors_are_calibrated_at_a_wall(tmp_path: Path) -> None:
    fleet = RunningFleet(tmp_path)
    wall = "walls: [{x1_m: 1.1, y1_m: 0.5, x2_m: 1.1, y2_m: 1.5}]\nproximity: {response: smooth}\n"
    fleet.world.write_text(f"{fleet.world.read_text()}\n{wall}")
    fleet.start_simulator()
    try:
        result = calibrate(fleet.config, "1", "--method", "wall-front", "--gap", "0.0205")
        assert result.returncode == 0, result.stderr
    finally:
        fleet.close()
    sensors = load_calibrations(tmp_path / "calibration.yaml")[1].proximity
    assert set(sensors) == {"left", "center_left", "center", "center_right", "right"}
    assert sensors["center"].range_m(2142) == pytest.approx(0.09, abs=0.004)  # Enki's model
    assert "needs `calibration_file: " in result.stdout
    steps = result.stdout.splitlines()
    assert steps[:2] == ["looking for the robot", f"found node 1 on {target(fleet.config)}"]
    assert steps[2] == "leg 1 of 2: away from the wall, 160 mm"
    assert steps[4] == "leg 2 of 2: back towards the wall, 155 mm"
    assert ElementTree.parse(tmp_path / "calibration_robot_1_wall-front.svg").getroot().tag.endswith("svg")
