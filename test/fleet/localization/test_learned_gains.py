"""Wheel gains as the estimator learns them from measured poses."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from fleet.geometry import Pose2D
from fleet.localization.belief import GAIN_BOUND
from fleet.localization.pose_estimator import PoseEstimator
from fleet.settings.config import LocalizationConfig
from fleet.wheels.differential_drive import DifferentialDrive

DRIVE = DifferentialDrive(0.094, 0.166)
CONFIG = LocalizationConfig(0.0015, 0.0075, degraded_s=0.5, lost_s=2.0, outlier_m=0.05, outlier_rad=0.2)
MS = 1_000_000
PERIOD_NS = 50 * MS
STRAIGHT = [(0.005, 0.005)] * 20
CURVE = [(0.004, 0.006)] * 20
TURN = [(-0.004, 0.004)] * 15
STANDING = [(0.0, 0.0)] * 100


def estimator(has_source: bool = True, learns_gains: bool = True) -> PoseEstimator:
    return PoseEstimator(DRIVE, Pose2D(0.0, 0.0, 0.0), has_source, CONFIG, learns_gains)


def drive(
    subject: PoseEstimator,
    rolls: list[tuple[float, float]],
    gains: tuple[float, float],
    noise: np.random.Generator | None = None,
    late_ms: int = 0,
) -> int:
    """Report the wheels' travel at 20 Hz; measure the pose 20 ms after each report, and deliver it late."""
    pose, now_ns = Pose2D(1.0, 2.0, 0.5), 0
    subject.restart_odometry(0)
    delivered: list[tuple[int, Pose2D, int]] = []
    for left_m, right_m in rolls:
        middle = DRIVE.advance(pose, 0.4 * gains[0] * left_m, 0.4 * gains[1] * right_m)
        stamp_ns = now_ns + 20 * MS
        delivered.append((stamp_ns, noisy(middle, noise), stamp_ns + late_ms * MS))
        pose = DRIVE.advance(pose, gains[0] * left_m, gains[1] * right_m)
        now_ns += PERIOD_NS
        subject.on_wheels(left_m, right_m, 0.05, now_ns)
        while delivered and delivered[0][2] <= now_ns:
            subject.on_pose(delivered[0][1], delivered[0][0], now_ns)
            del delivered[0]
    return now_ns


def noisy(pose: Pose2D, noise: np.random.Generator | None) -> Pose2D:
    if noise is None:
        return pose
    dx, dy = noise.normal(0.0, 0.001, 2).tolist()
    return Pose2D(pose.x_m + dx, pose.y_m + dy, pose.heading_rad + float(noise.normal(0.0, math.radians(0.3))))


def corners() -> Iterator[tuple[float, float]]:
    for _ in range(6):
        yield from STRAIGHT * 2
        yield from TURN


def learned(subject: PoseEstimator) -> tuple[float, float]:
    return subject.gains.left, subject.gains.right


@pytest.mark.parametrize("gains", [(1.03, 0.97), (0.97, 1.03), (1.05, 1.05), (0.95, 0.96)])
@pytest.mark.parametrize("late_ms", [0, 130])
def test_gains_are_learned_for_any_mismatch(gains: tuple[float, float], late_ms: int) -> None:
    subject = estimator()
    drive(subject, list(corners()), gains, late_ms=late_ms)
    assert learned(subject) == pytest.approx(gains, abs=0.002)


@pytest.mark.parametrize("seed", range(5))
def test_noise_of_a_millimetre_leaves_half_a_percent_after_two_metres(seed: int) -> None:
    subject = estimator()
    drive(subject, (STRAIGHT + CURVE) * 10, (1.03, 0.97), np.random.default_rng(seed))
    assert learned(subject) == pytest.approx((1.03, 0.97), abs=0.005)
    assert subject.gain_stds.left < 0.006


@pytest.mark.parametrize("noise", [None, np.random.default_rng(1)])
def test_nothing_is_learned_while_standing_still(noise: np.random.Generator | None) -> None:
    subject = estimator()
    drive(subject, STANDING * 2, (1.05, 0.95), noise)
    assert learned(subject) == (1.0, 1.0)


def test_robot_pushed_while_standing_keeps_its_gains() -> None:
    subject = estimator()
    now_ns = drive(subject, [*corners(), (0.0, 0.0)], (1.03, 0.97))
    before, estimate = learned(subject), subject.estimate()
    assert estimate is not None
    for step in range(1, 60):
        subject.on_wheels(0.0, 0.0, 0.05, now_ns + step * PERIOD_NS)
        pushed = estimate.pose.compose(Pose2D(0.0005 * step, 0.0003 * step, 0.001 * step))
        subject.on_pose(pushed, now_ns + step * PERIOD_NS, now_ns + step * PERIOD_NS)
    assert learned(subject) == before


def test_turn_on_the_spot_reveals_the_sum_of_the_gains_and_hardly_their_difference() -> None:
    subject = estimator()
    drive(subject, TURN, (1.03, 1.03))
    assert sum(learned(subject)) == pytest.approx(2.06, abs=0.01)
    assert subject.gain_stds.left > 0.5 * estimator().gain_stds.left


def test_gains_stay_within_their_bounds() -> None:
    subject = estimator()
    drive(subject, STRAIGHT * 20, (1.3, 0.8))
    assert min(learned(subject)) >= 1.0 - GAIN_BOUND
    assert max(learned(subject)) <= 1.0 + GAIN_BOUND


def test_nothing_is_learned_from_a_robot_that_is_carried() -> None:
    subject = estimator()
    now_ns = drive(subject, STRAIGHT * 5, (1.0, 1.0))
    for step in range(1, 30):
        subject.on_wheels(0.005, 0.005, 0.05, now_ns + step * PERIOD_NS)
        subject.on_pose(Pose2D(5.0, 0.3 * step, 1.0), now_ns + step * PERIOD_NS, now_ns + step * PERIOD_NS)
    assert learned(subject) == pytest.approx((1.0, 1.0), abs=0.002)


def test_left_and_right_are_mirror_images() -> None:
    left_turning, right_turning = estimator(), estimator()
    drive(left_turning, CURVE * 5, (1.04, 0.98))
    drive(right_turning, [(right, left) for left, right in CURVE] * 5, (0.98, 1.04))
    assert learned(left_turning) == pytest.approx((right_turning.gains.right, right_turning.gains.left), abs=2e-3)


@pytest.mark.parametrize(("has_source", "learns_gains"), [(True, False), (False, True)])
def test_gains_are_not_learned_if_disabled_or_without_a_pose_source(has_source: bool, learns_gains: bool) -> None:
    subject = estimator(has_source, learns_gains)
    drive(subject, STRAIGHT * 5, (1.04, 0.97))
    assert learned(subject) == (1.0, 1.0)
