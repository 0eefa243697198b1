import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.actuation.chassis import Chassis
from fleet.actuation.wheel_response import Motion, at_once
from fleet.control.tracker_config import ActuationConfig
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.localization.belief import Gains
from fleet.wheels.robot_calibration import WheelCalibration

WHEELS = WheelCalibration(0.000332, 0.000332, 0.094)
MS = 1_000_000
START = Pose2D(0.0, 0.0, 0.0)


def chassis(predicts: bool = True) -> Chassis:
    return Chassis(WHEELS, ActuationConfig(0.1, 0.0, 0, predicts, learns_latency=False, learns_gains=True))


def test_motor_units_follow_the_wheel_calibration() -> None:
    assert chassis().command(Twist2D(0.0332, 0.0)).nearest_raw == (100, 100)


@given(st.floats(-1.0, 1.0), st.floats(-20.0, 20.0))
def test_no_twist_exceeds_the_motor_limits(linear_mps: float, angular_radps: float) -> None:
    left_raw, right_raw = chassis().command(Twist2D(linear_mps, angular_radps)).nearest_raw
    assert max(abs(left_raw), abs(right_raw)) <= 500


@given(st.floats(0.2, 1.0), st.floats(-5.0, 5.0))
def test_saturated_wheels_keep_the_curvature(linear_mps: float, angular_radps: float) -> None:
    left_raw, right_raw = chassis().command(Twist2D(linear_mps, angular_radps)).nearest_raw
    turned = (right_raw - left_raw) / 0.094
    assert turned * linear_mps == pytest.approx(angular_radps * 0.5 * (left_raw + right_raw), abs=0.6 / 0.094 + 5.0)


def test_gains_correct_the_commands() -> None:
    subject = chassis()
    subject.gains = Gains(1.04, 0.97)
    left_raw, right_raw = subject.command(Twist2D(0.1, 0.0)).nearest_raw
    assert (left_raw, right_raw) == (round(0.1 / 0.000332 / 1.04), round(0.1 / 0.000332 / 0.97))


def test_gains_correct_the_reports_that_the_latency_is_learned_from() -> None:
    subject = Chassis(WHEELS, ActuationConfig(0.1, 0.0, 0, predicts=True, learns_latency=True, learns_gains=True))
    subject.gains = Gains(1.05, 1.05)
    subject.restart(0)
    for step in range(1, 201):  # alternately commanded to go and to stop; the wheels follow 0.1 s later
        subject.on_sent((300, 300) if step // 10 % 2 else (0, 0), (step - 1) * 50 * MS)
        reported_m = 0.05 * 300 * 0.000332 if step > 2 and (step - 2) // 10 % 2 else 0.0
        subject.on_wheels(reported_m, reported_m, 0.05, step * 50 * MS)
    assert subject.actuation.latency_s == pytest.approx(0.1, abs=0.001)


def test_forecast_predicts_the_motion_when_the_next_command_takes_effect() -> None:
    subject = chassis()
    subject.restart(0)
    subject.on_sent((301, 301), 0)
    forecast = subject.forecast(Motion(START, STILL), 0, 200 * MS, 0.05)
    # the command of 0 s acts from 0.1 s to 0.3 s, when a command sent at 0.2 s takes effect
    assert forecast.ahead_s == pytest.approx(0.1)
    assert forecast.then.pose.x_m == pytest.approx(0.2 * 301 * 0.000332)
    assert forecast.then.twist.linear_mps == pytest.approx(301 * 0.000332)
    assert forecast.now.pose == START


def test_without_prediction_the_forecast_is_the_measured_motion() -> None:
    subject = chassis(predicts=False)
    subject.on_sent((300, 300), 0)
    motion = Motion(Pose2D(1.0, 2.0, math.pi), Twist2D(0.1, 0.0))
    assert subject.forecast(motion, 0, 200 * MS, 0.05) == at_once(motion, 0.05)
