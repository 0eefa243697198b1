import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.actuation.wheel_response import Actuation, WheelResponse, motor_units, unit_speeds
from fleet.control.tracker_config import ActuationConfig
from fleet.geometry import Pose2D
from fleet.wheels.differential_drive import HALT, DifferentialDrive, WheelSpeeds
from fleet.wheels.robot_calibration import WheelCalibration

MS = 1_000_000
DRIVE = DifferentialDrive(0.1, 0.166)
WHEELS = WheelCalibration(0.0003, 0.0004, 0.1)
START = Pose2D(0.0, 0.0, 0.0)


def config(latency_s: float = 0.1, lag_s: float = 0.0, learns: bool = False) -> ActuationConfig:
    return ActuationConfig(latency_s, lag_s, 0, predicts=True, learns_latency=learns, learns_gains=True)


@given(st.floats(0.01, 0.5), st.floats(-0.16, 0.16), st.floats(-0.16, 0.16), st.floats(0.0, 2.0))
def test_wheel_lag_solves_its_differential_equation(
    lag_s: float, speed: float, target: float, duration_s: float
) -> None:
    steps = 2000
    w, rolled_m = speed, 0.0
    for _ in range(steps):
        middle = w + 0.5 * (target - w) / lag_s * duration_s / steps
        rolled_m += middle * duration_s / steps
        w += (target - middle) / lag_s * duration_s / steps
    after, left_m, right_m = WheelResponse(lag_s).after(WheelSpeeds(speed, 0.0), WheelSpeeds(target, 0.0), duration_s)
    assert (after.left_mps, after.right_mps) == pytest.approx((w, 0.0), abs=1e-4)
    assert (left_m, right_m) == pytest.approx((rolled_m, 0.0), abs=1e-4)


def test_without_lag_a_wheel_obeys_at_once() -> None:
    target = WheelSpeeds(-0.05, 0.02)
    assert WheelResponse(0.0).after(WheelSpeeds(0.1, 0.1), target, 2.0) == (target, -0.1, 0.04)


def test_speeds_are_rounded_to_whole_units_of_each_wheel() -> None:
    assert motor_units(WheelSpeeds(0.03, -0.0201), WHEELS, 0) == (100, -50)


def test_commands_in_the_dead_band_round_to_zero_or_to_its_edge() -> None:
    assert motor_units(WheelSpeeds(0.0003 * 3, -0.0004 * 5), WHEELS, 8) == (0, -8)
    assert motor_units(WheelSpeeds(0.0003 * 8, 0.0004 * 9), WHEELS, 8) == (8, 9)


@given(st.integers(-500, 500), st.integers(-500, 500))
def test_units_survive_a_round_trip_through_speeds(left: int, right: int) -> None:
    assert motor_units(unit_speeds((left, right), WHEELS), WHEELS, 0) == (left, right)


def test_a_command_acts_after_the_latency() -> None:
    actuation = Actuation(DRIVE, config(latency_s=0.1))
    actuation.on_sent(WheelSpeeds(0.1, 0.1), 0)
    assert actuation.predict(START, 0, 100 * MS).pose.x_m == pytest.approx(0.0)
    assert actuation.predict(START, 0, 300 * MS).pose.x_m == pytest.approx(0.02)


def test_predicted_twist_belongs_to_the_end_of_the_prediction() -> None:
    actuation = Actuation(DRIVE, config(latency_s=0.1))
    actuation.on_sent(WheelSpeeds(0.1, 0.1), 0)
    actuation.on_sent(WheelSpeeds(-0.05, 0.05), 100 * MS)
    twist = actuation.predict(START, 0, 250 * MS).twist
    assert (twist.linear_mps, twist.angular_radps) == pytest.approx((0.0, 1.0))


def test_prediction_of_a_lagging_robot_trails_its_command() -> None:
    actuation = Actuation(DRIVE, config(latency_s=0.0, lag_s=0.1))
    actuation.on_sent(WheelSpeeds(0.1, 0.1), 0)
    # u (t - tau (1 - exp(-t / tau)))
    expected_m = 0.1 * (0.3 - 0.1 * (1.0 - math.exp(-3.0)))
    assert actuation.predict(START, 0, 300 * MS).pose.x_m == pytest.approx(expected_m)


