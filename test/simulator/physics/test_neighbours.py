"""Neighbour lists never miss a pair, wherever bodies move."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simulator.outlines.outline import disc
from simulator.physics.bodies import Bodies, BodyPiece
from simulator.physics.neighbours import Neighbours
from simulator.physics.objects import robot_piece
from simulator.physics.walls import wall

ROBOTS = 5
NEAR_M = 0.05
WALL, WALL_POSE = wall((0.2, 0.3, 0.8, 0.5))
STONE = BodyPiece(disc(0.04))
BODIES = Bodies([robot_piece()] * ROBOTS + [STONE, WALL])
EVERYTHING = [True] * (ROBOTS + 2)


def table(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the poses of robots at given places, a stone and a wall."""
    poses = np.column_stack((places, np.zeros(len(places))))
    return np.vstack((poses, (0.5, 0.8, 0.0), WALL_POSE))


def places_of(poses: NDArray[np.float64]) -> list[float]:
    places: list[float] = poses.ravel().tolist()
    return places


def near(poses: NDArray[np.float64]) -> set[tuple[int, int]]:
    """Return the pairs, by sampling the wall."""
    shares = np.linspace(-1.0, 1.0, 4001)[:, None]
    along = poses[-1, :2] + shares * np.array(BODIES.spans[-1])
    found = set()
    for robot in range(ROBOTS):
        for other in range(robot + 1, ROBOTS + 1):
            apart = np.linalg.norm(poses[robot, :2] - poses[other, :2]) - BODIES.reaches[robot] - BODIES.reaches[other]
            if apart < NEAR_M:
                found.add((robot, other))
        if np.linalg.norm(along - poses[robot, :2], axis=1).min() - BODIES.reaches[robot] < NEAR_M - 1e-4:
            found.add((robot, ROBOTS + 1))
    return found


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1), st.floats(0.001, 0.05))
def test_no_neighbour_is_missed_while_robots_wander(seed: int, stride_m: float) -> None:
    random = np.random.default_rng(seed)
    neighbours = Neighbours(BODIES, ROBOTS + 1, EVERYTHING, NEAR_M)
    places = random.uniform(0.0, 1.0, (ROBOTS, 2))
    for _ in range(40):
        places += random.uniform(-stride_m, stride_m, places.shape)
        poses = table(places)
        assert near(poses) <= set(neighbours.pairs(places_of(poses)))


def test_neighbours_of_a_teleported_robot_are_found() -> None:
    places = np.array([[0.1 + 0.3 * k, 5.0] for k in range(ROBOTS)])
    neighbours = Neighbours(BODIES, ROBOTS + 1, EVERYTHING, NEAR_M)
    assert neighbours.pairs(places_of(table(places))) == []
    places[0] = (0.5, 0.8)
    assert neighbours.pairs(places_of(table(places))) == [(0, ROBOTS)]


def test_excluded_bodies_are_left_out() -> None:
    included = EVERYTHING.copy()
    included[ROBOTS] = False
    places = np.array([[0.5, 0.8], *([5.0 + k, 5.0] for k in range(1, ROBOTS))])
    assert Neighbours(BODIES, ROBOTS + 1, included, NEAR_M).pairs(places_of(table(places))) == []
