"""Overlapping outlines are pushed apart: compared with exact results where known, otherwise with properties."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simulator.outlines.outline import Outline, box, disc, thymio
from simulator.physics import contacts
from simulator.physics.bodies import Bodies, BodyPiece
from simulator.physics.complementarity import pushes
from simulator.physics.contact_solver import ContactSolver
from simulator.physics.contacts import OVERLAP_M, settle
from simulator.physics.placed_bodies import PlacedBodies
from simulator.physics.pose_table import PoseTable
from simulator.physics.walls import wall

Array = NDArray[np.float64]

MOVABLE = (1.0, 1.0, 400.0)
PAIR = [(0, 1)]
STANDING = BodyPiece(box(0.2, 0.2))  # cannot be moved


def gap_m(first: Outline, second: Outline, x_m: float, y_m: float = 0.0, heading_rad: float = 0.0) -> float:
    """Return the gap between one outline at the origin and another one elsewhere."""
    return contacts.gap_m(Bodies([BodyPiece(first), BodyPiece(second)]), [0.0, 0.0, 0.0, x_m, y_m, heading_rad], PAIR)


def settled(first: BodyPiece, second: BodyPiece, *poses: tuple[float, float, float]) -> Array:
    places = [number for pose in poses for number in pose]
    found, _, _ = settle(Bodies([first, second]), places, places, PAIR)
    return np.array(found).reshape(-1, 3)


def test_gap_between_boxes_is_measured_between_their_sides() -> None:
    assert gap_m(box(0.2, 0.1), box(0.1, 0.1), 0.2) == pytest.approx(0.05)


def test_gap_between_discs_is_measured_between_their_rims() -> None:
    assert gap_m(disc(0.03), disc(0.05), 0.06, 0.08) == pytest.approx(0.02)


def test_gap_between_a_disc_and_a_box_is_measured_to_the_corner() -> None:
    assert gap_m(box(0.2, 0.2), disc(0.02), 0.13, 0.14) == pytest.approx(0.03)


def test_overlap_of_a_turned_box_is_measured_at_its_corner() -> None:
    assert gap_m(box(0.2, 0.2), box(0.1, 0.1), 0.16, 0.0, math.pi / 4) == pytest.approx(0.06 - 0.05 * math.sqrt(2.0))


def test_nose_of_a_thymio_is_eight_centimetres_from_its_axle() -> None:
    assert gap_m(thymio(), disc(0.01), 0.1) == pytest.approx(0.01, abs=1e-6)


@pytest.mark.parametrize("angle_rad", [0.1, 0.33, -0.6, 0.75])
def test_straight_pieces_match_the_round_front_within_a_quarter_of_a_millimetre(angle_rad: float) -> None:
    gap = gap_m(thymio(), disc(0.001), 0.1 * math.cos(angle_rad), 0.1 * math.sin(angle_rad))
    assert 0.019 <= gap <= 0.019 + 0.00024


@settings(deadline=None)
@given(x=st.floats(-0.3, 0.3), y=st.floats(-0.3, 0.3), turn=st.floats(-3.1, 3.1))
def test_gap_does_not_depend_on_the_order_of_bodies(x: float, y: float, turn: float) -> None:
    bodies = Bodies([BodyPiece(thymio()), BodyPiece(box(0.1, 0.2))])
    gaps = [contacts.gap_m(bodies, [0.0, 0.0, 0.0, x, y, turn], [pair]) for pair in ((0, 1), (1, 0))]
    assert gaps[0] == pytest.approx(gaps[1], abs=1e-9)


def test_separate_bodies_are_not_moved() -> None:
    poses = (0.0, 0.0, 0.0), (0.2001, 0.0, 0.0)
    assert settled(BodyPiece(box(0.2, 0.2), MOVABLE), BodyPiece(box(0.2, 0.2), MOVABLE), *poses).tolist() == [
        list(pose) for pose in poses
    ]


def test_two_overlapping_bodies_share_the_separation() -> None:
    found = settled(BodyPiece(disc(0.1), MOVABLE), BodyPiece(disc(0.1), MOVABLE), (0.0, 0.0, 0.0), (0.19, 0.0, 0.0))
    assert found[:, 0] == pytest.approx([-0.005, 0.195], abs=1e-6)


def test_body_with_more_mobility_moves_further() -> None:
    light = BodyPiece(disc(0.1), (3.0, 3.0, 1200.0))
    found = settled(BodyPiece(disc(0.1), MOVABLE), light, (0.0, 0.0, 0.0), (0.196, 0.0, 0.0))
    assert found[:, 0] == pytest.approx([-0.001, 0.199], abs=1e-6)


def test_fixed_body_stays() -> None:
    found = settled(STANDING, BodyPiece(disc(0.1), MOVABLE), (0.0, 0.0, 0.0), (0.19, 0.0, 0.0))
    assert found[:, 0] == pytest.approx([0.0, 0.2], abs=1e-6)


def test_box_flat_against_another_is_not_turned() -> None:
    found = settled(STANDING, BodyPiece(box(0.2, 0.2), MOVABLE), (0.0, 0.0, 0.0), (0.199, 0.03, 0.0))
    assert found[1] == pytest.approx([0.2, 0.03, 0.0], abs=1e-6)


def test_box_hit_off_centre_turns() -> None:
    found = settled(STANDING, BodyPiece(box(0.2, 0.2), MOVABLE), (0.0, 0.0, 0.0), (0.199, 0.15, 0.0))
    assert abs(found[1, 2]) > 0.001
    assert found[1, 0] < 0.2


def test_wall_pushes_a_disc_straight_away() -> None:
    piece, pose = wall((-1.0, 0.0, 1.0, 0.0))
    found = settled(BodyPiece(disc(0.05), MOVABLE), piece, (0.3, 0.048, 0.0), pose)
    assert found[0] == pytest.approx([0.3, 0.05, 0.0], abs=1e-6)


def test_end_of_a_wall_pushes_a_disc_like_a_post() -> None:
    piece, pose = wall((-1.0, 0.0, 0.0, 0.0))
    found = settled(BodyPiece(disc(0.05), MOVABLE), piece, (0.6 * 0.048, 0.8 * 0.048, 0.0), pose)
    assert found[0, :2] == pytest.approx([0.03, 0.04], abs=1e-5)


def test_bodies_that_were_put_into_each_other_come_apart_a_few_at_a_time() -> None:
    discs = 40
    bodies = Bodies([BodyPiece(disc(0.05), MOVABLE) for _ in range(discs)])
    places = [0.001 * (number % 7) for number in range(3 * discs)]
    pairs = list(combinations(range(discs), 2))
    for _ in range(60):
        places = settle(bodies, places, places, pairs)[0]
    assert contacts.gap_m(bodies, places, pairs) > -OVERLAP_M


@settings(deadline=None, max_examples=60)
@given(x=st.floats(-0.12, 0.12), y=st.floats(-0.12, 0.12), turn=st.floats(-3.1, 3.1))
def test_robots_are_separated_from_any_overlap(x: float, y: float, turn: float) -> None:
    bodies = Bodies([BodyPiece(thymio(), MOVABLE)] * 2)
    places = [0.0, 0.0, 0.0, x, y, turn]
    found, _, _ = settle(bodies, places, places, PAIR)
    assert contacts.gap_m(bodies, found, PAIR) > -OVERLAP_M


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_pushes_open_every_gap_and_act_where_gaps_close(size: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    levers = random.normal(size=(size, 6))
    gaps = levers @ random.normal(size=6)  # so that a solution exists
    response = levers @ levers.T
    push = pushes(response, gaps)
    opened = response @ push + gaps
    assert push.min() >= 0.0
    assert opened.min() > -1e-4 * np.abs(gaps).max()
    assert np.abs(push * opened).max() <= 1e-4 * max(1.0, float((push * np.abs(gaps)).max()))


def test_robots_that_meet_touch_in_the_step_in_which_they_would_overlap() -> None:
    poses = PoseTable()
    bodies = PlacedBodies(poses, [(0.0, 0.0, 0.0), (0.3005, 0.0, math.pi)], [], [(5.0, 5.0, 6.0, 5.0)])
    solver = ContactSolver(bodies, poses)
    for _ in range(100):
        gap = contacts.gap_m(bodies.table, poses.places(), PAIR)
        poses.roll([0.001] * 4, [0.095] * 2)
        touching, _ = solver.settle(poses.places().copy(), was_touching=False)
        assert touching == (PAIR if gap < 0.002 else [])
        if touching:
            break
    assert 0.0 <= gap < 0.002
