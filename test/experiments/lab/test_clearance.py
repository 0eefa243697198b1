"""Gaps between outlines: closed forms for robots, walls and objects."""

import math

import numpy as np
import pytest

from aseba_link.thymio.robot_outline import OUTLINE_M
from experiments.lab.clearance import Clearance, gaps
from harness.worlds import config
from simulator.outlines.outline import box, disc, thymio

REAR_M = -min(x_m for x_m, _ in OUTLINE_M)
NOSE_M = max(x_m for x_m, _ in OUTLINE_M)


def pose(x_m: float, y_m: float, heading_rad: float = 0.0) -> np.ndarray:
    return np.array([[x_m, y_m, heading_rad]])


def test_gap_of_boxes_is_the_distance_of_their_nearest_corners() -> None:
    found = gaps(box(0.2, 0.2), pose(0.0, 0.0), box(0.2, 0.2), pose(0.5, 0.6))
    assert found == pytest.approx([math.hypot(0.3, 0.4)])


def test_gap_of_a_box_and_a_disc_is_that_of_its_edge() -> None:
    assert gaps(box(0.2, 0.2), pose(0.0, 0.0), disc(0.05), pose(0.0, 0.3)) == pytest.approx([0.15])


def test_gap_of_two_discs_is_that_of_their_middles_without_the_radii() -> None:
    assert gaps(disc(0.1), pose(0.0, 0.0), disc(0.05), pose(0.3, 0.4)) == pytest.approx([0.35])


def test_overlapping_outlines_have_no_gap() -> None:
    assert gaps(box(0.2, 0.2), pose(0.0, 0.0), box(0.1, 0.1), pose(0.02, 0.01, 0.4)) == pytest.approx([0.0])


def test_gap_of_robots_nose_to_nose() -> None:
    found = gaps(thymio(), pose(0.0, 0.0), thymio(), pose(0.3, 0.0, math.pi))
    assert found == pytest.approx([0.3 - 2.0 * NOSE_M], abs=1e-9)


def test_least_gap_is_the_smallest_over_the_requested_times() -> None:
    world = config((1.0, 1.0, 0.0), (1.0, 1.0, 0.0))
    movers = np.array([[[1.0, 1.0, 0.0], [1.0 + gap, 1.0, 0.0]] for gap in (0.4, 0.3, 0.5, 0.45)])
    clearance = Clearance(world, movers)
    assert clearance.least_gap_m(0, slice(0, 4)) == pytest.approx(0.3 - NOSE_M - REAR_M, abs=1e-9)
    assert clearance.least_gap_m(1, slice(2, 4)) == pytest.approx(0.45 - NOSE_M - REAR_M, abs=1e-9)


def test_least_gap_includes_walls() -> None:
    clearance = Clearance(config((0.2, 1.0, 0.0)), pose(0.2, 1.0)[None])
    assert clearance.least_gap_m(0, slice(0, 1)) == pytest.approx(0.2 - REAR_M, abs=1e-9)
