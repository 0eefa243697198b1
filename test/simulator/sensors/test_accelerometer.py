"""The accelerometer on a level floor."""

import math

import numpy as np
import pytest

from harness.worlds import drive, world
from simulator.numbers.noise import Noise
from simulator.sensors.accelerometer import Accelerometers


def accelerometers(robots: int) -> Accelerometers:
    return Accelerometers(robots, Noise(np.random.default_rng(1)))


def reading(gained_mps: tuple[float, float], heading_rad: float = 0.0) -> list[float]:
    """Return the mean of many readings for a change of velocity in 50 ms."""
    count = 4000
    words = accelerometers(count).readings_raw([*gained_mps] * count, [heading_rad] * count, 0.05)
    return [float(word) for word in np.mean(words, axis=0)]


def test_standing_robot_reads_gravity_downward() -> None:
    assert reading((0.0, 0.0)) == pytest.approx([0.0, 0.0, 23.0], abs=0.05)


def test_accelerating_robot_reads_a_force_to_its_back() -> None:
    assert reading((0.1, 0.0)) == pytest.approx([0.0, 23 * 2.0 / 9.81, 23.0], abs=0.05)


def test_robot_in_a_left_curve_reads_a_force_to_its_right() -> None:
    assert reading((0.0, 0.1)) == pytest.approx([-23 * 2.0 / 9.81, 0.0, 23.0], abs=0.05)


def test_acceleration_is_read_in_the_robots_frame() -> None:
    assert reading((0.0, 0.1), math.pi / 2) == pytest.approx([0.0, 23 * 2.0 / 9.81, 23.0], abs=0.05)
    assert reading((0.1, 0.0), math.pi / 2) == pytest.approx([23 * 2.0 / 9.81, 0.0, 23.0], abs=0.05)


def test_acceleration_of_a_hit_saturates() -> None:
    assert max(reading((50.0, 0.0))) == 32


def test_accelerometer_noise_matches_the_ros_driver() -> None:
    words = np.array(accelerometers(5000).readings_raw([0.0] * 10_000, [0.0] * 5000, 0.05))
    deviation_mps2 = math.sqrt(float(words[:, 0].var()) - 1.0 / 12.0) / 23 * 9.81  # without that of rounding
    assert deviation_mps2**2 == pytest.approx(0.07, rel=0.1)


def test_starting_reads_as_acceleration_and_constant_speed_does_not() -> None:
    simulated = drive(world((0.5, 1.0, 0.0)), 500, 500, 5)
    start = simulated.sensors.acceleration_raw(0.05)[0][1]
    later = drive(simulated, 500, 500, 5).sensors.acceleration_raw(0.05)[0][1]
    assert start == pytest.approx(23 * 0.166 / 0.05 / 9.81, abs=3)
    assert abs(later) <= 3


def test_teleported_robot_reads_no_acceleration() -> None:
    simulated = drive(world((0.5, 1.0, 0.0)), 0, 0, 5)
    simulated.place_robot(0, 1.5, 1.5, 1.0)
    drive(simulated, 0, 0, 5)
    assert max(map(abs, simulated.sensors.acceleration_raw(0.05)[0][:2])) <= 3


HEADINGS = [0.0, 0.0, 0.0]
FAST = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]  # of three robots; they saturate when they have just started


def test_only_the_robot_set_at_rest_starts_again() -> None:
    three = accelerometers(3)
    three.readings_raw([*FAST], HEADINGS, 0.05)
    three.stop(1)
    backward = [word[1] for word in three.readings_raw([*FAST], HEADINGS, 0.05)]
    assert [word == 32 for word in backward] == [False, True, False]


def test_removed_robot_leaves_the_readings_of_others() -> None:
    three = accelerometers(3)
    three.readings_raw([0.0, 0.0, 0.0, 0.0, 1.0, 0.0], HEADINGS, 0.05)
    three.remove(1)
    backward = [word[1] for word in three.readings_raw([1.0, 0.0, 1.0, 0.0], HEADINGS[:2], 0.05)]
    assert [word == 32 for word in backward] == [True, False]
