import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fleet.geometry import Pose2D
from fleet.localization.belief import GAIN_BOUND, Belief, Gains, Spread, first_belief
from fleet.localization.pose_covariance import WHEEL_VARIANCE_M2PM
from fleet.localization.state_covariance import StateCovariance, diagonal
from fleet.wheels.differential_drive import DifferentialDrive

DRIVE = DifferentialDrive(0.094, 0.166)
NOISE = Spread(0.0015, 0.0075)
START = Pose2D(1.0, 2.0, 0.5)
DRIVEN = [(0.05, 0.06), (-0.02, 0.02), (0.04, 0.01)]


def driven(rolls: list[tuple[float, float]] = DRIVEN, noise_scale: float = 1.0) -> Belief:
    belief = first_belief(START, learns_gains=True).placed(START, NOISE)
    for left_m, right_m in rolls:
        belief = belief.rolled(DRIVE, left_m, right_m, noise_scale)
    return belief


def matrix(belief: Belief) -> NDArray[np.float64]:
    return np.array(belief.covariance.rows)


def end_of_way(x_m: float, y_m: float, heading_rad: float, left: float, right: float) -> NDArray[np.float64]:
    pose = Pose2D(x_m, y_m, heading_rad)
    for left_m, right_m in DRIVEN:
        pose = DRIVE.advance(pose, left * left_m, right * right_m)
    return np.array([pose.x_m, pose.y_m, pose.heading_rad, left, right])


