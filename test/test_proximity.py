"""Rays of the horizontal proximity sensors: what they meet, and what hides what."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.contacts import DISC_AHEAD_M, DISC_RADIUS_M, disc_centres
from simulator.proximity import MAX_RAW, RANGE_M, readings_raw, response_raw

Pose = tuple[float, float, float]
Wall = tuple[float, float, float, float]

NOISE_RAW = 15  # five standard deviations of the sensors' noise
NOSE_M = 0.0795  # from the axle to the front sensor
REAR_M = 0.0295  # from the axle to the rear sensors
FRONT, REAR, CENTRE = slice(0, 5), slice(5, 7), 2
FIVE_CM_RAW = 3366  # what a sensor reads 5 cm from an obstacle


def readings(*poses: Pose, walls: tuple[Wall, ...] = ()) -> list[int]:
    """Return what the first robot's sensors read."""
    table = np.array(poses)
    positions, headings = table[:, :2], table[:, 2]
    centres = disc_centres(positions, headings)
    random = np.random.default_rng(1)
    words = readings_raw(positions, headings, centres, np.array(walls, dtype=float).reshape(-1, 4), random)
    return [int(word) for word in words[0]]


def wall_ahead(distance_m: float) -> Wall:
    """Return a wall across the way of a robot at the origin, as far from its nose."""
    return (NOSE_M + distance_m, -1.0, NOSE_M + distance_m, 1.0)


@given(st.floats(0.0, 0.3), st.floats(0.0, 0.3))
def test_nearer_obstacle_never_reads_less(one_m: float, other_m: float) -> None:
    near, far = response_raw(np.array(sorted((one_m, other_m))))
    assert near >= far


@given(st.floats(0.0, 10.0))
def test_response_is_within_its_range(distance_m: float) -> None:
    assert 0.0 <= response_raw(np.array([distance_m]))[0] <= MAX_RAW


def test_obstacle_that_is_nowhere_reads_zero() -> None:
    assert response_raw(np.array([np.inf]))[0] == 0.0


@pytest.mark.parametrize("heading_rad", [0.0, 1.0, math.pi, -2.0])
def test_lone_robot_sees_nothing_not_even_itself(heading_rad: float) -> None:
    assert readings((5.0, 5.0, heading_rad)) == [0] * 7


def test_slanted_sensors_see_a_wall_along_their_rays() -> None:
    ray_m = (NOSE_M + 0.02 - 0.062) / math.cos(math.radians(40.0))
    expected = response_raw(np.array([ray_m]))[0]
    left, _, _, _, right = readings((0.0, 0.0, 0.0), walls=(wall_ahead(0.02),))[FRONT]
    assert [left, right] == pytest.approx([expected] * 2, abs=NOISE_RAW)


def test_sensors_turn_with_the_robot() -> None:
    wall = (-1.0, NOSE_M + 0.05, 1.0, NOSE_M + 0.05)
    assert readings((0.0, 0.0, math.pi / 2), walls=(wall,))[CENTRE] == pytest.approx(FIVE_CM_RAW, abs=NOISE_RAW)


def test_wall_that_ends_beside_the_ray_is_not_seen() -> None:
    assert readings((0.0, 0.0, 0.0), walls=((NOSE_M + 0.05, 0.01, NOSE_M + 0.05, 0.02),))[CENTRE] == 0


def test_nearer_of_two_walls_is_seen() -> None:
    walls = (wall_ahead(0.1), wall_ahead(0.05))
    assert readings((0.0, 0.0, 0.0), walls=walls)[CENTRE] == pytest.approx(FIVE_CM_RAW, abs=NOISE_RAW)


def test_wall_behind_is_not_seen_by_the_front() -> None:
    assert readings((0.0, 0.0, 0.0), walls=((-0.05, -1.0, -0.05, 1.0),))[FRONT] == [0] * 5


def test_wall_beyond_the_range_is_not_seen() -> None:
    assert readings((0.0, 0.0, 0.0), walls=(wall_ahead(RANGE_M + 0.001),)) == [0] * 7


def test_robot_ahead_is_seen_at_its_rim() -> None:
    axle_m = NOSE_M + 0.05 + DISC_RADIUS_M + DISC_AHEAD_M  # of the other, which faces the first
    seen = readings((0.0, 0.0, 0.0), (axle_m, 0.0, math.pi))
    assert seen[CENTRE] == pytest.approx(FIVE_CM_RAW, abs=NOISE_RAW)


def test_robot_behind_is_seen_by_the_rear_alone() -> None:
    axle_m = -REAR_M - 0.05 - DISC_RADIUS_M - DISC_AHEAD_M
    seen = readings((0.0, 0.0, 0.0), (axle_m, 0.0, 0.0))
    assert min(seen[REAR]) > 2000
    assert seen[FRONT] == [0] * 5


def test_robot_hides_the_wall_behind_it() -> None:
    axle_m = NOSE_M + 0.05 + DISC_RADIUS_M + DISC_AHEAD_M
    seen = readings((0.0, 0.0, 0.0), (axle_m, 0.0, math.pi), walls=(wall_ahead(0.1),))
    assert seen[CENTRE] == pytest.approx(FIVE_CM_RAW, abs=NOISE_RAW)


def test_wall_hides_the_robot_behind_it() -> None:
    seen = readings((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), walls=(wall_ahead(0.05),))
    assert seen[CENTRE] == pytest.approx(FIVE_CM_RAW, abs=NOISE_RAW)


def test_sensor_inside_of_another_body_reads_the_most() -> None:
    seen = readings((0.0, 0.0, 0.0), (NOSE_M + 0.03, 0.0, math.pi))
    assert seen[CENTRE] == pytest.approx(MAX_RAW, abs=NOISE_RAW)
