"""The judges of the bring-up, on numbers alone."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aseba_link.wire.message import MessageType, from_words
from fleet.bringup.bringup_record import BringupRecord, WheelSample
from fleet.bringup.capture_stage import COUNT_M
from fleet.bringup.capture_stage import judge_rest as rest_of_poses
from fleet.bringup.cause import Cause
from fleet.bringup.light_stage import judge_battery, judge_settings
from fleet.bringup.odometry_stage import MeasuredMove, judge_odometry, read_ruler
from fleet.bringup.radio_stage import EchoTest, capacity_hz, judge_radio, lost_reports
from fleet.bringup.script_stage import motor_period_s, restarts
from fleet.bringup.sensor_stage import RestReadings, TouchReadings, judge_rest, judge_touched
from fleet.bringup.stage_result import STAGE_TEXTS, BringupStage, Measure, StageVerdict
from fleet.bringup.wheel_stage import HeldSpeed, dead_band_raw, judge_both, judge_single, lag_s, stand_after_s
from fleet.bringup.wire_stage import WireLog, dial_symptom, judge_wire
from fleet.commands.bringup.host_facts import PortFacts, judge_port
from fleet.geometry import Pose2D

AXLE_M = 0.094


def clock(period_s: float, steps: list[int], first_ticks: int = 0) -> list[WheelSample]:
    """Return reports after numbers of ticks, on a clock of this period."""
    samples, ticks = [WheelSample(10**9, first_ticks, 0, 0)], first_ticks
    for step in steps:
        ticks += step
        samples.append(WheelSample(10**9 + round((ticks - first_ticks) * period_s * 1e9), ticks, 0, 0))
    return samples


def step_response(constant_s: float, dead_s: float, speed_raw: float = 200.0, count: int = 25) -> list[WheelSample]:
    """Return the sums of wheels, 20 times a second, that follow a step."""
    samples = []
    for number in range(count):
        since_s = max(0.05 * number - dead_s, 0.0)
        rolled_s = since_s - constant_s * -math.expm1(-since_s / constant_s)
        counts = round(100.0 * speed_raw * rolled_s)
        samples.append(WheelSample(number * 50_000_000, 5 * number, counts, counts))
    return samples


def test_every_stage_has_a_text() -> None:
    assert set(STAGE_TEXTS) == set(BringupStage)


def test_a_measure_that_is_not_a_number_does_not_fit() -> None:
    assert not Measure("speed", math.nan, "", -math.inf, math.inf).fits


@given(st.lists(st.integers(1, 200), min_size=1, max_size=30), st.integers(0, 0x7FFF))
def test_a_clock_that_goes_on_is_not_a_restart(steps: list[int], first_ticks: int) -> None:
    assert restarts(clock(0.01, steps, first_ticks)) == 0


@given(st.integers(1, 0x7FFF), st.floats(0.0, 2.0))
def test_a_counter_that_starts_again_is_a_restart(ticks_before: int, elapsed_s: float) -> None:
    before = WheelSample(10**9, ticks_before, 0, 0)
    after = WheelSample(10**9 + round(elapsed_s * 1e9), ticks_before + (-ticks_before) % 0x10000, 0, 0)
    assert restarts([before, after]) == 1


@given(st.floats(0.005, 0.02))
def test_period_of_a_clock_is_found(period_s: float) -> None:
    assert motor_period_s(clock(period_s, [5] * 30)) == pytest.approx(period_s, rel=1e-6)


def test_period_of_too_few_reports_is_not_a_number() -> None:
    assert math.isnan(motor_period_s(clock(0.01, [5] * 3)))


def test_lost_reports_are_counted_by_the_robots_ticks() -> None:
    share, gap_s = lost_reports(clock(0.01, [5, 5, 10, 5, 25]), 5)
    assert (share, gap_s) == (pytest.approx(0.5), pytest.approx(0.25))


def test_capacity_is_that_of_the_highest_rate_with_answers() -> None:
    single = EchoTest(5.0, 60, (0.02,) * 57)
    bursts = [EchoTest(10.0, 10, (0.02,) * 10), EchoTest(20.0, 20, (0.02,) * 18), EchoTest(40.0, 40, (0.02,) * 20)]
    assert capacity_hz(single, bursts) == 40.0 + 35.0


def test_a_radio_without_any_answer_is_not_usable() -> None:
    _, symptoms = judge_radio(EchoTest(5.0, 60, ()), [EchoTest(10.0, 15, ())], [], 5)
    assert [symptom.cause for symptom in symptoms] == [Cause.LOW_CAPACITY]


@given(st.floats(0.03, 0.4), st.floats(0.0, 0.15))
def test_lag_of_a_step_is_found_within_ten_milliseconds(constant_s: float, dead_s: float) -> None:
    found_s, found_dead_s = lag_s(step_response(constant_s, dead_s))
    assert found_s == pytest.approx(constant_s, abs=0.0101)
    assert found_dead_s == pytest.approx(dead_s, abs=0.0101)


def test_wheels_that_still_turn_at_the_end_never_stop() -> None:
    assert stand_after_s(step_response(0.1, 0.0), 200.0) == math.inf


def test_dead_band_is_the_lowest_target_from_which_wheels_turn() -> None:
    held = [HeldSpeed((raw, raw), (0.0 if raw < 20 else raw, raw)) for raw in (5, 10, 15, 20, 25)]
    assert dead_band_raw(held) == 20.0


@pytest.mark.parametrize(
    ("measured", "cause"),
    [
        ((0.0, 150.0), Cause.WHEELS_SWAPPED),
        ((-150.0, 0.0), Cause.WHEEL_REVERSED),
        ((0.0, 0.0), Cause.WHEEL_DEAD),
        ((math.nan, math.nan), Cause.WHEEL_DEAD),
        ((120.0, 0.0), Cause.WHEEL_WEAK),
    ],
)
def test_a_wrong_left_wheel_is_named(measured: tuple[float, float], cause: Cause) -> None:
    right = HeldSpeed((0, 150), (0.0, 150.0))
    assert judge_single(HeldSpeed((150, 0), measured), right, (True, True))[0].cause is cause


def test_motors_that_are_exchanged_with_their_sensors_are_seen_by_the_person() -> None:
    left, right = HeldSpeed((150, 0), (150.0, 0.0)), HeldSpeed((0, 150), (0.0, 150.0))
    assert judge_single(left, right, (None, None)) == []
    assert judge_single(left, right, (False, True))[0].cause is Cause.WHEELS_SWAPPED


@given(st.floats(0.9, 1.1), st.floats(0.9, 1.1), st.floats(0.09, 0.099))
def test_units_ratio_and_axle_are_recovered_from_moves(left: float, right: float, axle_m: float) -> None:
    way_m = 0.15
    turned_rad = way_m * (right - left) / axle_m
    straights = [MeasuredMove(way_m, way_m, 0.5 * way_m * (left + right), turned_rad)]
    turn = MeasuredMove(-way_m, way_m, 0.0, way_m * (left + right) / axle_m)
    measures, _ = judge_odometry(straights, [turn])
    found = {measure.name: measure.value for measure in measures}
    unit = 0.5 * (left + right)
    assert found["way to counted way"] == pytest.approx(unit)
    assert found["right wheel to left wheel"] == pytest.approx(1.0 + (right - left) / unit * AXLE_M / axle_m)
    assert found["axle"] == pytest.approx(1e3 * axle_m)


def test_a_left_turn_that_is_one_to_the_right_is_named() -> None:
    straight, turn = MeasuredMove(0.15, 0.15, 0.15, 0.0), MeasuredMove(-0.1, 0.1, 0.0, -2.0)
    assert judge_odometry([straight], [turn])[1][0].cause is Cause.TURN_SIGN


def test_a_robot_that_did_not_move_is_named() -> None:
    assert judge_odometry([MeasuredMove(0.15, 0.15, 0.0, 0.0)], [])[1][0].cause is Cause.NOT_MOVED


@pytest.mark.parametrize(
    ("text", "metres"), [("148 -2", 0.148), ("0 0", 0.0), ("148, 3", 0.148), ("", None), ("148", None), ("a b", None)]
)
def test_a_ruler_is_read(text: str, metres: float | None) -> None:
    found = read_ruler(text)
    assert (None if found is None else found[0]) == metres


@pytest.mark.parametrize(
    ("volts", "cause"), [([3.9], None), ([3.4], Cause.BATTERY_LOW), ([1.9], Cause.BATTERY_GAUGE), ([], Cause.LOST)]
)
def test_the_battery_is_judged(volts: list[float], cause: Cause | None) -> None:
    found = [symptom.cause for symptom in judge_battery(volts)[1]]
    assert found == ([] if cause is None else [cause])


def test_firmware_without_motor_settings_is_not_judged_by_them() -> None:
    assert judge_settings((0, 0)) == judge_settings(()) == judge_settings((250, 262)) == []
    assert judge_settings((306, 206))[0].cause is Cause.MOTOR_SETTINGS


def test_a_black_floor_is_distinguished_from_one_bad_sensor() -> None:
    rest = RestReadings((0.0,) * 7, (80.0, 90.0), (0.0, 0.0, 23.0))
    assert judge_rest(rest)[1][0].cause is Cause.DARK_FLOOR
    one = RestReadings((0.0,) * 7, (900.0, 90.0), (0.0, 0.0, 23.0))
    assert judge_rest(one)[1][0].cause is Cause.GROUND_SENSOR


def test_sensors_without_readings_are_a_symptom() -> None:
    causes = {symptom.cause for symptom in judge_rest(RestReadings((), (), ()))[1]}
    assert causes == {Cause.SCRIPT_STOPS}


def test_exchanged_and_blind_sensors_are_named() -> None:
    covered = {0: (0, 0, 0, 0, 4000, 0, 0), 2: (0,) * 7}
    causes = [symptom.cause for symptom in judge_touched(TouchReadings(covered))]
    assert causes == [Cause.SWAPPED_SENSORS, Cause.BLIND_SENSOR]


def test_untouched_robot_is_not_a_broken_sensor() -> None:
    symptoms = judge_touched(TouchReadings({0: (0,) * 7, 1: (0,) * 7}))
    assert [symptom.cause for symptom in symptoms] == [Cause.NO_ANSWER]


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        (PortFacts("/dev/ttyACM0"), StageVerdict.PASSED),
        (PortFacts("/dev/ttyACM0", exists=False), StageVerdict.FAILED),
        (PortFacts("/dev/ttyACM0", may_open=False, owner_text="user root"), StageVerdict.FAILED),
        (PortFacts("/dev/ttyACM0", holders=("studio (12)",)), StageVerdict.FAILED),
        (PortFacts("/dev/ttyACM0", has_modem_manager=True), StageVerdict.WARNING),
    ],
)
def test_ports_are_judged(facts: PortFacts, verdict: StageVerdict) -> None:
    assert judge_port(facts).verdict is verdict


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        (WireLog(), Cause.SILENT),
        (WireLog(first=b"AT\rATE1"), Cause.MODEM_MANAGER),
        (WireLog(first=b"hello", failure="framing is lost"), Cause.NOT_ASEBA),
        (WireLog([(0.1, from_words(1, MessageType.NODE_PRESENT, (9,)))]), Cause.BOOTLOADER),
    ],
)
def test_node_without_a_description_is_named(log: WireLog, cause: Cause) -> None:
    assert judge_wire(log, None)[1][0].cause is cause


def test_reasons_of_the_dialer_have_causes() -> None:
    assert dial_symptom("permission denied on /dev/ttyACM0: ...").cause is Cause.NO_PERMISSION
    assert dial_symptom("/dev/ttyACM0 is in use by another program").cause is Cause.PORT_TAKEN


def test_counters_that_wrap_go_on() -> None:
    record = BringupRecord()
    for ticks, low, high in ((-2, -5, 0), (3, 5, 0)):
        record.add(1, (ticks, low, high, low, high), 10**9)
    assert [(sample.ticks, sample.left) for sample in record.wheels] == [(0, 0), (5, 10)]
    assert COUNT_M > 0.0


def test_a_report_that_waited_is_late_by_the_robots_own_clock() -> None:
    record = BringupRecord()
    for ticks, at_ms in ((0, 1000), (5, 1050), (10, 1400), (15, 1401)):
        record.add(1, (ticks, 0, 0, 0, 0), at_ms * 10**6)
        if ticks == 10:
            assert record.delay_s == pytest.approx(0.3)
    assert record.delay_s < 0.0


@pytest.mark.parametrize(("scale", "cause"), [(1.0, None), (39.37, Cause.POSE_NOISE)])
def test_noise_in_other_units_is_not_a_jump(scale: float, cause: Cause | None) -> None:
    offsets_m = np.random.default_rng(1).normal(0.0, 1e-3 * scale, (90, 2)).tolist()
    poses = [(33_000_000 * index, Pose2D(x_m, y_m, 0.0)) for index, (x_m, y_m) in enumerate(offsets_m)]
    assert [symptom.cause for symptom in rest_of_poses(poses, 3.0)[1]] == ([] if cause is None else [cause])


def test_a_robot_that_coasts_does_not_keep_driving() -> None:
    slow = [HeldSpeed((5, 5), (5.0, 5.0))]
    fast = [HeldSpeed((target, target), (float(target),) * 2) for target in (100, 200, 300, 400, 500)]
    causes = [
        [symptom.cause for symptom in judge_both(slow, fast, (0.1, 0.0), stops)[1]]
        for stops in ((0.5, 0.1), (1.5, 1.0), (math.inf, 0.1), (math.inf, math.inf))
    ]
    assert causes[:3] == [[], [Cause.SLOW_BRAKE], [Cause.KEEPS_DRIVING]]
    assert causes[3][0] is Cause.KEEPS_DRIVING


def test_malformed_odometry_is_left_out() -> None:
    record = BringupRecord()
    record.add(1, (1, 2), 0)
    assert record.wheels == []