def test_prediction_continues_from_the_wheels_earlier_motion() -> None:
    actuation = Actuation(DRIVE, config(latency_s=0.05, lag_s=0.1))
    actuation.on_wheels(0.0, 0.0, 0.05, 0)
    actuation.on_sent(WheelSpeeds(0.1, 0.1), 0)
    whole_m = actuation.predict(START, 0, 400 * MS).pose.x_m
    half_m = actuation.predict(START, 0, 200 * MS).pose.x_m
    actuation.on_wheels(half_m, half_m, 0.2, 200 * MS)
    rest_m = actuation.predict(START, 200 * MS, 400 * MS).pose.x_m
    assert half_m + rest_m == pytest.approx(whole_m)


def test_turns_are_predicted_as_arcs() -> None:
    actuation = Actuation(DRIVE, config(latency_s=0.0))
    actuation.on_sent(WheelSpeeds(0.0, math.pi * 0.1), 0)
    end = actuation.predict(START, 0, 1000 * MS).pose
    assert (end.x_m, end.y_m, abs(end.heading_rad)) == pytest.approx((0.0, 0.1, math.pi), abs=1e-9)


def drive_to_and_fro(actuation: Actuation, latency_s: float, lag_s: float, seconds: int) -> None:
    """Drive wheels with this latency and lag by commands that change every half second, with reports at 20 Hz."""
    response = WheelResponse(lag_s)
    w, due = HALT, [(0, HALT)]
    for tick in range(seconds * 20):
        now_ms = tick * 50
        speed_mps = 0.1 if (tick // 10) % 2 else 0.02
        target = WheelSpeeds(speed_mps, speed_mps)
        actuation.on_sent(target, now_ms * MS)
        due.append((now_ms + round(latency_s * 1000), target))
        rolled_m = 0.0
        for ms in range(50):
            w, travel_m, _ = response.after(w, [u for at, u in due if at <= now_ms + ms][-1], 0.001)
            rolled_m += travel_m
        actuation.on_wheels(rolled_m, rolled_m, 0.05, (now_ms + 50) * MS)


@pytest.mark.parametrize("latency_s", [0.0, 0.05, 0.12, 0.2])
def test_latency_is_learned_from_wheel_reports(latency_s: float) -> None:
    actuation = Actuation(DRIVE, config(latency_s=0.08, lag_s=0.1, learns=True))
    drive_to_and_fro(actuation, latency_s, 0.1, 10)
    assert actuation.latency_s == pytest.approx(latency_s, abs=0.004)
    assert actuation.latency_std_s < 0.005


@pytest.mark.parametrize("lag_s", [0.05, 0.15])
def test_unmodelled_lag_is_partly_learned_as_latency(lag_s: float) -> None:
    actuation = Actuation(DRIVE, config(latency_s=0.08, lag_s=0.1, learns=True))
    drive_to_and_fro(actuation, 0.1, lag_s, 10)
    assert actuation.latency_s + 0.1 == pytest.approx(0.1 + lag_s, abs=0.035)


def test_no_latency_is_learned_from_blocked_wheels() -> None:
    actuation = Actuation(DRIVE, config(latency_s=0.05, lag_s=0.1, learns=True))
    for tick in range(100):
        actuation.on_sent(WheelSpeeds(0.1 * (tick // 10 % 2), 0.1), tick * 50 * MS)
        actuation.on_wheels(0.0, 0.0, 0.05, (tick + 1) * 50 * MS)
    assert actuation.latency_s == pytest.approx(0.05, abs=0.06)


def test_no_latency_is_learned_at_a_steady_speed() -> None:
    actuation = Actuation(DRIVE, config(latency_s=0.05, lag_s=0.1, learns=True))
    actuation.on_wheels(0.0, 0.0, 0.05, 0)
    actuation.on_sent(WheelSpeeds(0.1, 0.1), 0)
    actuation.on_wheels(0.0855, 0.0855, 1.0, 1000 * MS)
    learned_s = actuation.latency_s
    for tick in range(20, 40):
        actuation.on_wheels(0.006, 0.006, 0.05, (tick + 1) * 50 * MS)
    assert actuation.latency_s == learned_s


def test_a_restarted_robot_stands_still() -> None:
    actuation = Actuation(DRIVE, config())
    actuation.on_sent(WheelSpeeds(0.1, 0.1), 0)
    actuation.restart(500 * MS)
    assert actuation.predict(START, 500 * MS, 900 * MS).pose == START