def relative_difference(covariance: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the largest difference of any entry, relative to the standard deviations of its row and column."""
    stds = np.sqrt(np.diag(other))
    return float(np.abs((covariance - other) / np.outer(stds, stds)).max())


def test_mean_follows_the_wheels_scaled_by_their_gains() -> None:
    belief = Belief(START, Gains(1.02, 0.97), diagonal(0.0, 0.0, 0.0, 0.0, 0.0)).rolled(DRIVE, 0.05, 0.06, 1.0)
    assert belief.pose == DRIVE.advance(START, 1.02 * 0.05, 0.97 * 0.06)


def test_uncertainty_propagates_like_finite_differences() -> None:
    belief = driven(noise_scale=0.0)
    mean = np.array([START.x_m, START.y_m, START.heading_rad, 1.0, 1.0])
    steps = np.eye(5) * 1e-6
    slopes = np.column_stack([(end_of_way(*(mean + step)) - end_of_way(*(mean - step))) / 2e-6 for step in steps])
    before = matrix(driven([]))
    assert relative_difference(matrix(belief), slopes @ before @ slopes.T) < 0.02


def test_covariance_matches_a_monte_carlo_run_of_noisy_drives() -> None:
    random = np.random.default_rng(1)
    ends = []
    for _ in range(4000):
        pose = START
        for left_m, right_m in DRIVEN:
            stds = np.sqrt(WHEEL_VARIANCE_M2PM * np.abs([left_m, right_m]))
            left_noise, right_noise = random.normal(0.0, stds).tolist()
            pose = DRIVE.advance(pose, left_m + left_noise, right_m + right_noise)
        ends.append([pose.x_m, pose.y_m, pose.heading_rad])
    known = first_belief(START, learns_gains=False)
    for left_m, right_m in DRIVEN:
        known = known.rolled(DRIVE, left_m, right_m, 1.0)
    assert relative_difference(matrix(known)[:3, :3], np.cov(np.array(ends).T)) < 0.06


def test_measured_pose_is_fused_as_in_the_textbook_kalman_update() -> None:
    belief = driven()
    measured = belief.pose.compose(Pose2D(0.0005, -0.0003, 0.004))
    after, distance2 = belief.corrected(measured, NOISE, updates_gains=True)
    sees, noise = np.eye(3, 5), np.diag([0.0015**2, 0.0015**2, 0.0075**2])
    innovation = np.array(
        [measured.x_m - belief.pose.x_m, measured.y_m - belief.pose.y_m, belief.pose.heading_error_to(measured)]
    )
    spread = sees @ matrix(belief) @ sees.T + noise
    gain = matrix(belief) @ sees.T @ np.linalg.inv(spread)
    rest = np.eye(5) - gain @ sees
    step = gain @ innovation
    assert distance2 == pytest.approx(innovation @ np.linalg.inv(spread) @ innovation)
    assert matrix(after) == pytest.approx(rest @ matrix(belief) @ rest.T + gain @ noise @ gain.T, abs=1e-15)
    assert (after.pose.x_m, after.gains.left) == pytest.approx((belief.pose.x_m + step[0], 1.0 + step[3]))


def test_pose_not_used_for_learning_corrects_the_pose_but_not_the_gains() -> None:
    belief = driven()
    updated, _ = belief.corrected(Pose2D(1.08, 2.08, 0.4), NOISE, updates_gains=True)
    not_updated, _ = belief.corrected(Pose2D(1.08, 2.08, 0.4), NOISE, updates_gains=False)
    assert not_updated.gains == belief.gains
    assert not_updated.gain_stds == belief.gain_stds
    assert not_updated.pose == updated.pose
    assert not_updated.spread == updated.spread
    assert np.linalg.eigvalsh(matrix(not_updated)).min() > 0.0


def test_heading_is_corrected_the_short_way_round() -> None:
    belief = first_belief(START, True).placed(Pose2D(0.0, 0.0, math.radians(179.0)), NOISE)
    after, _ = belief.corrected(Pose2D(0.0, 0.0, math.radians(-179.0)), NOISE, updates_gains=True)
    assert abs(after.pose.heading_rad) == pytest.approx(math.pi)


def test_gains_stay_within_their_bounds() -> None:
    belief = driven([(0.5, 0.5)])
    after, _ = belief.corrected(Pose2D(9.0, 9.0, 3.0), NOISE, updates_gains=True)
    assert min(after.gains.left, after.gains.right) >= 1.0 - GAIN_BOUND
    assert max(after.gains.left, after.gains.right) <= 1.0 + GAIN_BOUND


def test_relocated_robot_keeps_its_gains() -> None:
    belief, _ = driven().corrected(Pose2D(1.06, 2.05, 0.4), NOISE, updates_gains=True)
    elsewhere = belief.placed(Pose2D(3.0, 3.0, 0.0), NOISE)
    assert (elsewhere.gains, elsewhere.gain_stds) == (belief.gains, belief.gain_stds)
    assert astuple(elsewhere.spread) == pytest.approx((0.0015, 0.0075))
    assert not matrix(elsewhere)[:3, 3:].any()


def test_standing_wheels_change_nothing() -> None:
    belief = driven()
    assert belief.rolled(DRIVE, 0.0, 0.0, 1.0) is belief


def test_position_spread_is_that_of_its_worst_direction() -> None:
    turned = np.array([[math.cos(0.3), -math.sin(0.3)], [math.sin(0.3), math.cos(0.3)]])
    (xx, xy), (_, yy) = (turned @ np.diag([0.003**2, 0.001**2]) @ turned.T).tolist()
    independent = diagonal(xx, yy, 0.0, 0.0, 0.0).upper
    covariance = StateCovariance((xx, xy, *independent[2:]))
    assert Belief(START, Gains(), covariance).spread.position_m == pytest.approx(0.003)


@given(
    st.lists(st.tuples(st.floats(-0.05, 0.05), st.floats(-0.05, 0.05)), min_size=1, max_size=30),
    st.booleans(),
    st.floats(0.0, 100.0),
)
def test_covariances_stay_positive(rolls: list[tuple[float, float]], updates_gains: bool, noise_scale: float) -> None:
    belief = driven([])
    for left_m, right_m in rolls:
        belief, _ = belief.rolled(DRIVE, left_m, right_m, noise_scale).corrected(belief.pose, NOISE, updates_gains)
    assert np.linalg.eigvalsh(matrix(belief)).min() > -1e-15
