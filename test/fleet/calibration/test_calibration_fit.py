import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aseba_link.thymio.events import MOTOR_PERIOD_S
from aseba_link.thymio.sensor_events import PROXIMITY_CALIBRATION, ProximityCalibration
from fleet.calibration.calibration_result import drift_m
from fleet.calibration.crossings import crossings
from fleet.calibration.pose_run import mean_pose, room_m
from fleet.calibration.proximity_fit import fit_proximity, readings
from fleet.calibration.wheel_fit import Stretch, excess_by_speed, fit_wheels, misses
from fleet.errors import CalibrationError
from fleet.geometry import Pose2D
from fleet.settings.config import ArenaConfig
from fleet.wheels.differential_drive import DifferentialDrive
from fleet.wheels.robot_calibration import WheelCalibration

GUESS = WheelCalibration(0.000332, 0.000332, 0.094)
UNITS = st.floats(0.0003, 0.00036)
MOVES = ((150_000, 150_000), (-150_000, -150_000), (-88_000, 88_000), (88_000, -88_000))  # half a metre, a turn


def stretches_of(wheels: WheelCalibration) -> list[Stretch]:
    """Return stretches without noise, computed by the exact arcs of `Drive`."""
    drive = DifferentialDrive(wheels.axle_length_m, 1.0)
    start = Pose2D(1.0, 2.0, 0.3)
    left_m, right_m = wheels.left_unit_mps * MOTOR_PERIOD_S, wheels.right_unit_mps * MOTOR_PERIOD_S
    return [
        Stretch(left, right, start, drive.advance(start, left * left_m, right * right_m), 300) for left, right in MOVES
    ]


@given(UNITS, UNITS, st.floats(0.088, 0.1))
def test_wheel_calibration_is_exact_without_noise(left_mps: float, right_mps: float, axle_m: float) -> None:
    truth = WheelCalibration(left_mps, right_mps, axle_m)
    fit = fit_wheels(stretches_of(truth), GUESS)
    assert fit.residual_m < 1e-9
    assert (fit.wheels.left_unit_mps, fit.wheels.right_unit_mps) == pytest.approx((left_mps, right_mps), rel=1e-6)
    assert fit.wheels.axle_length_m == pytest.approx(axle_m, rel=1e-6)


@pytest.mark.parametrize("chosen", [slice(0, 2), slice(2, 4), slice(0, 0)])
def test_fit_needs_both_straights_and_turns(chosen: slice) -> None:
    with pytest.raises(CalibrationError, match="straights and turns are needed"):
        fit_wheels(stretches_of(GUESS)[chosen], GUESS)


def test_true_wheel_calibration_leaves_no_residual() -> None:
    truth = WheelCalibration(0.00034, 0.00033, 0.095)
    assert all(math.hypot(miss.x_m, miss.y_m, miss.heading_rad) < 1e-9 for miss in misses(stretches_of(truth), truth))


def test_faster_right_wheel_bends_a_straight_into_a_parabola_to_the_left() -> None:
    truth = WheelCalibration(GUESS.left_unit_mps, 1.01 * GUESS.right_unit_mps, GUESS.axle_length_m)
    end = DifferentialDrive(truth.axle_length_m, 1.0).advance(Pose2D(0.0, 0.0, 0.0), 1.0, 1.01)
    assert drift_m(GUESS, truth) == pytest.approx(end.y_m, rel=0.02)


def test_excess_distance_is_reported_for_each_speed() -> None:
    slow = [Stretch(100, 100, Pose2D(0.0, 0.0, 0.0), Pose2D(0.000332, 0.0, 0.0), 100)]
    fast = [Stretch(100, 100, Pose2D(0.0, 0.0, 0.0), Pose2D(1.01 * 0.000332, 0.0, 0.0), 300)]
    excess = excess_by_speed([*fast, *slow], GUESS)
    assert list(excess) == [100, 300]
    assert list(excess.values()) == pytest.approx([0.0, 0.01], abs=1e-9)


def test_headings_are_averaged_as_directions() -> None:
    pose = mean_pose([Pose2D(1.0, 2.0, math.pi - 0.1), Pose2D(3.0, 2.0, -math.pi + 0.1)])
    assert (pose.x_m, pose.y_m) == (2.0, 2.0)
    assert abs(pose.heading_rad) == pytest.approx(math.pi)


@pytest.mark.parametrize(
    ("pose", "sign", "expected_m"),
    [
        (Pose2D(0.25, 0.5, 0.0), 1.0, 0.75),
        (Pose2D(0.25, 0.5, 0.0), -1.0, 0.25),
        (Pose2D(0.5, 0.5, math.pi / 4), 1.0, math.sqrt(0.5)),
        (Pose2D(1.25, 0.5, 0.0), 1.0, 0.0),
        (Pose2D(1.25, 0.5, 0.0), -1.0, 1.25),
    ],
)
def test_room_is_the_distance_to_the_edge(pose: Pose2D, sign: float, expected_m: float) -> None:
    assert room_m(ArenaConfig(0.0, 0.0, 1.0, 1.0), pose, sign) == pytest.approx(expected_m)


@given(st.floats(3000.0, 4500.0), st.floats(0.0, 0.002), st.floats(0.005, 0.01))
def test_sensor_calibration_is_exact_without_noise(max_raw: float, x0_m: float, c_m2: float) -> None:
    truth = ProximityCalibration(max_raw, x0_m, c_m2)
    distances_m = np.linspace(0.01, 0.13, 60)
    fit, residual_m = fit_proximity(distances_m, readings(truth, distances_m))
    assert residual_m < 0.0005  # ranges are computed from whole readings
    assert (fit.max_raw, fit.c_m2) == pytest.approx((max_raw, c_m2), rel=1e-5)


def test_ranges_invert_readings() -> None:
    reading = readings(PROXIMITY_CALIBRATION, np.array([0.08]))
    assert PROXIMITY_CALIBRATION.range_m(round(float(reading[0]))) == pytest.approx(0.08, abs=2e-5)


def test_readings_that_rise_with_the_distance_are_refused() -> None:
    distances_m = np.linspace(0.01, 0.13, 60)
    with pytest.raises(CalibrationError, match="do not fall with the distance"):
        fit_proximity(distances_m, 1000.0 + 20_000.0 * distances_m)


def test_a_line_is_crossed_at_its_middle() -> None:
    counts = np.column_stack((np.arange(20.0), np.arange(20.0)))
    light = [900, 900, 900, 500, 100, 100, 500, 900, 900, 900, 900, 900, 900, 100, 900, 900, 900, 900, 900, 900]
    assert [crossing.left_counts for crossing in crossings(light, counts)] == pytest.approx([4.5, 13.0])


def test_lines_at_the_start_and_end_do_not_count() -> None:
    counts = np.column_stack((np.arange(7.0), np.arange(7.0)))
    assert crossings([100, 100, 900, 900, 900, 100, 100], counts) == []


def test_small_brightness_change_is_not_a_line() -> None:
    with pytest.raises(CalibrationError, match="it read 850 to 900"):
        crossings([900, 850, 900], np.zeros((3, 2)))
