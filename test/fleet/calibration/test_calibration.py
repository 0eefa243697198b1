"""Robots are calibrated in the closed loop, and drive straight afterwards."""

import math
import re
from pathlib import Path

import pytest

from aseba_link.thymio.events import AXLE_LENGTH_M, SPEED_UNIT_MPS, Reports
from aseba_link.thymio.sensor_events import PROXIMITY_CALIBRATION
from fleet.calibration.calibration_host import CalibrationHost
from fleet.calibration.calibration_result import poses_result
from fleet.calibration.chart_figure import charts_figure
from fleet.calibration.line_run import LineRun
from fleet.calibration.pose_run import PoseRun
from fleet.calibration.wall_run import Side, WallRun
from fleet.errors import CalibrationError
from fleet.geometry import Pose2D
from fleet.settings.calibration_file import save_calibrations
from fleet.settings.config import ArenaConfig, FleetConfig
from fleet.wheels.robot_calibration import RobotCalibration, WheelCalibration
from harness.calibration_loop import PLACE, SimulatedRobot, calibrate, drift_m
from harness.fleets import ONE_ROBOT, read

GAINS = (1.025, 0.975)  # a mismatch of 5 %
AREA = ArenaConfig(0.3, 0.6, 1.3, 1.1)  # 1 x 0.5 m
LINES = """lines:
- {x1_m: 0.5, y1_m: 0.8, x2_m: 0.5, y2_m: 1.2}
- {x1_m: 0.9, y1_m: 0.8, x2_m: 0.9, y2_m: 1.2}
"""
GROUND = Reports(ground_hz=10.0)
PROXIMITY = Reports(proximity_hz=10.0)
NOSE_M = 0.0795  # position of the simulated robot's middle front sensor, ahead of the axle
REAR_M = 0.0295


def mismatch(wheels: WheelCalibration) -> float:
    return wheels.left_unit_mps / wheels.right_unit_mps


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[SimulatedRobot, PoseRun]:
    """A robot after its calibration by poses."""
    folder = tmp_path_factory.mktemp("measured")
    config = read(folder)
    robot = SimulatedRobot(folder, gains=GAINS)
    run = PoseRun(AREA, config.robots[0].wheels, rounds=1)
    calibrate(robot, config, run, capture=run.on_pose)
    return robot, run


def calibrated(folder: Path, wheels: WheelCalibration) -> FleetConfig:
    save_calibrations(folder / "calibration.yaml", {1: RobotCalibration(1, wheels=wheels)})
    return read(folder, f"calibration_file: calibration.yaml\n{ONE_ROBOT}")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_calibration_by_poses_straightens_a_robot_with_five_per_cent_mismatch(seed: int, tmp_path: Path) -> None:
    before = read(tmp_path)
    robot = SimulatedRobot(tmp_path, seed=seed, gains=GAINS)
    run = PoseRun(AREA, before.robots[0].wheels, rounds=1)
    calibrate(robot, before, run, capture=run.on_pose)
    wheels = run.fit().wheels
    assert mismatch(wheels) == pytest.approx(GAINS[0] / GAINS[1], rel=0.001)
    assert wheels.left_unit_mps == pytest.approx(SPEED_UNIT_MPS * GAINS[0], rel=0.002)
    assert wheels.axle_length_m == pytest.approx(AXLE_LENGTH_M, rel=0.002)
    astray_m, straight_m = (
        abs(drift_m(SimulatedRobot(tmp_path, seed=seed, gains=GAINS), config))
        for config in (before, calibrated(tmp_path, wheels))
    )
    assert astray_m > 0.25
    assert straight_m < 0.05 * astray_m


def test_pose_run_logs_each_leg_and_what_it_measured(measured: tuple[SimulatedRobot, PoseRun]) -> None:
    lines = measured[1].log.pop_new()
    legs = [line for line in lines if line.startswith("leg ")]
    assert legs[0] == "leg 1 of 10: straight ahead for 0.50 m, at 100 motor units"
    assert legs[-1] == "leg 10 of 10: turn on the spot to the right, at 200 motor units"
    numbers = re.compile(r"  moved 5\d\d\.\d mm, turned -?\d+\.\d degrees; wheels counted \d+ and \d+; stands at \(")
    assert numbers.match(lines[lines.index(legs[0]) + 1])
    assert measured[1].log.pop_new() == []


