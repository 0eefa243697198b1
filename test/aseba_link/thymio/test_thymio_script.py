"""The shipped script on a simulated Thymio: commands, the time-out without them, and odometry that wraps."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aseba_link.thymio.events import COMMAND_TIMEOUT_S, Event, WheelOdometry, decode_odometry
from harness.aseba.scripted_robot import NODE_ID, advance, scripted, send_command
from simulator.firmware.peripherals import TICK_S
from simulator.firmware.thymio import Thymio

PERIOD_TICKS = 5  # between two odometry events
DEAD_BAND_RAW = 10
SPEEDS = st.integers(-32768, 32767)


def command(thymio: Thymio, left_raw: int, right_raw: int, node_id: int = NODE_ID) -> None:
    send_command(thymio, Event.SET_SPEED, left_raw, right_raw, node_id=node_id)


def targets_after(thymio: Thymio, ticks: int) -> tuple[int, int]:
    """Let ticks of 10 ms pass; return the wheels' targets."""
    advance(thymio, ticks)
    return thymio.targets_raw


def reports(thymio: Thymio) -> Iterator[WheelOdometry]:
    """Yield the odometry events that the robot sent since the last call."""
    messages, thymio.outbox = thymio.outbox, []
    return (decode_odometry(message.words()) for message in messages if message.type == Event.ODOMETRY)


def roll(thymio: Thymio, speeds_raw: list[tuple[int, int]]) -> WheelOdometry:
    """Let the wheels turn at each pair of speeds for one tick; return the last odometry event."""
    for pair in speeds_raw:
        thymio.body.speeds_raw = pair
        thymio.advance()
    return list(reports(thymio))[-1]


def test_script_starts_with_wheels_at_rest() -> None:
    assert scripted().targets_raw == (0, 0)


def test_command_sets_both_wheels_at_once() -> None:
    thymio = scripted()
    command(thymio, 120, -80)
    assert thymio.targets_raw == (120, -80)


@pytest.mark.parametrize("node_id", [0, NODE_ID - 1, NODE_ID + 1, -NODE_ID])
def test_command_for_another_robot_is_ignored(node_id: int) -> None:
    thymio = scripted()
    command(thymio, 120, -80, node_id)
    assert thymio.targets_raw == (0, 0)


def test_command_for_another_robot_does_not_keep_this_one_going() -> None:
    thymio = scripted()
    command(thymio, 100, 100)
    for _ in range(50):
        command(thymio, 100, 100, NODE_ID + 1)
        thymio.advance()
    assert thymio.targets_raw == (0, 0)


def test_node_with_an_id_above_32767_obeys_its_commands() -> None:
    thymio = scripted(60000)
    command(thymio, 120, -80, 60000)
    assert thymio.targets_raw == (120, -80)


def test_robot_drives_on_until_the_time_out_has_passed() -> None:
    thymio = scripted()
    command(thymio, 100, 50)
    assert targets_after(thymio, round(COMMAND_TIMEOUT_S / TICK_S)) == (100, 50)


def test_robot_stops_with_the_first_motor_event_after_the_time_out() -> None:
    thymio = scripted()
    command(thymio, 100, 50)
    assert targets_after(thymio, round(COMMAND_TIMEOUT_S / TICK_S) + 1) == (0, 0)


def test_each_command_restarts_the_time_out() -> None:
    thymio = scripted()
    for _ in range(5):
        command(thymio, 100, 50)
        assert targets_after(thymio, 40) == (100, 50)


def test_robot_that_has_stopped_accepts_commands_again() -> None:
    thymio = scripted()
    command(thymio, 100, 50)
    advance(thymio, 100)
    command(thymio, 30, 40)
    assert thymio.targets_raw == (30, 40)


def test_odometry_is_sent_twenty_times_a_second() -> None:
    thymio = scripted()
    advance(thymio, 200)
    assert [report.ticks_raw for report in reports(thymio)] == list(range(PERIOD_TICKS, 201, PERIOD_TICKS))


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(SPEEDS, SPEEDS), min_size=PERIOD_TICKS, max_size=300))
def test_odometry_is_the_sum_of_the_speeds_modulo_32_bits(speeds_raw: list[tuple[int, int]]) -> None:
    thymio = scripted()
    counted = speeds_raw[: len(speeds_raw) // PERIOD_TICKS * PERIOD_TICKS]
    command(thymio, 1, 1)  # no dead band
    report = WheelOdometry(0, 0, 0)
    for start in range(0, len(counted), PERIOD_TICKS):
        command(thymio, 1, 1)
        report = roll(thymio, counted[start : start + PERIOD_TICKS])
    assert report.left_raw % 2**32 == sum(left for left, _ in counted) % 2**32
    assert report.right_raw % 2**32 == sum(right for _, right in counted) % 2**32


@pytest.mark.parametrize("speed_raw", [500, -500, 1, -1, 32767, -32768])
def test_constant_drive_carries_into_the_high_word(speed_raw: int) -> None:
    thymio = scripted()
    ticks = 100 * PERIOD_TICKS
    command(thymio, speed_raw, speed_raw)
    for _ in range(ticks // PERIOD_TICKS):
        command(thymio, speed_raw, speed_raw)
        report = roll(thymio, [(speed_raw, speed_raw)] * PERIOD_TICKS)
    assert (report.left_raw, report.right_raw) == (ticks * speed_raw, ticks * speed_raw)


def test_driving_back_and_forth_over_a_carry_ends_at_the_start() -> None:
    thymio = scripted()
    for speed_raw in (30000, 30000, -30000, -30000, -30000, 30000):
        command(thymio, 1, 1)
        report = roll(thymio, [(speed_raw, -speed_raw)] * PERIOD_TICKS)
    assert (report.left_raw, report.right_raw) == (0, 0)


@pytest.mark.parametrize("speed_raw", [DEAD_BAND_RAW, -DEAD_BAND_RAW, 1])
def test_noise_of_a_wheel_at_rest_is_not_counted(speed_raw: int) -> None:
    report = roll(scripted(), [(speed_raw, speed_raw)] * PERIOD_TICKS)
    assert (report.left_raw, report.right_raw) == (0, 0)


@pytest.mark.parametrize("speed_raw", [DEAD_BAND_RAW + 1, -DEAD_BAND_RAW - 1])
def test_wheel_that_is_pushed_beyond_the_dead_band_is_counted(speed_raw: int) -> None:
    report = roll(scripted(), [(speed_raw, speed_raw)] * PERIOD_TICKS)
    assert (report.left_raw, report.right_raw) == (speed_raw * PERIOD_TICKS, speed_raw * PERIOD_TICKS)


def test_each_wheel_has_its_own_dead_band() -> None:
    thymio = scripted()
    command(thymio, 5, 0)
    report = roll(thymio, [(5, 5)] * PERIOD_TICKS)
    assert (report.left_raw, report.right_raw) == (5 * PERIOD_TICKS, 0)
