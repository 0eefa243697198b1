"""What the horizontal proximity sensors see."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.contacts import DISC_AHEAD_M, DISC_RADIUS_M
from simulator.proximity import MAX_RAW, RANGE_M, response_raw
from worlds import Pose, world_config, world_of

NOISE_RAW = 15  # five standard deviations of the sensors' noise
NOSE_M = 0.0795  # from the axle to the front sensor
REAR_M = 0.0295  # from the axle to the rear sensors
FRONT, REAR = slice(0, 5), slice(5, 7)
CENTRE = 2


def readings(*poses: Pose, walls: tuple[tuple[float, float, float, float], ...] = ()) -> list[int]:
    """Return what the first robot's sensors read."""
    return [int(word) for word in world_of(world_config(*poses, walls=walls)).proximity_raw()[0]]


def facing(distance_m: float) -> list[int]:
    """Return what a robot reads whose nose is that far from a wall."""
    return readings((10.0 - NOSE_M - distance_m, 5.0, 0.0))


@pytest.mark.parametrize(
    ("distance_cm", "expected"),
    [
        (0.25, 4502),
        (0.5, 4491),
        (1, 4448),
        (1.5, 4375),
        (2, 4278),
        (3, 4019),
        (4, 3705),
        (5, 3366),
        (6, 3027),
        (7, 2705),
        (8, 2409),
        (9, 2143),
        (10, 1908),
        (11, 1701),
        (12, 1521),
        (13, 1363),
        (13.5, 1292),
        (14, 0),
        (math.inf, 0),
    ],
)
def test_response_is_that_of_enkis_thymio(distance_cm: float, expected: int) -> None:
    assert response_raw(np.array([distance_cm / 100.0]))[0] == pytest.approx(expected, abs=1)


@given(st.floats(0.0, 0.3), st.floats(0.0, 0.3))
def test_nearer_obstacle_never_reads_less(one_m: float, other_m: float) -> None:
    near, far = response_raw(np.array(sorted((one_m, other_m))))
    assert near >= far


@given(st.floats(0.0, 10.0))
def test_response_is_within_its_range(distance_m: float) -> None:
    assert 0.0 <= response_raw(np.array([distance_m]))[0] <= MAX_RAW


@pytest.mark.parametrize(("distance_m", "expected"), [(0.02, 4278), (0.05, 3366), (0.1, 1908)])
def test_nose_sees_the_border(distance_m: float, expected: int) -> None:
    assert facing(distance_m)[CENTRE] == pytest.approx(expected, abs=NOISE_RAW)


@pytest.mark.parametrize(("distance_m", "expected"), [(0.03, 4019), (0.1, 1908)])
def test_rear_sensors_see_the_border(distance_m: float, expected: int) -> None:
    assert readings((REAR_M + distance_m, 5.0, 0.0))[REAR] == pytest.approx([expected] * 2, abs=NOISE_RAW)


def test_slanted_sensors_see_a_wall_along_their_rays() -> None:
    ray_m = (NOSE_M + 0.02 - 0.062) / math.cos(math.radians(40.0))
    expected = response_raw(np.array([ray_m]))[0]
    assert [facing(0.02)[0], facing(0.02)[4]] == pytest.approx([expected] * 2, abs=NOISE_RAW)


def test_wall_to_the_left_is_seen_on_the_left() -> None:
    left, _, _, _, right = readings((5.0, 10.0 - 0.09, 0.0))[FRONT]
    assert left > 1000
    assert right == 0


def test_wall_inside_of_the_arena_is_seen() -> None:
    wall = (5.0 + NOSE_M + 0.05, 4.0, 5.0 + NOSE_M + 0.05, 6.0)
    assert readings((5.0, 5.0, 0.0), walls=(wall,))[CENTRE] == pytest.approx(3366, abs=NOISE_RAW)


def test_wall_that_ends_beside_the_ray_is_not_seen() -> None:
    wall = (5.0 + NOSE_M + 0.05, 5.01, 5.0 + NOSE_M + 0.05, 5.02)
    assert readings((5.0, 5.0, 0.0), walls=(wall,))[CENTRE] == 0


def test_nearer_of_two_walls_is_seen() -> None:
    walls = tuple((5.0 + NOSE_M + gap_m, 4.0, 5.0 + NOSE_M + gap_m, 6.0) for gap_m in (0.1, 0.05))
    assert readings((5.0, 5.0, 0.0), walls=walls)[CENTRE] == pytest.approx(3366, abs=NOISE_RAW)


def test_wall_behind_is_not_seen_by_the_front() -> None:
    assert readings((0.05, 5.0, 0.0))[FRONT] == [0] * 5


@pytest.mark.parametrize("heading_rad", [0.0, 1.0, math.pi, -2.0])
def test_lone_robot_sees_nothing_not_even_itself(heading_rad: float) -> None:
    assert readings((5.0, 5.0, heading_rad)) == [0] * 7


def test_robot_ahead_is_seen_at_its_rim() -> None:
    other_x_m = 5.0 + NOSE_M + 0.05 + DISC_RADIUS_M + DISC_AHEAD_M  # it faces the first one
    assert readings((5.0, 5.0, 0.0), (other_x_m, 5.0, math.pi))[CENTRE] == pytest.approx(3366, abs=NOISE_RAW)


def test_robot_behind_is_seen_by_the_rear_alone() -> None:
    seen = readings((5.0, 5.0, 0.0), (5.0 - 0.18, 5.0, 0.0))
    assert min(seen[REAR]) > 0
    assert seen[FRONT] == [0] * 5


def test_robot_hides_the_wall_behind_it() -> None:
    axle_m = 10.0 - 0.25
    assert readings((axle_m, 5.0, 0.0), (axle_m + 0.16, 5.0, 0.0))[CENTRE] > 2000


def test_obstacle_beyond_the_range_is_not_seen() -> None:
    assert facing(RANGE_M + 0.001)[CENTRE] == 0


def test_noise_has_enkis_deviation() -> None:
    world = world_of(world_config((10.0 - NOSE_M - 0.05, 5.0, 0.0)))
    seen = np.array([world.proximity_raw()[0, CENTRE] for _ in range(2000)])
    assert seen.std() == pytest.approx(2.87, rel=0.1)