@pytest.mark.slow
def test_line_run_logs_each_leg_and_what_it_measured(tmp_path: Path) -> None:
    config = read(tmp_path)
    run = LineRun(config.robots[0].wheels, 0.4)
    calibrate(SimulatedRobot(tmp_path, gains=GAINS, further=LINES), config, run, GROUND)
    lines = run.log.pop_new()
    legs = [line for line in lines if line.startswith("leg ")]
    assert legs[0] == "leg 1 of 7: 2.4 turns to the left about the left wheel"
    assert legs[-1] == "leg 7 of 7: back across both lines, 0.48 m"
    assert all(line.startswith("  counts ") for line in lines if line not in legs)


@pytest.mark.slow
def test_lines_alone_suffice_for_calibration(tmp_path: Path) -> None:
    before = read(tmp_path)
    robot = SimulatedRobot(tmp_path, gains=GAINS, further=LINES, place=Pose2D(0.505, 1.0, 0.05))
    run = LineRun(before.robots[0].wheels, lines_apart_m=0.4)
    calibrate(robot, before, run, GROUND)
    wheels = run.fit().wheels
    assert mismatch(wheels) == pytest.approx(GAINS[0] / GAINS[1], rel=0.002)
    assert wheels.right_unit_mps == pytest.approx(SPEED_UNIT_MPS * GAINS[1], rel=0.003)
    assert wheels.axle_length_m == pytest.approx(AXLE_LENGTH_M, rel=0.003)
    assert abs(drift_m(SimulatedRobot(tmp_path, gains=GAINS), calibrated(tmp_path, wheels))) < 0.015


def test_with_a_single_line_the_configured_axle_length_sets_the_scale(tmp_path: Path) -> None:
    config = read(tmp_path)
    robot = SimulatedRobot(tmp_path, gains=GAINS, further=LINES)
    run = LineRun(config.robots[0].wheels)
    calibrate(robot, config, run, GROUND)
    wheels = run.fit().wheels
    assert wheels.axle_length_m == AXLE_LENGTH_M
    assert mismatch(wheels) == pytest.approx(GAINS[0] / GAINS[1], rel=0.002)


def test_missing_line_on_the_floor_is_reported(tmp_path: Path) -> None:
    config = read(tmp_path)
    robot = SimulatedRobot(tmp_path)
    with pytest.raises(CalibrationError, match="saw no dark line"):
        calibrate(robot, config, LineRun(config.robots[0].wheels), GROUND)


@pytest.mark.parametrize(
    ("side", "place", "names"),
    [
        (
            Side.FRONT,
            Pose2D(2.0 - NOSE_M - 0.012, 1.0, 0.0),
            {"left", "center_left", "center", "center_right", "right"},
        ),
        (Side.REAR, Pose2D(REAR_M + 0.012, 1.0, 0.0), {"rear_left", "rear_right"}),
    ],
)
def test_ranges_to_a_wall_are_right_after_calibration(
    side: Side, place: Pose2D, names: set[str], tmp_path: Path
) -> None:
    config = read(tmp_path)
    wheels = WheelCalibration(SPEED_UNIT_MPS * GAINS[0], SPEED_UNIT_MPS * GAINS[1], AXLE_LENGTH_M)
    run = WallRun(wheels, side, gap_m=0.012)
    calibrate(SimulatedRobot(tmp_path, gains=GAINS, place=place), config, run, PROXIMITY)
    found, residual_m = run.fit()
    assert found.keys() == names
    assert residual_m < 0.001
    # Enki's model; the simulated side sensors point 2 degrees further outwards than those of the description
    assert all(fit.range_m(2142) == pytest.approx(0.09, abs=0.005) for fit in found.values())


def test_missing_wall_is_reported_with_the_sensors_name(tmp_path: Path) -> None:
    config = read(tmp_path)
    run = WallRun(config.robots[0].wheels, Side.FRONT)
    calibrate(SimulatedRobot(tmp_path), config, run, PROXIMITY)
    with pytest.raises(CalibrationError, match="proximity sensor left: it detected the wall in 0 readings"):
        run.fit()


def test_robot_stays_in_its_area_and_returns(measured: tuple[SimulatedRobot, PoseRun]) -> None:
    robot, _ = measured
    margin_m = 0.02
    area = ArenaConfig(
        AREA.x_min_m - margin_m, AREA.y_min_m - margin_m, AREA.x_max_m + margin_m, AREA.y_max_m + margin_m
    )
    assert all(area.contains(pose) for pose in robot.track)
    assert robot.truth().distance_to(PLACE) < 0.05


