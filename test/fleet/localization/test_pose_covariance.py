"""Covariances of odometry poses, against integrals that can be solved by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.localization.pose_covariance import WHEEL_VARIANCE_M2PM, after_travel
from fleet.localization.state_covariance import StateCovariance, diagonal

AXLE_M = 0.094
K = WHEEL_VARIANCE_M2PM
CERTAIN = diagonal(0.0, 0.0, 0.0, 0.0, 0.0)

travels = st.floats(-0.05, 0.05)
headings = st.floats(-math.pi, math.pi)


def driven(left_m: float, right_m: float, steps: int, heading_rad: float = 0.0) -> StateCovariance:
    """Return the covariance after a number of equal steps."""
    covariance = CERTAIN
    turned_rad = (right_m - left_m) / AXLE_M / steps
    for step in range(steps):
        before_rad = heading_rad + step * turned_rad
        covariance = after_travel(covariance, left_m / steps, right_m / steps, before_rad, AXLE_M)
    return covariance


def matrix(covariance: StateCovariance) -> np.ndarray:
    """Return the part of x, y and heading."""
    return np.array(covariance.rows)[:3, :3]


@pytest.mark.parametrize("distance_m", [0.5, 1.0, -2.0])
def test_on_a_straight_line_heading_drift_displaces_the_position_sideways(distance_m: float) -> None:
    covariance = matrix(driven(distance_m, distance_m, 2000))
    rolled_m = abs(distance_m)
    assert covariance[0, 0] == pytest.approx(K * rolled_m / 2)
    assert covariance[2, 2] == pytest.approx(2 * K * rolled_m / AXLE_M**2)
    # the integral of (D - s)^2 times the growth of the heading's variance
    assert covariance[1, 1] == pytest.approx(2 * K * rolled_m**3 / (3 * AXLE_M**2), rel=1e-5)
    assert covariance[1, 2] == pytest.approx(math.copysign(K * rolled_m**2 / AXLE_M**2, distance_m), rel=1e-5)


@pytest.mark.parametrize("turn_rad", [1.0, -3.0, 20.0])
def test_heading_variance_of_a_turn_on_the_spot_grows_with_the_travel_of_both_wheels(turn_rad: float) -> None:
    wheel_m = 0.5 * AXLE_M * turn_rad
    assert driven(-wheel_m, wheel_m, 500).heading == pytest.approx(K * abs(turn_rad) / AXLE_M)


def test_heading_std_after_a_metre_and_a_third_is_a_fiftieth_of_a_radian() -> None:
    assert math.sqrt(driven(1.34, 1.34, 100).heading) == pytest.approx(0.02, rel=0.01)


@given(travels, travels, travels, travels, headings)
def test_a_covariance_stays_positive_and_its_trace_grows(
    left_m: float, right_m: float, then_left_m: float, then_right_m: float, heading_rad: float
) -> None:
    before = after_travel(CERTAIN, left_m, right_m, heading_rad, AXLE_M)
    then_rad = heading_rad + (right_m - left_m) / AXLE_M
    after = after_travel(before, then_left_m, then_right_m, then_rad, AXLE_M)
    assert np.linalg.eigvalsh(matrix(after)).min() >= -1e-15
    assert after.heading >= before.heading


@given(travels, travels, headings)
def test_a_covariance_turns_with_the_frame(left_m: float, right_m: float, heading_rad: float) -> None:
    turn = np.array(
        [
            [math.cos(heading_rad), -math.sin(heading_rad), 0.0],
            [math.sin(heading_rad), math.cos(heading_rad), 0.0],
            [0.0, 0.0, 1.0],
        ]
    )
    along_x, turned = driven(left_m, right_m, 3), driven(left_m, right_m, 3, heading_rad)
    assert matrix(turned) == pytest.approx(turn @ matrix(along_x) @ turn.T, abs=1e-15)


def test_covariance_does_not_grow_at_standstill() -> None:
    covariance = driven(0.3, 0.2, 10)
    assert after_travel(covariance, 0.0, 0.0, 1.0, AXLE_M) == covariance
