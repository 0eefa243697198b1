"""Robots that touch each other or walls."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.contacts import DISC_AHEAD_M, DISC_RADIUS_M, disc_centres, resolve
from simulator.world import World
from worlds import Pose, ring, world_config, world_of

DT_S = 0.01
TOUCHING_M = 1e-3  # by so much bodies that are squeezed may overlap
NO_WALLS = np.zeros((0, 4))
SPEEDS = st.integers(-500, 500)


def gaps_m(world: World) -> list[float]:
    """Return the distances between the rims of all pairs of bodies."""
    centres = disc_centres(world.positions_m, world.headings_rad)
    return [math.dist(one, other) - 2.0 * DISC_RADIUS_M for one, other in itertools.combinations(centres, 2)]


def inset_m(world: World, size_m: float) -> float:
    """Return how far the outermost rim is inside of a square arena."""
    centres = disc_centres(world.positions_m, world.headings_rad)
    return float(min(centres.min(), size_m - centres.max())) - DISC_RADIUS_M


def run(world: World, targets_raw: list[tuple[int, int]], steps: int) -> tuple[float, float]:
    """Return the smallest gap between robots and the smallest inset in a square of 1 m, after any step."""
    world.targets_raw[:] = targets_raw
    gap_m, least_inset_m = math.inf, math.inf
    for _ in range(steps):
        world.step(DT_S)
        gap_m = min([gap_m, *gaps_m(world)])
        least_inset_m = min(least_inset_m, inset_m(world, 1.0))
    return gap_m, least_inset_m


def test_centre_of_a_body_lies_ahead_of_its_axle() -> None:
    centres = disc_centres(np.array([[1.0, 2.0]]), np.array([math.pi / 2]))
    assert centres[0] == pytest.approx([1.0, 2.0 + DISC_AHEAD_M])


def test_bodies_apart_are_not_moved() -> None:
    shift = resolve(np.array([[0.0, 0.0], [2.01 * DISC_RADIUS_M, 0.0]]), NO_WALLS)
    assert not shift.any()


def test_overlapping_bodies_share_the_way_apart() -> None:
    shift = resolve(np.array([[0.0, 0.0], [1.8 * DISC_RADIUS_M, 0.0]]), NO_WALLS)
    assert shift == pytest.approx(np.array([[-0.1, 0.0], [0.1, 0.0]]) * DISC_RADIUS_M, abs=1e-6)


def test_wall_pushes_a_body_straight_away() -> None:
    shift = resolve(np.array([[0.5, 0.6 * DISC_RADIUS_M]]), np.array([[0.0, 0.0, 1.0, 0.0]]))
    assert shift[0] == pytest.approx([0.0, 0.4 * DISC_RADIUS_M], abs=1e-6)


def test_end_of_a_wall_pushes_a_body_as_a_point_does() -> None:
    place = 0.5 * DISC_RADIUS_M * np.array([[0.6, 0.8]])
    moved = place + resolve(place, np.array([[-1.0, 0.0, 0.0, 0.0]]))
    assert moved[0] == pytest.approx([0.6 * DISC_RADIUS_M, 0.8 * DISC_RADIUS_M], abs=1e-6)


def test_wall_of_no_length_is_a_post() -> None:
    moved = resolve(np.array([[0.03, 0.0]]), np.zeros((1, 4)))
    assert moved[0] == pytest.approx([DISC_RADIUS_M - 0.03, 0.0], abs=1e-6)


def test_bodies_in_the_same_place_come_apart() -> None:
    moved = resolve(np.zeros((2, 2)), NO_WALLS)
    assert math.dist(*moved) == pytest.approx(2.0 * DISC_RADIUS_M, abs=1e-6)


@settings(max_examples=25)
@given(targets_raw=st.lists(st.tuples(SPEEDS, SPEEDS), min_size=5, max_size=5))
def test_robots_that_drive_anywhere_in_a_small_arena_never_overlap(targets_raw: list[tuple[int, int]]) -> None:
    poses: list[Pose] = [(0.2, 0.2, 0.5), (0.8, 0.2, 2.0), (0.5, 0.5, -1.0), (0.2, 0.8, -0.5), (0.8, 0.8, -2.0)]
    gap_m, least_inset_m = run(world_of(world_config(*poses, size_m=1.0)), targets_raw, 150)
    assert gap_m > -TOUCHING_M
    assert least_inset_m > -TOUCHING_M


@pytest.mark.parametrize("count", [2, 3, 6, 8])
def test_robots_that_meet_in_the_middle_never_overlap(count: int) -> None:
    world = world_of(world_config(*ring(count, 0.5, 0.35), size_m=1.0))
    gap_m, _ = run(world, [(500, 500)] * count, 300)
    assert gap_m > -TOUCHING_M


def test_robot_that_drives_into_a_wall_stops_with_its_nose_there() -> None:
    world = world_of(world_config((0.5, 0.5, 0.0), size_m=1.0))
    run(world, [(300, 300)], 500)
    assert world.positions_m[0] == pytest.approx([1.0 - DISC_RADIUS_M - DISC_AHEAD_M, 0.5], abs=TOUCHING_M)


def test_robot_that_is_held_in_a_corner_stays_inside() -> None:
    world = world_of(world_config((0.8, 0.8, math.pi / 4), size_m=1.0))
    _, least_inset_m = run(world, [(500, 500)], 300)
    assert least_inset_m > -TOUCHING_M


def test_robot_does_not_pass_a_wall_inside_of_the_arena() -> None:
    world = world_of(world_config((0.3, 0.5, 0.0), size_m=1.0, walls=[(0.6, 0.0, 0.6, 1.0)]))
    run(world, [(500, 500)], 500)
    assert world.positions_m[0, 0] < 0.6 - DISC_RADIUS_M


def test_robot_pushes_another_that_rests() -> None:
    world = world_of(world_config((0.3, 0.5, 0.0), (0.5, 0.5, 0.0), size_m=1.0))
    run(world, [(300, 300), (0, 0)], 200)
    assert world.positions_m[1, 0] > 0.55


def test_wheels_turn_on_while_a_robot_is_held() -> None:
    world = world_of(world_config((0.85, 0.5, 0.0), size_m=1.0))
    run(world, [(300, 300)], 200)
    assert world.speeds_raw().tolist() == [[300, 300]]
