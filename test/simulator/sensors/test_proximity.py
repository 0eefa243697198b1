"""Rays of the horizontal proximity sensors: hits, occlusion, and readings."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from harness.worlds import Pose, config, cylinder, world, world_of
from simulator.physics.walls import Ends
from simulator.sensors.proximity import (
    MAX_RAW,
    RANGE_M,
    ProximityConfig,
    ResponseKind,
    enki_raw,
    real_raw,
    response_raw,
)
from simulator.world.world import World

NOSE_M = 0.0795  # from the axle to the front sensor
REAR_M = 0.0295  # from the axle to the rear sensors
FRONT, REAR, CENTRE = slice(0, 5), slice(5, 7), 2
FIVE_CM_RAW = 3366  # reading 5 cm from a wall
PLAYGROUND = [  # centimetres from the centre sensor to a wall straight ahead; sensors 0, 1 and 2
    (0.25, 4023, 4471, 4501),
    (0.5, 3915, 4442, 4491),
    (1, 3688, 4359, 4447),
    (1.5, 3456, 4247, 4375),
    (2, 3226, 4110, 4277),
    (3, 2796, 3784, 4019),
    (4, 2419, 3424, 3705),
    (5, 2094, 3061, 3366),
    (6, 1818, 2719, 3026),
    (7, 506, 2406, 2704),
    (8, 476, 2127, 2409),
    (9, 1544, 1882, 2142),
    (10, 1368, 1669, 1907),
    (11, 0, 1485, 1700),
    (12, 0, 240, 1520),
    (13, 0, 1292, 1363),
    (13.5, 0, 0, 1292),
    (14, 0, 0, 0),
]


def readings(simulated: World, robot: int = 0) -> NDArray[np.float64]:
    """Return the mean of many readings, so that their noise is small."""
    return np.mean([simulated.sensors.proximity_raw()[robot] for _ in range(50)], axis=0)


def mean_readings(*poses: Pose, walls: tuple[Ends, ...] = ()) -> NDArray[np.float64]:
    return readings(world(*poses, walls=walls))


def wall_ahead(distance_m: float) -> Ends:
    """Return a wall ahead of a robot at (1, 1), at this distance from its nose."""
    return (1.0 + NOSE_M + distance_m, 0.5, 1.0 + NOSE_M + distance_m, 1.5)


@pytest.mark.parametrize(("distance_cm", "outer", "middle", "centre"), PLAYGROUND)
def test_wall_ahead_reads_as_measured_in_the_playground(
    distance_cm: float, outer: int, middle: int, centre: int
) -> None:
    found = mean_readings((1.0, 1.0, 0.0), walls=(wall_ahead(0.01 * distance_cm),))
    assert found[FRONT] == pytest.approx([outer, middle, centre, middle, outer], abs=4)


@pytest.mark.parametrize(("gap_m", "centre", "middle"), [(0.02, 4245, 292), (0.05, 3254, 717), (0.1, 1669, 1631)])
def test_robot_ahead_reads_as_measured_in_the_playground(gap_m: float, centre: int, middle: int) -> None:
    found = mean_readings((0.8, 1.0, 0.0), (0.8 + 2 * 0.08 + gap_m, 1.0, math.pi))
    assert found[[1, 2, 3]] == pytest.approx([middle, centre, middle], abs=0.01 * MAX_RAW)


def test_wall_behind_reads_like_a_wall_ahead() -> None:
    found = mean_readings((1.0, 1.0, 0.0), walls=((1.0 - REAR_M - 0.05, 0.5, 1.0 - REAR_M - 0.05, 1.5),))
    assert found == pytest.approx([0, 0, 0, 0, 0, FIVE_CM_RAW, FIVE_CM_RAW], abs=3)


@given(st.floats(0.0, 0.3), st.floats(0.0, 0.3))
def test_nearer_obstacle_never_responds_less(one_m: float, other_m: float) -> None:
    near, far = map(response_raw, sorted((one_m, other_m)))
    assert near >= far


@given(st.floats(0.0, 0.3), st.floats(0.0, 0.3))
def test_wide_wall_straight_ahead_never_reads_less_when_nearer(one_m: float, other_m: float) -> None:
    aside = 1.0 / math.cos(math.radians(15.0))
    near, far = (enki_raw(aside * wall_m, wall_m, aside * wall_m) for wall_m in sorted((one_m, other_m)))
    assert near >= far - 1e-9


@given(st.floats(0.0, 0.3), st.floats(0.0, 0.3), st.floats(0.0, 1.0))
def test_nearer_obstacle_never_reads_less_on_a_real_robot(one_m: float, other_m: float, gray: float) -> None:
    near, far = (real_raw(distance_m, gray) for distance_m in sorted((one_m, other_m)))
    assert near >= far


@given(st.floats(0.0, 0.3), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_darker_obstacle_never_reads_more_on_a_real_robot(distance_m: float, one: float, other: float) -> None:
    dark, bright = (real_raw(distance_m, gray) for gray in sorted((one, other)))
    assert dark <= bright


@pytest.mark.parametrize(("distance_mm", "reading"), [(10, 4430), (40, 3450), (100, 1930), (140, 1000)])
def test_white_paper_reads_as_measured_on_a_real_robot(distance_mm: float, reading: int) -> None:
    assert real_raw(0.001 * distance_mm, 1.0) == pytest.approx(reading)


@pytest.mark.parametrize(("distance_mm", "reading"), [(10, 3200), (20, 2460), (30, 1360), (40, 0)])
def test_black_paper_reads_nearly_as_measured_on_a_real_robot(distance_mm: float, reading: int) -> None:
    assert real_raw(0.001 * distance_mm, 0.0) == pytest.approx(reading, abs=0.08 * MAX_RAW)


@pytest.mark.parametrize(("distance_mm", "reading"), [(20, 4290), (40, 3010), (60, 2370), (80, 1930), (110, 1270)])
def test_brown_paper_reads_nearly_as_measured_on_a_real_robot(distance_mm: float, reading: int) -> None:
    assert real_raw(0.001 * distance_mm, 0.62) == pytest.approx(reading, abs=0.05 * MAX_RAW)


def test_world_with_real_sensors_reads_the_real_curve() -> None:
    settings = config((1.0, 1.0, 0.0), walls=(wall_ahead(0.05),))
    simulated = world_of(replace(settings, proximity=ProximityConfig(ResponseKind.REAL, 5.0)))
    assert readings(simulated)[CENTRE] == pytest.approx(3010, abs=4)


@pytest.mark.parametrize("distance_m", [0.02, 0.05, 0.07])
def test_world_with_smooth_sensors_reads_along_their_axes(distance_m: float) -> None:
    settings = config((1.0, 1.0, 0.0), walls=(wall_ahead(distance_m),))
    simulated = world_of(replace(settings, proximity=ProximityConfig(ResponseKind.SMOOTH, 0.0)))
    along_m = (NOSE_M + distance_m - 0.062) / math.cos(math.radians(40.0))
    assert readings(simulated)[0] == pytest.approx(response_raw(along_m), abs=1)


def test_world_with_real_sensors_reads_less_from_dark_obstacles() -> None:
    post = cylinder(1.0 + NOSE_M + 0.05, 1.0, 0.02)
    settings = replace(config((1.0, 1.0, 0.0)), proximity=ProximityConfig(ResponseKind.REAL, 0.0))
    dark, bright = (
        readings(world_of(replace(settings, objects=(replace(post, gray=gray),))))[CENTRE] for gray in (0.0, 1.0)
    )
    assert (dark, bright) == pytest.approx((1360, 4120), abs=250)


@given(st.floats(0.0, 10.0))
def test_response_is_within_its_range(distance_m: float) -> None:
    assert 0.0 <= response_raw(distance_m) <= MAX_RAW


def test_missing_obstacle_reads_zero() -> None:
    assert response_raw(math.inf) == 0.0


@pytest.mark.parametrize("heading_rad", [0.0, 1.0, math.pi, -2.0])
def test_lone_robot_sees_nothing_not_even_itself(heading_rad: float) -> None:
    assert mean_readings((1.0, 1.0, heading_rad)).tolist() == [0] * 7


@settings(deadline=None, max_examples=40)
@given(st.floats(-math.pi, math.pi))
def test_sensors_turn_with_the_robot(heading_rad: float) -> None:
    away = np.array([NOSE_M + 0.05, 0.5])
    cosine, sine = math.cos(heading_rad), math.sin(heading_rad)
    ends = [(1.0 + cosine * x - sine * y, 1.0 + sine * x + cosine * y) for x, y in (away, away * (1.0, -1.0))]
    found = mean_readings((1.0, 1.0, heading_rad), walls=((*ends[0], *ends[1]),))
    assert found[FRONT] == pytest.approx([2094, 3061, 3366, 3061, 2094], abs=4)


def test_wall_ending_beside_the_rays_is_not_seen() -> None:
    distance_m = 1.0 + NOSE_M + 0.05
    assert mean_readings((1.0, 1.0, 0.0), walls=((distance_m, 1.015, distance_m, 1.03),))[CENTRE] == 0


def test_nearer_of_two_walls_is_seen() -> None:
    assert mean_readings((1.0, 1.0, 0.0), walls=(wall_ahead(0.1), wall_ahead(0.05)))[CENTRE] == pytest.approx(
        3366, abs=3
    )


def test_wall_behind_is_not_seen_by_the_front() -> None:
    assert mean_readings((1.0, 1.0, 0.0), walls=((0.95, 0.5, 0.95, 1.5),))[FRONT].tolist() == [0] * 5


def test_wall_beyond_the_range_is_not_seen() -> None:
    assert mean_readings((1.0, 1.0, 0.0), walls=(wall_ahead(RANGE_M + 0.001),)).tolist() == [0] * 7


def test_robot_behind_is_seen_only_by_the_rear() -> None:
    found = mean_readings((1.0, 1.0, 0.0), (1.0 - REAR_M - 0.03 - 0.08, 1.0, 0.0))
    assert min(found[REAR]) > 2000
    assert found[FRONT].tolist() == [0] * 5


def test_wall_hides_the_robot_behind_it() -> None:
    alone, hidden = (
        mean_readings((1.0, 1.0, 0.0), *others, walls=(wall_ahead(0.05),)) for others in ((), ((1.3, 1.0, 0.0),))
    )
    assert hidden == pytest.approx(alone, abs=3)


def test_noise_of_a_proximity_reading_equals_enkis() -> None:
    simulated = world((1.0, 1.0, 0.0), walls=(wall_ahead(0.05),))
    assert np.std([simulated.sensors.proximity_raw()[0][CENTRE] for _ in range(2000)]) == pytest.approx(2.87, rel=0.1)


def test_proximity_sensing_does_not_change_how_robots_move() -> None:
    one, other = (world((1.0, 1.0, 0.0), walls=(wall_ahead(0.05),)) for _ in range(2))
    one.sensors.proximity_raw()
    one.step(0.01)
    other.step(0.01)
    assert one.poses.positions_m.tolist() == other.poses.positions_m.tolist()
