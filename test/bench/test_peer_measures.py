"""The measures of the comparison with the Aseba playground, computed from samples."""

import math

import pytest

from aseba_link.thymio.sensor_events import PROXIMITY_CALIBRATION
from bench.peer.course import ANGLES_DEG, GAPS_M, Part, course
from bench.peer.measures import proximity_raw, rates_hz, rise_s, speed_mps, turn_rate_radps
from bench.peer.recording import CourseSample

PERIOD_TICKS = 10  # from one sample to the next


def sample(ticks: int, centre_raw: int = 0, ground_raw: tuple[int, int] = (0, 0), stamp_ns: int = 0) -> CourseSample:
    return CourseSample(stamp_ns, (ticks, 5, 16, 1, 50), (0, 0, centre_raw, 0, 0, 0, 0), ground_raw)


def reading_at(distance_m: float) -> int:
    """Return the reading of Enki's curve at a distance."""
    sensor = PROXIMITY_CALIBRATION
    far_m2 = distance_m**2 - 2.0 * sensor.x0_m * distance_m + sensor.c_m2
    return round(sensor.max_raw * (sensor.c_m2 - sensor.x0_m**2) / far_m2)


def shade(angle_rad: float) -> int:
    """Return a ground sensor's reading above a soft edge that it crosses at multiples of pi."""
    return round(500.0 + 400.0 * math.sin(angle_rad))


def test_speed_is_computed_from_the_range_to_the_wall() -> None:
    samples = [sample(ticks, reading_at(0.14 - 0.05 * 0.01 * ticks)) for ticks in range(0, 250, PERIOD_TICKS)]
    assert speed_mps(samples) == pytest.approx(0.05, rel=0.002)


def test_speed_without_a_visible_wall_is_refused() -> None:
    with pytest.raises(ValueError, match="detected 0 times"):
        speed_mps([sample(0), sample(10)])


def test_turn_rate_counts_the_crossings_of_an_edge() -> None:
    samples = [
        sample(ticks, ground_raw=(shade(0.02 * ticks), shade(0.02 * ticks + 0.3)))
        for ticks in range(0, 1500, PERIOD_TICKS)
    ]
    assert turn_rate_radps(samples) == pytest.approx(2.0, rel=0.002)


def test_turn_rate_of_a_standing_robot_is_refused() -> None:
    with pytest.raises(ValueError, match="crossed the edge 0 times"):
        turn_rate_radps([sample(ticks, ground_raw=(900, 900)) for ticks in range(100)])


def test_proximity_readings_are_means() -> None:
    assert proximity_raw([sample(0, 1000), sample(10, 1004)])[2] == 1002.0


def test_event_rates_use_the_clock_of_the_host() -> None:
    samples = [sample(ticks, stamp_ns=ticks * 20_000_000) for ticks in range(0, 100, PERIOD_TICKS)]
    assert rates_hz(samples)["motor"] == pytest.approx(50.0)
    assert rates_hz(samples)["prox"] == pytest.approx(5.0)


def test_rise_is_the_time_constant_of_a_lag() -> None:
    speeds_raw = [round(300.0 * (1.0 - math.exp(-0.01 * tick / 0.2))) for tick in range(1, 60)]
    assert rise_s(speeds_raw, 300) == pytest.approx(0.2, abs=0.01)


def test_wheel_that_stays_slow_has_no_rise_time() -> None:
    with pytest.raises(ValueError, match="reached 20 of 300"):
        rise_s([10, 20], 300)


def test_course_has_every_gap_at_every_angle() -> None:
    facing = [(stand.angle_deg, stand.gap_m) for stand in course() if stand.part is Part.FACE_WALL]
    assert facing == [(angle_deg, gap_m) for angle_deg in ANGLES_DEG for gap_m in GAPS_M]
