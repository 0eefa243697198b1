"""Robots whose wheels roll less than they report."""

import numpy as np
import pytest

from fleet.geometry import Pose2D
from fleet.localization.pose_estimator import PoseEstimator
from fleet.settings.config import LocalizationConfig
from fleet.wheels.differential_drive import DifferentialDrive

CONFIG = LocalizationConfig(
    position_std_m=0.0015, heading_std_rad=0.0075, degraded_s=0.5, lost_s=2.0, outlier_m=0.05, outlier_rad=0.2
)
STEP_M, STEP_NS, STEP_S = 0.007, 50_000_000, 0.05  # at 0.14 m/s


class Drive:
    """A robot that drives along the x axis from 0, seen ten times a second, 0.1 s late."""

    def __init__(self, *, direction: int = 1, has_source: bool = True, noise_m: float = 0.003) -> None:
        drive = DifferentialDrive(0.1, 0.16)
        self.subject = PoseEstimator(drive, Pose2D(0.0, 0.0, 0.0), has_source, CONFIG)
        self.subject.restart_odometry(0)
        self.random = np.random.default_rng(1)
        self.noise_m = noise_m
        self.step_m = direction * STEP_M
        self.steps = 0
        self.places_m = [0.0]
        self.suspected = 0

    def run(self, steps: int, *, rolls: float = 1.0, is_seen: bool = True) -> None:
        """Drive; wheels roll a share of what they report."""
        for _ in range(steps):
            self.steps += 1
            self.places_m.append(self.places_m[-1] + rolls * self.step_m)
            now_ns = self.steps * STEP_NS
            self.subject.on_wheels(self.step_m, self.step_m, STEP_S, now_ns)
            if is_seen and self.steps % 2 == 0:
                x_m, y_m = self.random.normal([self.places_m[-3], 0.0], self.noise_m)
                self.subject.on_pose(Pose2D(x_m, y_m, 0.0), now_ns - 2 * STEP_NS, now_ns)
            self.suspected += self.subject.slipping_pose is not None

    @property
    def x_m(self) -> float:
        """Where the robot is."""
        return self.places_m[-1]


@pytest.mark.parametrize("direction", [1, -1])
def test_wheels_that_roll_as_they_report_are_not_suspected(direction: int) -> None:
    robot = Drive(direction=direction, noise_m=CONFIG.position_std_m)
    robot.run(600)
    assert robot.suspected == 0


def test_twice_as_much_noise_as_configured_is_seldom_taken_for_slip() -> None:
    robot = Drive(noise_m=2.0 * CONFIG.position_std_m)
    robot.run(2000)
    assert robot.suspected < 200


@pytest.mark.parametrize("direction", [1, -1])
def test_uncertainty_of_a_slipping_robot_covers_its_true_pose(direction: int) -> None:
    robot = Drive(direction=direction)
    robot.run(40)
    robot.run(40, rolls=0.5)
    estimate, slipping = robot.subject.estimate(), robot.subject.slipping_pose
    assert estimate is not None
    assert slipping is not None
    assert abs(estimate.pose.x_m - robot.x_m) > 0.012
    assert slipping.x_m == pytest.approx(robot.x_m, abs=0.006)


def test_robot_that_slips_unseen_is_between_its_estimate_and_its_slipping_pose() -> None:
    robot = Drive()
    robot.run(40)
    robot.run(20, rolls=0.5)
    robot.run(25, rolls=0.5, is_seen=False)
    estimate, slipping = robot.subject.estimate(), robot.subject.slipping_pose
    assert estimate is not None
    assert slipping is not None
    assert estimate.pose.x_m - robot.x_m > 0.1
    assert slipping.x_m == pytest.approx(robot.x_m, abs=0.01)


def test_robot_that_drives_five_centimetres_unseen_may_slip() -> None:
    robot = Drive()
    robot.run(40)
    robot.run(6, is_seen=False)
    assert robot.subject.slipping_pose is not None


def test_suspicion_ends_a_second_after_wheels_have_stopped_slipping() -> None:
    robot = Drive()
    robot.run(40)
    robot.run(40, rolls=0.5)
    robot.run(60)
    assert robot.subject.slipping_pose is None


def test_robot_without_a_pose_source_is_not_suspected() -> None:
    robot = Drive(has_source=False)
    robot.run(100, is_seen=False)
    assert robot.suspected == 0
