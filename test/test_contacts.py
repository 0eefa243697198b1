"""How overlapping outlines are pushed apart: exactly, where the answer is known; as a property, where it is not."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simulator import contacts
from simulator.bodies import Bodies, Piece
from simulator.complementarity import pushes
from simulator.contacts import OVERLAP_M, settle
from simulator.outline import Outline, box, disc, thymio
from simulator.walls import wall

Array = NDArray[np.float64]

MOVABLE = (1.0, 1.0, 400.0)
PAIR = [(0, 1)]
STANDING = Piece(box(0.2, 0.2))  # cannot be moved


def gap_m(first: Outline, second: Outline, x_m: float, y_m: float = 0.0, heading_rad: float = 0.0) -> float:
    """Return the gap between one outline at the origin and another one elsewhere."""
    return contacts.gap_m(Bodies([Piece(first), Piece(second)]), [0.0, 0.0, 0.0, x_m, y_m, heading_rad], PAIR)


def settled(first: Piece, second: Piece, *poses: tuple[float, float, float]) -> Array:
    places = [number for pose in poses for number in pose]
    found, _, _ = settle(Bodies([first, second]), places, places, PAIR)
    return np.array(found).reshape(-1, 3)


def test_gap_between_boxes_is_that_of_their_sides() -> None:
    assert gap_m(box(0.2, 0.1), box(0.1, 0.1), 0.2) == pytest.approx(0.05)


def test_gap_between_discs_is_that_of_their_rims() -> None:
    assert gap_m(disc(0.03), disc(0.05), 0.06, 0.08) == pytest.approx(0.02)


def test_gap_between_a_disc_and_a_corner_is_to_the_corner() -> None:
    assert gap_m(box(0.2, 0.2), disc(0.02), 0.13, 0.14) == pytest.approx(0.03)


def test_overlap_of_a_turned_box_is_that_of_its_corner() -> None:
    assert gap_m(box(0.2, 0.2), box(0.1, 0.1), 0.16, 0.0, math.pi / 4) == pytest.approx(0.06 - 0.05 * math.sqrt(2.0))


def test_nose_of_a_thymio_is_eight_centimetres_from_its_axle() -> None:
    assert gap_m(thymio(), disc(0.01), 0.1) == pytest.approx(0.01, abs=1e-6)


@pytest.mark.parametrize("angle_rad", [0.1, 0.33, -0.6, 0.75])
def test_straight_pieces_miss_the_round_front_by_a_quarter_of_a_millimetre(angle_rad: float) -> None:
    gap = gap_m(thymio(), disc(0.001), 0.1 * math.cos(angle_rad), 0.1 * math.sin(angle_rad))
    assert 0.019 <= gap <= 0.019 + 0.00024


@settings(deadline=None)
@given(x=st.floats(-0.3, 0.3), y=st.floats(-0.3, 0.3), turn=st.floats(-3.1, 3.1))
def test_gap_does_not_depend_on_who_is_first(x: float, y: float, turn: float) -> None:
    bodies = Bodies([Piece(thymio()), Piece(box(0.1, 0.2))])
    gaps = [contacts.gap_m(bodies, [0.0, 0.0, 0.0, x, y, turn], [pair]) for pair in ((0, 1), (1, 0))]
    assert gaps[0] == pytest.approx(gaps[1], abs=1e-9)


def test_bodies_apart_are_not_moved() -> None:
    poses = (0.0, 0.0, 0.0), (0.2001, 0.0, 0.0)
    assert settled(Piece(box(0.2, 0.2), MOVABLE), Piece(box(0.2, 0.2), MOVABLE), *poses).tolist() == [
        list(pose) for pose in poses
    ]


def test_two_that_overlap_share_the_way_apart() -> None:
    found = settled(Piece(disc(0.1), MOVABLE), Piece(disc(0.1), MOVABLE), (0.0, 0.0, 0.0), (0.19, 0.0, 0.0))
    assert found[:, 0] == pytest.approx([-0.005, 0.195], abs=1e-6)


def test_what_moves_easier_goes_further() -> None:
    light = Piece(disc(0.1), (3.0, 3.0, 1200.0))
    found = settled(Piece(disc(0.1), MOVABLE), light, (0.0, 0.0, 0.0), (0.196, 0.0, 0.0))
    assert found[:, 0] == pytest.approx([-0.001, 0.199], abs=1e-6)


def test_what_is_fixed_stays() -> None:
    found = settled(STANDING, Piece(disc(0.1), MOVABLE), (0.0, 0.0, 0.0), (0.19, 0.0, 0.0))
    assert found[:, 0] == pytest.approx([0.0, 0.2], abs=1e-6)


def test_box_that_lies_flat_on_another_is_not_turned() -> None:
    found = settled(STANDING, Piece(box(0.2, 0.2), MOVABLE), (0.0, 0.0, 0.0), (0.199, 0.03, 0.0))
    assert found[1] == pytest.approx([0.2, 0.03, 0.0], abs=1e-6)


def test_box_that_is_hit_beside_its_middle_turns() -> None:
    found = settled(STANDING, Piece(box(0.2, 0.2), MOVABLE), (0.0, 0.0, 0.0), (0.199, 0.15, 0.0))
    assert abs(found[1, 2]) > 0.001
    assert found[1, 0] < 0.2


def test_wall_pushes_a_disc_straight_away() -> None:
    piece, pose = wall((-1.0, 0.0, 1.0, 0.0))
    found = settled(Piece(disc(0.05), MOVABLE), piece, (0.3, 0.048, 0.0), pose)
    assert found[0] == pytest.approx([0.3, 0.05, 0.0], abs=1e-6)


def test_end_of_a_wall_pushes_a_disc_as_a_post_does() -> None:
    piece, pose = wall((-1.0, 0.0, 0.0, 0.0))
    found = settled(Piece(disc(0.05), MOVABLE), piece, (0.6 * 0.048, 0.8 * 0.048, 0.0), pose)
    assert found[0, :2] == pytest.approx([0.03, 0.04], abs=1e-5)


@settings(deadline=None, max_examples=60)
@given(x=st.floats(-0.12, 0.12), y=st.floats(-0.12, 0.12), turn=st.floats(-3.1, 3.1))
def test_robots_come_apart_however_they_overlap(x: float, y: float, turn: float) -> None:
    bodies = Bodies([Piece(thymio(), MOVABLE)] * 2)
    places = [0.0, 0.0, 0.0, x, y, turn]
    found, _, _ = settle(bodies, places, places, PAIR)
    assert contacts.gap_m(bodies, found, PAIR) > -OVERLAP_M


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_pushes_open_every_gap_and_act_where_gaps_close(size: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    levers = random.normal(size=(size, 6))
    gaps = levers @ random.normal(size=6)  # so that there is a way out
    response = levers @ levers.T
    push = pushes(response, gaps)
    opened = response @ push + gaps
    assert push.min() >= 0.0
    assert opened.min() > -1e-4 * np.abs(gaps).max()
    assert np.abs(push * opened).max() <= 1e-4 * max(1.0, float((push * np.abs(gaps)).max()))
