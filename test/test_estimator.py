import math

import pytest

from fleet.config import LocalizationConfig
from fleet.drive import Drive
from fleet.estimator import Localization, PoseEstimator
from fleet.geometry import Pose2D

CONFIG = LocalizationConfig(correction_s=0.1, degraded_s=0.5, lost_s=2.0, outlier_m=0.15, outlier_rad=0.6)
START = Pose2D(1.0, 2.0, 0.0)
MS = 1_000_000
SECOND = 1000 * MS


def estimator(has_source: bool = True) -> PoseEstimator:
    return PoseEstimator(Drive(0.1, 0.16), START, has_source, CONFIG)


def drive_straight(subject: PoseEstimator, start_ns: int, steps: int, step_m: float = 0.005) -> int:
    for step in range(1, steps + 1):
        subject.on_wheels(step_m, step_m, 0.05, start_ns + step * 50 * MS)
    return start_ns + steps * 50 * MS


def test_without_a_source_the_wheels_move_the_robot_from_its_initial_pose() -> None:
    subject = estimator(has_source=False)
    subject.restart_odometry(0)
    now_ns = drive_straight(subject, 0, 10)
    estimate = subject.estimate()
    assert estimate is not None
    assert estimate.stamp_ns == now_ns
    assert (estimate.pose.x_m, estimate.pose.y_m) == pytest.approx((1.05, 2.0))
    assert subject.localization(now_ns) is Localization.ODOMETRY


def test_nothing_is_estimated_before_anything_was_heard() -> None:
    assert estimator(has_source=False).estimate() is None
    assert estimator().estimate() is None
    assert estimator().localization(0) is Localization.UNKNOWN


def test_with_a_source_odometry_alone_is_no_estimate() -> None:
    subject = estimator()
    drive_straight(subject, 0, 10)
    assert subject.estimate() is None


def test_the_first_measured_pose_is_taken_as_it_is() -> None:
    subject = estimator()
    assert subject.on_pose(Pose2D(3.0, 4.0, 1.0), SECOND, SECOND)
    estimate = subject.estimate()
    assert estimate is not None
    assert (estimate.pose.x_m, estimate.pose.y_m, estimate.pose.heading_rad) == pytest.approx((3.0, 4.0, 1.0))


def test_the_twist_is_what_the_wheels_reported() -> None:
    subject = estimator()
    subject.on_wheels(0.004, 0.006, 0.05, 0)
    assert (subject.twist.linear_mps, subject.twist.angular_radps) == pytest.approx((0.1, 0.4))


def test_a_late_measurement_is_compared_with_where_the_robot_was_then() -> None:
    subject = estimator()
    subject.restart_odometry(0)
    subject.on_pose(Pose2D(0.0, 0.0, 0.0), 0, 0)
    now_ns = drive_straight(subject, 0, 10)
    # the robot was at 0.025 m half a way ago: the measurement says what the wheels say, and changes nothing
    subject.on_pose(Pose2D(0.025, 0.0, 0.0), 250 * MS, now_ns)
    estimate = subject.estimate()
    assert estimate is not None
    assert estimate.pose.x_m == pytest.approx(0.05)


def test_repeated_measurements_pull_the_estimate_to_themselves() -> None:
    subject = estimator()
    subject.restart_odometry(0)
    subject.on_pose(Pose2D(0.0, 0.0, 0.0), 0, 0)
    for step in range(1, 31):
        subject.on_pose(Pose2D(0.05, 0.02, 0.3), step * 33 * MS, step * 33 * MS)
    estimate = subject.estimate()
    assert estimate is not None
    assert (estimate.pose.x_m, estimate.pose.y_m, estimate.pose.heading_rad) == pytest.approx(
        (0.05, 0.02, 0.3), abs=1e-3
    )


def test_the_heading_is_pulled_the_short_way_round() -> None:
    subject = estimator()
    subject.on_pose(Pose2D(0.0, 0.0, math.radians(179)), 0, 0)
    for step in range(1, 31):
        subject.on_pose(Pose2D(0.0, 0.0, math.radians(-179)), step * 33 * MS, step * 33 * MS)
    estimate = subject.estimate()
    assert estimate is not None
    assert abs(estimate.pose.heading_error_to(Pose2D(0, 0, math.radians(-179)))) < 0.01


def test_a_single_outlier_is_not_believed() -> None:
    subject = estimator()
    subject.on_pose(Pose2D(0.0, 0.0, 0.0), 0, 0)
    assert not subject.on_pose(Pose2D(5.0, 5.0, 0.0), 33 * MS, 33 * MS)
    estimate = subject.estimate()
    assert estimate is not None
    assert estimate.pose.x_m == 0.0
    assert subject.rejected_count == 1


def test_a_robot_that_was_carried_is_believed_once_the_measurements_agree() -> None:
    subject = estimator()
    subject.on_pose(Pose2D(0.0, 0.0, 0.0), 0, 0)
    used = [subject.on_pose(Pose2D(5.0, 5.0, 0.0), step * 33 * MS, step * 33 * MS) for step in range(1, 6)]
    estimate = subject.estimate()
    assert used == [False, False, False, False, True]
    assert estimate is not None
    assert estimate.pose.x_m == 5.0


def test_outliers_that_contradict_each_other_are_never_believed() -> None:
    subject = estimator()
    subject.on_pose(Pose2D(0.0, 0.0, 0.0), 0, 0)
    used = [subject.on_pose(Pose2D(float(step), 5.0, 0.0), step * 33 * MS, step * 33 * MS) for step in range(1, 20)]
    assert not any(used)


@pytest.mark.parametrize("stamp_ns", [8 * SECOND, 11 * SECOND])
def test_a_measurement_of_another_time_is_refused(stamp_ns: int) -> None:
    assert not estimator().on_pose(START, stamp_ns, 10 * SECOND)


def test_a_silent_source_degrades_the_localization_and_then_loses_it() -> None:
    subject = estimator()
    subject.on_pose(START, SECOND, SECOND)
    said = [subject.localization(SECOND + after_ms * MS) for after_ms in (400, 600, 1900, 2100)]
    assert said == [Localization.TRACKED, Localization.DEGRADED, Localization.DEGRADED, Localization.LOST]


def test_restarted_counters_leave_the_robot_where_it_is() -> None:
    subject = estimator(has_source=False)
    subject.restart_odometry(0)
    now_ns = drive_straight(subject, 0, 10)
    subject.restart_odometry(now_ns + SECOND)
    estimate = subject.estimate()
    assert estimate is not None
    assert estimate.pose.x_m == pytest.approx(1.05)
    assert subject.twist.linear_mps == 0.0
