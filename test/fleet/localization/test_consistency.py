"""Whether the filter is consistent: errors of many seeded runs against the covariances that it reports."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from fleet.geometry import Pose2D
from fleet.localization.belief import Belief, Spread, first_belief
from fleet.localization.pose_covariance import WHEEL_VARIANCE_M2PM
from fleet.localization.pose_estimator import PoseEstimator
from fleet.settings.config import LocalizationConfig
from fleet.wheels.differential_drive import DifferentialDrive

DRIVE = DifferentialDrive(0.094, 0.166)
NOISE = Spread(0.0015, 0.0075)
CONFIG = LocalizationConfig(0.0015, 0.0075, degraded_s=0.5, lost_s=2.0, outlier_m=0.05, outlier_rad=0.2)
START = Pose2D(1.0, 2.0, 0.5)
MS = 1_000_000
RUNS = 60
WAYS = [(0.005, 0.005)] * 60 + [(-0.004, 0.004)] * 20 + [(0.004, 0.006)] * 60 + [(0.006, 0.003)] * 60


class TrueRobot:
    """A robot whose wheels differ and vary as the filter assumes; its gains are drawn too."""

    def __init__(self, seed: int, gain_std: float = 0.03) -> None:
        self._random = np.random.default_rng(seed)
        self.gains: list[float] = self._random.normal(1.0, gain_std, 2).tolist()
        self.pose = START

    def drive(self) -> Iterator[tuple[float, float]]:
        """Drive; yield the travel that each wheel reports."""
        for reported in WAYS:
            stds = np.sqrt(WHEEL_VARIANCE_M2PM * np.abs(reported))
            left_m, right_m = (np.array(reported) * self.gains + self._random.normal(0.0, stds)).tolist()
            self.pose = DRIVE.advance(self.pose, left_m, right_m)
            yield reported

    def measured(self, noise: Spread = NOISE) -> Pose2D:
        x_m, y_m, heading_rad = self._random.normal(0.0, (noise.position_m, noise.position_m, noise.heading_rad))
        return Pose2D(self.pose.x_m + x_m, self.pose.y_m + y_m, self.pose.heading_rad + heading_rad)


def final_belief(robot: TrueRobot) -> Belief:
    belief = first_belief(START, learns_gains=True).placed(robot.measured(), NOISE)
    for left_m, right_m in robot.drive():
        belief, _ = belief.rolled(DRIVE, left_m, right_m, 1.0).corrected(robot.measured(), NOISE, updates_gains=True)
    return belief


def surprise(belief: Belief, robot: TrueRobot) -> float:
    """Return the normalised squared error of the whole state; chi-square with five degrees of freedom."""
    error = np.array(
        [
            robot.pose.x_m - belief.pose.x_m,
            robot.pose.y_m - belief.pose.y_m,
            belief.pose.heading_error_to(robot.pose),
            robot.gains[0] - belief.gains.left,
            robot.gains[1] - belief.gains.right,
        ]
    )
    return float(error @ np.linalg.solve(np.array(belief.covariance.rows), error))


def final_estimator(robot: TrueRobot, noise: Spread = NOISE) -> PoseEstimator:
    subject = PoseEstimator(DRIVE, START, True, CONFIG)
    subject.restart_odometry(0)
    subject.on_pose(robot.measured(noise), 0, 0)
    for step, (left_m, right_m) in enumerate(robot.drive(), 1):
        stamp_ns = step * 50 * MS
        subject.on_wheels(left_m, right_m, 0.05, stamp_ns)
        subject.on_pose(robot.measured(noise), stamp_ns, stamp_ns)
    return subject


def final_errors(noise: Spread) -> tuple[list[float], list[float]]:
    """Return the distance of estimates from the truth in many runs, and their spread, in metres."""
    errors_m, stds_m = [], []
    for seed in range(RUNS):
        robot = TrueRobot(seed, gain_std=0.02)
        subject = final_estimator(robot, noise)
        estimate, spread = subject.estimate(), subject.quality(len(WAYS) * 50 * MS).spread
        assert estimate is not None
        assert spread is not None
        errors_m.append(estimate.pose.distance_to(robot.pose))
        stds_m.append(spread.position_m)
    return errors_m, stds_m


def test_errors_of_pose_and_gains_match_the_covariance() -> None:
    surprises = []
    for seed in range(RUNS):
        robot = TrueRobot(seed, gain_std=0.025)
        surprises.append(surprise(final_belief(robot), robot))
    # with 300 degrees of freedom 99 % lie between 241.7 and 366.8; the gains are drawn a little closer than believed
    assert 235.0 < sum(surprises) < 366.8


def test_estimates_are_not_overconfident() -> None:
    errors_m, stds_m = final_errors(NOISE)
    root_mean_square_m = math.sqrt(sum(error_m**2 for error_m in errors_m) / RUNS)
    # in two directions; the reported one is the worse
    assert root_mean_square_m < 1.2 * math.sqrt(2.0) * float(np.mean(stds_m))
    assert root_mean_square_m > 0.5 * float(np.mean(stds_m))


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_estimates_are_closer_to_the_truth_than_the_measurements(share: float) -> None:
    errors_m, _ = final_errors(Spread(share * NOISE.position_m, share * NOISE.heading_rad))
    # a measured position is off by sqrt(2) times 1.5 mm at full noise
    assert float(np.mean(errors_m)) < 0.4 * math.sqrt(2.0) * 0.0015
