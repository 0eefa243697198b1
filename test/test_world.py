"""The simulated world: how robots roll, touch and see; against closed forms."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simulator.config import (
    ArenaConfig,
    MotionCaptureConfig,
    MotorsConfig,
    NetworkConfig,
    SimulatedRobotConfig,
    WallConfig,
    WorldConfig,
    load_world,
)
from simulator.contacts import DISC_RADIUS_M, disc_centres, nearest_points
from simulator.proximity import response_raw
from simulator.world import World

AXLE_M = 0.094
UNIT_MPS = 0.000332
TICK_S = 0.01
Pose = tuple[float, float, float]
Array = NDArray[np.float64]


def world(
    *poses: Pose,
    lag_s: float = 0.0,
    noise: float = 0.0,
    gains: tuple[float, float] = (1.0, 1.0),
    walls: tuple[tuple[float, float, float, float], ...] = (),
    seed: int = 1,
) -> World:
    """Return a world of 2 m by 2 m; by default motors and wheels are perfect."""
    robots = tuple(
        SimulatedRobotConfig(index + 1, bytes(16), *pose, left_wheel_gain=gains[0], right_wheel_gain=gains[1])
        for index, pose in enumerate(poses)
    )
    config = WorldConfig(
        network=NetworkConfig("127.0.0.1", 0),
        arena=ArenaConfig(2.0, 2.0),
        walls=tuple(WallConfig(ends) for ends in walls),
        motors=MotorsConfig(lag_s, noise),
        robots=robots,
        motion_capture=MotionCaptureConfig(True, 30.0, 0.0, 0.0, 0.0),
        seed=seed,
    )
    return World(config, np.random.default_rng(seed))


def drive(simulated: World, left_raw: int, right_raw: int, steps: int) -> World:
    simulated.targets_raw[:] = (left_raw, right_raw)
    for _ in range(steps):
        simulated.step(TICK_S)
    return simulated


def test_robot_drives_straight_at_its_speed() -> None:
    simulated = drive(world((0.5, 1.0, 0.0)), 300, 300, 100)
    assert simulated.positions_m[0] == pytest.approx([0.5 + 300 * UNIT_MPS, 1.0])
    assert simulated.headings_rad[0] == pytest.approx(0.0)


def test_robot_turns_in_place_about_its_axle() -> None:
    simulated = drive(world((1.0, 1.0, 0.0)), -100, 100, 100)
    assert simulated.positions_m[0] == pytest.approx([1.0, 1.0])
    assert simulated.headings_rad[0] == pytest.approx(200 * UNIT_MPS / AXLE_M)


@settings(deadline=None)
@given(left=st.integers(-500, 500), right=st.integers(-500, 500))
def test_robot_follows_a_circular_arc_exactly(left: int, right: int) -> None:
    simulated = drive(world((1.0, 1.0, 0.0)), left, right, 50)
    speed, turn_rate = 0.5 * (left + right) * UNIT_MPS, (right - left) * UNIT_MPS / AXLE_M
    turned = turn_rate * 0.5
    circle = [math.sin(turned), 1.0 - math.cos(turned)]
    expected = [speed * 0.5, 0.0] if turned == 0.0 else [speed / turn_rate * part for part in circle]
    assert simulated.positions_m[0] - 1.0 == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("target", [500, 600, 32767])
def test_speed_saturates_at_five_hundred_units(target: int) -> None:
    simulated = drive(world((0.5, 1.0, 0.0)), target, target, 100)
    assert simulated.positions_m[0, 0] == pytest.approx(0.5 + 0.166)
    assert simulated.speeds_raw()[0].tolist() == [500, 500]


def test_motor_reaches_63_percent_after_its_time_constant() -> None:
    simulated = drive(world((0.5, 1.0, 0.0), lag_s=0.1), 400, 400, 10)
    assert simulated.wheels_mps[0, 0] == pytest.approx(400 * UNIT_MPS * (1.0 - math.exp(-1.0)))


def test_motor_stands_still_a_tenth_of_a_second_after_its_target_became_zero() -> None:
    simulated = drive(drive(world((0.5, 1.0, 0.0), lag_s=0.5), 500, 500, 200), 0, 0, 10)
    assert simulated.speeds_raw()[0].tolist() == [0, 0]


def test_wheel_gain_shows_in_the_motion_and_not_in_the_measured_speed() -> None:
    simulated = drive(world((0.5, 1.0, 0.0), gains=(1.02, 1.02)), 300, 300, 100)
    assert simulated.positions_m[0, 0] == pytest.approx(0.5 + 1.02 * 300 * UNIT_MPS)
    assert simulated.speeds_raw()[0].tolist() == [300, 300]


def test_same_seed_gives_the_same_world() -> None:
    one, other = (drive(world((0.5, 1.0, 0.0), noise=0.05, seed=3), 300, 200, 50).positions_m for _ in range(2))
    assert np.array_equal(one, other)


def test_other_seed_gives_another_world() -> None:
    one, other = (drive(world((0.5, 1.0, 0.0), noise=0.05, seed=seed), 300, 200, 50).positions_m for seed in (3, 4))
    assert not np.array_equal(one, other)


def gaps(simulated: World) -> tuple[float, float]:
    """Return the smallest gap between two bodies, and between a body and a wall, in metres; negative is overlap."""
    centres = disc_centres(simulated.positions_m, simulated.headings_rad)
    apart = np.linalg.norm(centres[:, None] - centres, axis=2)
    np.fill_diagonal(apart, np.inf)
    away = np.linalg.norm(centres[:, None] - nearest_points(centres, simulated.walls_m), axis=2)
    return float(apart.min() - 2 * DISC_RADIUS_M), float(away.min() - DISC_RADIUS_M)


def test_robot_cannot_pass_through_the_border() -> None:
    simulated = drive(world((1.5, 1.0, 0.0)), 500, 500, 500)
    assert gaps(simulated)[1] == pytest.approx(0.0, abs=1e-6)


def test_robot_cannot_pass_through_a_wall_inside() -> None:
    simulated = drive(world((0.5, 1.0, 0.0), walls=((1.0, 0.0, 1.0, 2.0),)), 500, 500, 500)
    assert simulated.positions_m[0, 0] < 1.0
    assert gaps(simulated)[1] == pytest.approx(0.0, abs=1e-6)


def test_robots_cannot_pass_through_each_other() -> None:
    simulated = drive(world((0.7, 1.0, 0.0), (1.3, 1.0, math.pi)), 500, 500, 500)
    assert gaps(simulated)[0] == pytest.approx(0.0, abs=1e-6)
    assert simulated.positions_m[0, 0] < simulated.positions_m[1, 0]


HEADINGS = st.lists(st.floats(-math.pi, math.pi), min_size=6, max_size=6)
SPEEDS = st.lists(st.tuples(st.integers(-500, 500), st.integers(-500, 500)), min_size=6, max_size=6)


@settings(deadline=None)
@given(headings=HEADINGS, speeds=SPEEDS)
def test_a_crowd_never_overlaps_by_more_than_a_tenth_of_a_millimetre(
    headings: list[float], speeds: list[tuple[int, int]]
) -> None:
    poses = [(0.15 + 0.2 * (k % 2), 0.15 + 0.2 * (k // 2), heading) for k, heading in enumerate(headings)]
    simulated = world(*poses, noise=0.02)
    simulated.targets_raw[:] = speeds
    for _ in range(100):
        simulated.step(TICK_S)
    assert min(gaps(simulated)) > -1e-4
    assert np.isfinite(simulated.positions_m).all()


@pytest.mark.parametrize(
    ("distance_cm", "reading"),
    [(0.25, 4502), (0.5, 4491), (1, 4448), (2, 4278), (5, 3366), (10, 1908), (13.5, 1292), (14, 0), (50, 0)],
)
def test_proximity_reads_what_was_measured_in_the_playground(distance_cm: float, reading: int) -> None:
    assert response_raw(np.array([0.01 * distance_cm]))[0] == pytest.approx(reading, abs=1.0)


def readings(simulated: World, robot: int = 0) -> Array:
    """Return the mean of many readings, so that their noise is small."""
    return np.mean([simulated.proximity_raw()[robot] for _ in range(100)], axis=0)


def test_centre_sensor_sees_a_wall_straight_ahead() -> None:
    simulated = world((2.0 - 0.0795 - 0.05, 1.0, 0.0))
    assert readings(simulated)[2] == pytest.approx(3366, abs=2)


def test_rear_sensors_see_a_wall_behind() -> None:
    simulated = world((0.0295 + 0.05, 1.0, 0.0))
    assert readings(simulated) == pytest.approx([0, 0, 0, 0, 0, 3366, 3366], abs=2)


def test_left_sensors_see_a_wall_on_the_left_only() -> None:
    seen = readings(world((1.0, 1.9, 0.0)))
    assert seen[0] > 1000
    assert not seen[2:].any()


def test_sensors_see_another_robot_ahead() -> None:
    gap_m = 2 * 0.0795
    seen = readings(world((0.5, 1.0, 0.0), (0.5 + gap_m + 0.05, 1.0, math.pi)))
    assert seen[2] > 3000
    assert not seen[5:].any()


def test_sensors_see_nothing_in_the_open() -> None:
    assert not readings(world((1.0, 1.0, 0.3))).any()


def test_noise_of_a_reading_is_that_of_enki() -> None:
    simulated = world((2.0 - 0.0795 - 0.05, 1.0, 0.0))
    values = [simulated.proximity_raw()[0, 2] for _ in range(2000)]
    assert np.std(values) == pytest.approx(2.87, rel=0.1)


SHIPPED = Path(__file__).parent.parent / "config" / "world.yaml"


def test_shipped_world_has_eight_robots_in_cells_of_a_metre() -> None:
    config = load_world(SHIPPED)
    assert [
        (robot.node_id, round(robot.x_m, 6), round(robot.y_m, 6), robot.heading_rad) for robot in config.robots
    ] == [(k, 0.6 + (k - 1) % 4, 0.6 + (k - 1) // 4, 0.0) for k in range(1, 9)]
    assert len({robot.uuid for robot in config.robots}) == 8
    assert (config.arena.width_m, config.arena.height_m) == (4.2, 2.2)


def test_shipped_wheels_deviate_by_at_most_two_percent() -> None:
    gains = [gain for robot in load_world(SHIPPED).robots for gain in (robot.left_wheel_gain, robot.right_wheel_gain)]
    assert all(abs(gain - 1.0) <= 0.02 + 1e-9 for gain in gains)
    assert len(set(gains)) > 1
