import pytest

from fleet.geometry import Pose2D
from fleet.localization.belief import Belief, first_belief
from fleet.localization.correction import Correction
from fleet.settings.config import LocalizationConfig

CONFIG = LocalizationConfig(0.001, 0.01, degraded_s=0.5, lost_s=2.0, outlier_m=0.05, outlier_rad=0.2)
START = Pose2D(1.0, 2.0, 0.5)


def sure(correction: Correction) -> Belief:
    return correction.first(first_belief(START, learns_gains=True), START)


def test_first_pose_is_as_certain_as_its_measurement() -> None:
    belief = sure(Correction(CONFIG))
    assert (belief.pose, belief.spread.position_m, belief.spread.heading_rad) == (START, 0.001, 0.01)


@pytest.mark.parametrize(
    ("step", "is_used"),
    [
        (Pose2D(0.049, 0.0, 0.0), True),  # unlikely, but nearer than the floor
        (Pose2D(0.051, 0.0, 0.0), False),
        (Pose2D(0.0, 0.0, 0.19), True),
        (Pose2D(0.0, 0.0, -0.21), False),
    ],
)
def test_poses_that_are_neither_likely_nor_near_are_outliers(step: Pose2D, is_used: bool) -> None:
    correction = Correction(CONFIG)
    measured = Pose2D(START.x_m + step.x_m, START.y_m, START.heading_rad + step.heading_rad)
    assert (correction.correct(sure(correction), measured, 0.1) is not None) is is_used


def test_far_pose_is_accepted_while_the_belief_is_uncertain() -> None:
    correction = Correction(CONFIG)
    blind = sure(correction).inflated(sure(correction).inflated(sure(correction).spread).spread)
    for _ in range(12):
        blind = blind.inflated(blind.spread)
    assert blind.spread.position_m > 0.05
    assert correction.correct(blind, Pose2D(1.1, 2.0, 0.5), 0.1) is not None


def test_no_gains_are_learned_from_an_unlikely_pose() -> None:
    correction = Correction(CONFIG)
    after = correction.correct(sure(correction), Pose2D(1.03, 2.0, 0.5), 0.1)
    assert after is not None
    assert after.gains == first_belief(START, learns_gains=True).gains


def test_surprising_poses_raise_the_odometry_noise() -> None:
    correction = Correction(CONFIG)
    belief = sure(correction)
    for _ in range(20):
        correction.correct(belief, Pose2D(1.004, 2.004, 0.5), 0.02)
    noisier = correction.noise_scale
    for _ in range(100):
        correction.correct(belief, START, 0.02)
    assert noisier > 2.0
    assert correction.noise_scale == 1.0


def test_standing_still_does_not_change_the_odometry_noise() -> None:
    correction = Correction(CONFIG)
    correction.correct(sure(correction), Pose2D(1.004, 2.004, 0.5), 0.0)
    assert correction.noise_scale == 1.0


def test_likely_pose_ends_a_series_of_outliers() -> None:
    correction = Correction(CONFIG)
    belief = sure(correction)
    away = Pose2D(3.0, 3.0, 0.5)
    rows = [correction.correct(belief, pose, 0.1) is not None for pose in [away] * 4 + [START] + [away] * 5]
    assert rows == [False] * 4 + [True] + [False] * 4 + [True]
