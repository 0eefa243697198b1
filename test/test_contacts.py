"""How overlapping bodies and walls are pushed apart."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simulator.contacts import DISC_AHEAD_M, DISC_RADIUS_M, disc_centres, resolve

Array = NDArray[np.float64]

NO_WALLS = np.zeros((0, 4))
BOX_M = np.array([[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]])
STEP_M = 0.00166  # as far as a robot gets in a step
OVERLAP_M = 1e-4  # by so much squeezed bodies may overlap


def gap_m(centres_m: Array) -> float:
    """Return the smallest distance between the rims of two bodies."""
    return min(math.dist(*pair) for pair in itertools.combinations(centres_m, 2)) - 2.0 * DISC_RADIUS_M


def inset_m(centres_m: Array) -> float:
    """Return how far the outermost rim is inside of the box."""
    return float(min(centres_m.min(), 1.0 - centres_m.max())) - DISC_RADIUS_M


def test_centre_of_a_body_lies_ahead_of_its_axle() -> None:
    centres = disc_centres(np.array([[1.0, 2.0]]), np.array([math.pi / 2]))
    assert centres[0] == pytest.approx([1.0, 2.0 + DISC_AHEAD_M])


def test_bodies_apart_are_not_moved() -> None:
    assert not resolve(np.array([[0.2, 0.2], [0.2 + 2.01 * DISC_RADIUS_M, 0.2]]), BOX_M).any()


def test_two_overlapping_bodies_share_the_way_apart() -> None:
    shift = resolve(np.array([[0.0, 0.0], [1.8 * DISC_RADIUS_M, 0.0]]), NO_WALLS)
    assert shift == pytest.approx(np.array([[-0.1, 0.0], [0.1, 0.0]]) * DISC_RADIUS_M, abs=1e-6)


def test_wall_pushes_a_body_straight_away() -> None:
    shift = resolve(np.array([[0.5, 0.6 * DISC_RADIUS_M]]), BOX_M)
    assert shift[0] == pytest.approx([0.0, 0.4 * DISC_RADIUS_M], abs=1e-6)


def test_corner_pushes_a_body_away_from_both_walls() -> None:
    centre = np.full((1, 2), 0.5 * DISC_RADIUS_M)
    assert (centre + resolve(centre, BOX_M))[0] == pytest.approx([DISC_RADIUS_M, DISC_RADIUS_M], abs=1e-6)


def test_end_of_a_wall_pushes_a_body_as_a_post_does() -> None:
    centre = 0.5 * DISC_RADIUS_M * np.array([[0.6, 0.8]])
    moved = centre + resolve(centre, np.array([[-1.0, 0.0, 0.0, 0.0]]))
    assert moved[0] == pytest.approx([0.6 * DISC_RADIUS_M, 0.8 * DISC_RADIUS_M], abs=1e-6)


def test_wall_of_no_length_is_a_post() -> None:
    shift = resolve(np.array([[0.03, 0.0]]), np.zeros((1, 4)))
    assert shift[0] == pytest.approx([DISC_RADIUS_M - 0.03, 0.0], abs=1e-6)


def test_body_between_a_robot_and_a_wall_leaves_both() -> None:
    centres = np.array([[1.0 - 0.9 * DISC_RADIUS_M, 0.5], [1.0 - 2.7 * DISC_RADIUS_M, 0.5]])
    moved = centres + resolve(centres, BOX_M)
    assert min(gap_m(moved), inset_m(moved)) > -OVERLAP_M


@pytest.mark.parametrize("count", [2, 3, 6, 8])
def test_robots_that_all_push_to_the_middle_do_not_overlap(count: int) -> None:
    angles = 2.0 * math.pi * np.arange(count) / count
    outwards = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    centres = 0.5 + 0.35 * outwards
    for _ in range(300):
        centres -= STEP_M * outwards
        centres += resolve(centres, NO_WALLS)
    assert gap_m(centres) > -OVERLAP_M


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(0.0, 2.0 * math.pi), min_size=9, max_size=9))
def test_crowd_pushing_anywhere_in_a_box_stays_inside_and_apart(headings_rad: list[float]) -> None:
    centres = np.array([[0.3 + 0.2 * column, 0.3 + 0.2 * row] for column in range(3) for row in range(3)])
    steps = STEP_M * np.stack((np.cos(headings_rad), np.sin(headings_rad)), axis=1)
    for _ in range(150):
        centres += steps
        centres += resolve(centres, BOX_M)
    assert min(gap_m(centres), inset_m(centres)) > -OVERLAP_M
