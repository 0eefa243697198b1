import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aseba_link.aesl.compiler import shipped_script
from aseba_link.errors import InvalidValueError, MessageError
from aseba_link.thymio.events import (
    AXLE_LENGTH_M,
    COMMAND_TIMEOUT_S,
    EVENT_SIZES,
    MAX_SPEED_RAW,
    MOTOR_PERIOD_S,
    SPEED_UNIT_MPS,
    Event,
    Reports,
    battery_volts,
    decode_odometry,
    script_constants,
    speed_to_raw,
    wheel_travel,
)


def signed(value: int, bits: int) -> int:
    return (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


def halves(value: int) -> list[int]:
    """Return low and high word as the script counts them: the low word is signed, the high word counts carries."""
    low = signed(value, 16)
    return [low, signed((value - low) >> 16, 16)]


def odometry_args(ticks: int, left: int, right: int) -> list[int]:
    return [signed(ticks, 16), *halves(left), *halves(right)]


counts = st.integers(-(2**40), 2**40)
distances = st.integers(-(2**31), 2**31 - 1)


@given(counts, counts, counts, distances, distances, st.integers(0, 0xFFFF))
def test_travel_is_the_same_wherever_the_counters_wrap(
    ticks: int, left: int, right: int, left_counts: int, right_counts: int, duration: int
) -> None:
    before = decode_odometry(odometry_args(ticks, left, right))
    after = decode_odometry(odometry_args(ticks + duration, left + left_counts, right + right_counts))
    travel = wheel_travel(before, after)
    assert travel.left_m == pytest.approx(left_counts * SPEED_UNIT_MPS * MOTOR_PERIOD_S)
    assert travel.right_m == pytest.approx(right_counts * SPEED_UNIT_MPS * MOTOR_PERIOD_S)
    assert travel.duration_s == pytest.approx(duration * MOTOR_PERIOD_S)


@given(counts, counts, st.lists(st.integers(-500, 500), max_size=50))
def test_travel_adds_up_over_many_events(ticks: int, left: int, speeds: list[int]) -> None:
    readings = [decode_odometry(odometry_args(ticks + k, left + sum(speeds[:k]), 0)) for k in range(len(speeds) + 1)]
    pieces = [wheel_travel(a, b).left_m for a, b in itertools.pairwise(readings)]
    assert math.fsum(pieces) == pytest.approx(sum(speeds) * SPEED_UNIT_MPS * MOTOR_PERIOD_S, abs=1e-9)


@given(st.integers(-MAX_SPEED_RAW, MAX_SPEED_RAW))
def test_raw_speed_in_metres_per_second_and_back_is_the_same(speed_raw: int) -> None:
    assert speed_to_raw(speed_raw * SPEED_UNIT_MPS) == speed_raw


@given(st.floats(allow_nan=False))
def test_raw_speed_is_clamped_to_the_range_of_the_motors(speed_mps: float) -> None:
    assert abs(speed_to_raw(speed_mps)) <= MAX_SPEED_RAW


def test_speed_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="not a number"):
        speed_to_raw(math.nan)


@pytest.mark.parametrize("size", [0, 4, 6])
def test_odometry_of_the_wrong_size_is_refused(size: int) -> None:
    with pytest.raises(MessageError, match=f"{size} words"):
        decode_odometry([0] * size)


def test_battery_of_655_counts_has_3_3_volts() -> None:
    assert battery_volts([655, 655]) == pytest.approx(3.3, abs=0.01)


def test_script_has_the_events_of_the_table_in_its_order() -> None:
    events = shipped_script().events
    assert [(event.name, event.size) for event in events] == [(e.name.lower(), EVENT_SIZES[e]) for e in Event]


def test_script_stops_the_wheels_after_the_documented_time() -> None:
    assert shipped_script().constants["COMMAND_TIMEOUT"] * MOTOR_PERIOD_S == pytest.approx(COMMAND_TIMEOUT_S)


def test_axle_is_that_of_a_thymio() -> None:
    assert pytest.approx(0.094) == AXLE_LENGTH_M


def test_every_event_has_a_size() -> None:
    assert list(EVENT_SIZES) == list(Event)


def test_the_default_reports_are_those_of_the_shipped_script() -> None:
    defaults = script_constants(20.0)
    assert defaults == {name: shipped_script().constants[name] for name in defaults}


def test_robots_report_no_more_often_than_their_motors_run() -> None:
    assert script_constants(1000.0)["ODOMETRY_PERIOD"] == 1


@pytest.mark.parametrize(
    ("reports", "name", "period"),
    [
        (Reports(proximity_hz=10.0), "PROXIMITY_PERIOD", 1),
        (Reports(proximity_hz=50.0), "PROXIMITY_PERIOD", 1),
        (Reports(proximity_hz=3.0), "PROXIMITY_PERIOD", 3),
        (Reports(ground_hz=5.0), "GROUND_PERIOD", 2),
        (Reports(ground_raw_hz=0.1), "GROUND_RAW_PERIOD", 100),
        (Reports(accelerometer_hz=8.0), "ACCELEROMETER_PERIOD", 2),
        (Reports(buttons_hz=10.0), "BUTTONS_PERIOD", 5),
        (Reports(button=True), "EMIT_BUTTON", 1),
        (Reports(sound=True), "SOUND_THRESHOLD", 20),
        (Reports(comm=True), "ENABLE_COMM", 1),
    ],
)
def test_rate_becomes_a_number_of_local_events(reports: Reports, name: str, period: int) -> None:
    assert script_constants(20.0, reports)[name] == period


@pytest.mark.parametrize("rate_hz", [-1.0, 0.05, math.inf, math.nan])
def test_unachievable_rate_is_refused_with_its_name(rate_hz: float) -> None:
    with pytest.raises(InvalidValueError, match="accelerometer_hz: "):
        Reports(accelerometer_hz=rate_hz)
