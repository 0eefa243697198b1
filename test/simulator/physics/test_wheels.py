"""Motors and wheels: lag, dead band, slip, noise, readings; compared with closed forms."""

import math
from dataclasses import replace

import numpy as np
import pytest

from harness.worlds import PERFECT
from simulator.physics.wheels import MotorsConfig, Wheels

UNIT_MPS = 0.000332
TICK_S = 0.01


def wheels(config: MotorsConfig, robots: int = 1, gain: float = 1.0) -> Wheels:
    return Wheels(config, np.full((robots, 2), gain), np.random.default_rng(1))


def rolled(turning: Wheels, target_raw: int, steps: int) -> list[float]:
    """Return how far the first left wheel rolls in each step."""
    turning.targets_raw[:] = target_raw
    return [turning.travel_m(TICK_S)[0] for _ in range(steps)]


@pytest.mark.parametrize("constant_s", [0.02, 0.1, 0.5])
def test_step_response_is_a_first_order_lag(constant_s: float) -> None:
    speeds = np.array(rolled(wheels(replace(PERFECT, time_constant_s=constant_s)), 300, 100)) / TICK_S
    times_s = TICK_S * np.arange(1, 101)
    assert speeds == pytest.approx(300 * UNIT_MPS * (1.0 - np.exp(-times_s / constant_s)))


def test_target_below_the_dead_band_does_not_turn_the_wheel() -> None:
    turning = wheels(replace(PERFECT, dead_band_raw=8))
    assert rolled(turning, -7, 3) == [0.0, 0.0, 0.0]
    assert rolled(turning, 8, 1) == pytest.approx([8 * UNIT_MPS * TICK_S])


def test_motors_follow_the_latest_target() -> None:
    turning = wheels(PERFECT)
    turning.targets_raw[:] = 300
    turning.set_targets([100, 200])
    assert turning.travel_m(TICK_S) == pytest.approx([UNIT_MPS, 2 * UNIT_MPS])
    turning.targets_raw[0, 0] += 50
    assert turning.travel_m(TICK_S) == pytest.approx([1.5 * UNIT_MPS, 2 * UNIT_MPS])


def test_speed_noise_has_the_configured_deviation() -> None:
    steps = rolled(wheels(replace(PERFECT, speed_noise=0.02)), 300, 4000)
    assert np.std(steps) / np.mean(steps) == pytest.approx(0.02, rel=0.05)


def test_slip_has_its_deviation_and_time_constant() -> None:
    turning = wheels(replace(PERFECT, slip=0.05, slip_time_constant_s=0.2), robots=200)
    turning.targets_raw[:] = 300
    steps = np.array([turning.travel_m(TICK_S) for _ in range(400)])[100:]
    slip = steps / (300 * UNIT_MPS * TICK_S) - 1.0
    assert slip.std() == pytest.approx(0.05, rel=0.03)
    later = round(0.2 / TICK_S)
    assert (slip[later:] * slip[:-later]).mean() / slip.var() == pytest.approx(math.exp(-1.0), abs=0.05)


def test_slip_does_not_change_measured_speeds() -> None:
    turning = wheels(replace(PERFECT, slip=0.2))
    rolled(turning, 300, 20)
    assert turning.readings_raw().tolist() == [[300, 300]]


def test_speed_reading_has_the_configured_noise() -> None:
    turning = wheels(replace(PERFECT, reading_noise_raw=5.0))
    rolled(turning, 300, 1)
    readings = [turning.readings_raw()[0, 0] for _ in range(3000)]
    assert (np.mean(readings), np.std(readings)) == pytest.approx((300.0, 5.0), abs=0.3)


def test_reading_a_speed_does_not_change_how_wheels_roll() -> None:
    one, other = (wheels(replace(PERFECT, speed_noise=0.05, reading_noise_raw=5.0)) for _ in range(2))
    one.readings_raw()
    assert rolled(one, 300, 10) == rolled(other, 300, 10)


def test_slipping_wheels_of_a_blocked_robot_keep_their_speed() -> None:
    turning = wheels(PERFECT)
    rolled(turning, 300, 1)
    turning.hold([0], [0.0, 0.0])
    assert turning.readings_raw().tolist() == [[300, 300]]


def test_stalling_wheels_follow_the_robots_motion() -> None:
    turning = wheels(replace(PERFECT, stalls=True))
    turning.targets_raw[:] = (300, -300)
    turning.travel_m(TICK_S)
    turning.hold([0], [100 * UNIT_MPS, 50 * UNIT_MPS])
    assert turning.readings_raw().tolist() == [[100, 0]]  # a wheel is not driven backward


def test_wheels_are_added_and_removed_with_their_robots() -> None:
    turning = wheels(PERFECT, robots=2)
    turning.append((1.1, 0.9))
    turning.remove(0)
    turning.targets_raw[:] = 100
    travel = np.array(turning.travel_m(TICK_S)).reshape(-1, 2)
    assert travel / (100 * UNIT_MPS * TICK_S) == pytest.approx(np.array([[1.0, 1.0], [1.1, 0.9]]))