def test_robot_at_the_end_of_its_area_starts_backward(tmp_path: Path) -> None:
    config = read(tmp_path)
    robot = SimulatedRobot(tmp_path, place=Pose2D(1.25, 0.9, 0.0))
    run = PoseRun(AREA, config.robots[0].wheels, rounds=1)
    host = CalibrationHost(robot.link(config), config.robots[0], run)
    while not run.stretches:
        robot.step(host.tick, run.on_pose)
    assert (run.stretches[0].start.x_m, run.stretches[0].end.x_m) == pytest.approx((1.25, 0.75), abs=0.03)


def test_without_enough_room_the_error_says_how_to_place_the_robot(tmp_path: Path) -> None:
    config = read(tmp_path)
    narrow = ArenaConfig(0.4, 0.9, 0.6, 1.1)
    run = PoseRun(narrow, config.robots[0].wheels)
    with pytest.raises(CalibrationError, match=r"only 0\.08 m ahead .* 0\.2 m are needed: place it at one end"):
        calibrate(SimulatedRobot(tmp_path), config, run, capture=run.on_pose)


def test_robot_that_no_pose_source_sees_is_not_driven(tmp_path: Path) -> None:
    config = read(tmp_path)
    robot = SimulatedRobot(tmp_path)
    with pytest.raises(CalibrationError, match="0 poses arrived in 10 s, 30 are needed"):
        calibrate(robot, config, PoseRun(AREA, config.robots[0].wheels))
    assert robot.truth() == PLACE


def test_robot_stops_when_its_poses_stop_arriving(tmp_path: Path) -> None:
    config = read(tmp_path)
    robot = SimulatedRobot(tmp_path)
    run = PoseRun(AREA, config.robots[0].wheels)

    def capture(pose: Pose2D, stamp_ns: int) -> None:
        if pose.x_m < PLACE.x_m + 0.1:
            run.on_pose(pose, stamp_ns)

    with pytest.raises(CalibrationError, match="no pose arrived for 1 s while the robot drove"):
        calibrate(robot, config, run, capture=capture)
    for _ in range(100):
        robot.step(lambda _: None)
    assert robot.truth().x_m < PLACE.x_m + 0.2
    assert abs(robot.simulation.world.wheels.speeds_mps).max() == 0.0


def test_robot_that_was_moved_by_hand_during_the_procedure_is_not_calibrated(tmp_path: Path) -> None:
    config = read(tmp_path)
    robot = SimulatedRobot(tmp_path)
    run = PoseRun(AREA, config.robots[0].wheels, rounds=1)
    carried: list[float] = []

    def capture(pose: Pose2D, stamp_ns: int) -> None:
        if len(run.stretches) == 3 and not carried:
            carried.append(0.2)
            robot.simulation.world.poses.positions_m[0] += 0.2
        run.on_pose(pose, stamp_ns)

    calibrate(robot, config, run, capture=capture)
    with pytest.raises(CalibrationError, match="was the robot pushed"):
        run.fit()


def test_result_is_reported_and_drawn(measured: tuple[SimulatedRobot, PoseRun]) -> None:
    _, run = measured
    nominal = WheelCalibration(SPEED_UNIT_MPS, SPEED_UNIT_MPS, AXLE_LENGTH_M)
    known = RobotCalibration(1, node_id=1, proximity={"center": PROXIMITY_CALIBRATION})
    result = poses_result(run, known, nominal, "2026-11-21")
    assert (result.robot.proximity, result.robot.wheels) == (known.proximity, run.fit().wheels)
    assert result.robot.wheels_record.date == "2026-11-21"
    assert any(line.startswith("with the old values, a metre straight ahead ended 26") for line in result.lines)
    titles = [axes.get_title() for axes in charts_figure(result.charts).axes]
    assert titles == [
        "Ends of the straights, relative to wheel odometry",
        "Headings of all stretches, relative to wheel odometry",
    ]


def test_unreachable_robot_is_reported(tmp_path: Path) -> None:
    config = read(tmp_path, "robots:\n- {id: 1, node_id: 9, home: {x_m: 0, y_m: 0}}\n")
    run = PoseRun(AREA, config.robots[0].wheels)
    with pytest.raises(CalibrationError, match="robot 1 cannot be reached: no answer"):
        calibrate(SimulatedRobot(tmp_path), config, run, capture=run.on_pose)


def test_without_a_calibration_file_the_robot_uses_the_values_of_the_fleet_file(tmp_path: Path) -> None:
    config = read(tmp_path, f"body: {{axle_length_m: 0.1, speed_unit_mps: 0.0003}}\n{ONE_ROBOT}")
    assert config.robots[0].wheels == WheelCalibration(0.0003, 0.0003, 0.1)
    assert math.isclose(config.robots[0].wheels.max_wheel_mps, 0.15)
