import math

import pytest

from fleet.geometry import Pose2D
from fleet.localization.pose_estimator import PoseEstimator
from fleet.localization.pose_quality import Localization, Rejection
from fleet.settings.config import LocalizationConfig
from fleet.wheels.differential_drive import DifferentialDrive

CONFIG = LocalizationConfig(
    position_std_m=0.0015, heading_std_rad=0.0075, degraded_s=0.5, lost_s=2.0, outlier_m=0.05, outlier_rad=0.2
)
DRIVE = DifferentialDrive(0.1, 0.16)
START = Pose2D(1.0, 2.0, 0.0)
MS = 1_000_000
SECOND = 1000 * MS


def estimator(has_source: bool = True) -> PoseEstimator:
    return PoseEstimator(DRIVE, START, has_source, CONFIG)


def drive_straight(subject: PoseEstimator, start_ns: int, steps: int, step_m: float = 0.005) -> int:
    for step in range(1, steps + 1):
        subject.on_wheels(step_m, step_m, 0.05, start_ns + step * 50 * MS)
    return start_ns + steps * 50 * MS


def test_without_a_pose_source_the_wheels_move_the_robot_from_its_initial_pose() -> None:
    subject = estimator(has_source=False)
    subject.restart_odometry(0)
    now_ns = drive_straight(subject, 0, 10)
    estimate = subject.estimate()
    assert estimate is not None
    assert estimate.stamp_ns == now_ns
    assert (estimate.pose.x_m, estimate.pose.y_m) == pytest.approx((1.05, 2.0))
    assert subject.localization(now_ns) is Localization.ODOMETRY


def test_no_estimate_before_the_first_report() -> None:
    assert estimator(has_source=False).estimate() is None
    assert estimator().estimate() is None
    assert estimator().localization(0) is Localization.UNKNOWN


def test_with_a_pose_source_odometry_alone_gives_no_estimate() -> None:
    subject = estimator()
    drive_straight(subject, 0, 10)
    assert subject.estimate() is None


def place(subject: PoseEstimator) -> Pose2D:
    estimate = subject.estimate()
    assert estimate is not None
    return estimate.pose


def numbers(pose: Pose2D) -> tuple[float, float, float]:
    return pose.x_m, pose.y_m, pose.heading_rad


def curve(subject: PoseEstimator, late_ms: int, ahead_ms: int = 0, seconds: float = 3.0) -> tuple[Pose2D, int]:
    """Drive a curve at a constant twist; return the true end and its time.

    Wheels report every 50 ms. Poses are measured every 33 ms, delivered `late_ms` later and stamped `ahead_ms` ahead of
    their arrival at the earliest.
    """
    end_ns = round(seconds * SECOND)
    subject.restart_odometry(0)
    delivered: list[tuple[int, int]] = [(t + late_ms * MS, t) for t in range(0, end_ns + 1, 33 * MS)]
    for now_ns in range(0, end_ns + 1, MS):
        while delivered and delivered[0][0] - ahead_ms * MS <= now_ns:
            _, stamp_ns = delivered.pop(0)
            assert subject.on_pose(on_curve(stamp_ns), stamp_ns, now_ns) is None
        if now_ns and now_ns % (50 * MS) == 0:
            subject.on_wheels(0.004, 0.006, 0.05, now_ns)
    return on_curve(end_ns), end_ns


def on_curve(stamp_ns: int) -> Pose2D:
    seconds = stamp_ns / SECOND
    return DRIVE.advance(START, 0.08 * seconds, 0.12 * seconds)


def test_first_measured_pose_is_used_unchanged() -> None:
    subject = estimator()
    assert subject.on_pose(Pose2D(3.0, 4.0, 1.0), SECOND, SECOND) is None
    assert numbers(place(subject)) == pytest.approx((3.0, 4.0, 1.0))


def test_twist_is_that_of_the_reported_wheels() -> None:
    subject = estimator()
    subject.on_wheels(0.004, 0.006, 0.05, 0)
    assert (subject.twist.linear_mps, subject.twist.angular_radps) == pytest.approx((0.1, 0.4))


@pytest.mark.parametrize("late_ms", [0, 20, 50, 130, 400, 900])
def test_late_poses_that_agree_with_the_wheels_change_nothing(late_ms: int) -> None:
    subject = estimator()
    truth, _ = curve(subject, late_ms)
    assert place(subject).distance_to(truth) == pytest.approx(0.0, abs=1e-9)
    assert place(subject).heading_error_to(truth) == pytest.approx(0.0, abs=1e-9)
    assert (subject.gains.left, subject.gains.right) == pytest.approx((1.0, 1.0), abs=1e-9)


def test_poses_from_before_the_first_wheel_report_wait_for_it() -> None:
    subject = estimator()
    truth, end_ns = curve(subject, late_ms=0, ahead_ms=90)
    assert place(subject).distance_to(truth) == pytest.approx(0.0, abs=1e-9)
    assert subject.quality(end_ns).rejected_count == 0


def test_pose_waits_for_the_wheel_report_of_its_instant() -> None:
    subject = estimator()
    subject.restart_odometry(0)
    subject.on_pose(START, 0, 0)
    before = place(subject)
    assert subject.on_pose(Pose2D(1.004, 2.0, 0.0), 40 * MS, 40 * MS) is None
    assert place(subject) == before
    subject.on_wheels(0.005, 0.005, 0.05, 50 * MS)
    assert subject.quality(50 * MS).age_s == pytest.approx(0.01)


def test_pose_does_not_wait_for_silent_wheels() -> None:
    subject = estimator()
    subject.restart_odometry(0)
    subject.on_pose(START, 0, 0)
    subject.on_pose(Pose2D(1.02, 2.0, 0.0), 300 * MS, 300 * MS)
    assert place(subject).x_m == pytest.approx(1.02, abs=0.002)


def test_robot_with_silent_wheels_is_tracked_by_poses() -> None:
    subject = estimator()
    for step in range(60):
        subject.on_pose(Pose2D(1.0 + 0.003 * step, 2.0, 0.0), step * 33 * MS, step * 33 * MS)
    assert place(subject).x_m == pytest.approx(1.0 + 0.003 * 59, abs=0.004)
    assert subject.quality(60 * 33 * MS).rejected_count == 0


def test_late_wheel_reports_are_not_counted_twice() -> None:
    subject = estimator()
    subject.restart_odometry(0)
    subject.on_pose(START, 0, 0)
    for step in range(1, 25):  # the robot drives at 0.1 m/s; the wheels report it only at the end
        subject.on_pose(Pose2D(1.0 + 0.0033 * step, 2.0, 0.0), step * 33 * MS, step * 33 * MS)
    subject.on_wheels(0.0825, 0.0825, 0.825, 825 * MS)
    assert place(subject).x_m == pytest.approx(1.0825, abs=0.005)


def test_repeated_measurements_pull_the_estimate_towards_them() -> None:
    subject = estimator()
    subject.restart_odometry(0)
    subject.on_pose(START, 0, 0)
    for step in range(1, 200):
        subject.on_wheels(0.0, 0.0, 0.033, step * 33 * MS)
        subject.on_pose(Pose2D(1.03, 2.02, 0.1), step * 33 * MS, step * 33 * MS)
    assert numbers(place(subject)) == pytest.approx((1.03, 2.02, 0.1), abs=1e-3)
    assert (subject.gains.left, subject.gains.right) == (1.0, 1.0)


def test_the_heading_is_pulled_the_short_way_round() -> None:
    subject = estimator()
    subject.on_pose(Pose2D(0.0, 0.0, math.radians(179)), 0, 0)
    for step in range(1, 100):
        subject.on_pose(Pose2D(0.0, 0.0, math.radians(-179)), step * 33 * MS, step * 33 * MS)
    assert abs(place(subject).heading_error_to(Pose2D(0, 0, math.radians(-179)))) < 0.01


def test_single_outlier_is_ignored() -> None:
    subject = estimator()
    subject.on_pose(Pose2D(0.0, 0.0, 0.0), 0, 0)
    assert subject.on_pose(Pose2D(5.0, 5.0, 0.0), 33 * MS, 33 * MS) is Rejection.OUTLIER
    assert place(subject).x_m == 0.0
    quality = subject.quality(33 * MS)
    assert (quality.rejected_count, quality.refusal) == (1, Rejection.OUTLIER)


def test_carried_robot_is_relocated_once_the_measurements_agree() -> None:
    subject = estimator()
    subject.on_pose(Pose2D(0.0, 0.0, 0.0), 0, 0)
    rejections = [subject.on_pose(Pose2D(5.0, 5.0, 0.0), step * 33 * MS, step * 33 * MS) for step in range(1, 6)]
    assert rejections == [Rejection.OUTLIER] * 4 + [None]
    assert place(subject).x_m == 5.0
    assert subject.quality(200 * MS).refusal is None


def test_robot_displaced_while_driving_is_found_again() -> None:
    subject = estimator()
    _, now_ns = curve(subject, late_ms=0)
    for step in range(1, 11):
        stamp_ns = now_ns + step * 50 * MS
        subject.on_wheels(0.004, 0.006, 0.05, stamp_ns)
        truth = Pose2D(-3.0, 1.0, 2.0).compose(on_curve(stamp_ns))
        subject.on_pose(truth, stamp_ns, stamp_ns)
    assert place(subject).distance_to(truth) < 0.002
    assert (subject.gains.left, subject.gains.right) == pytest.approx((1.0, 1.0), abs=0.01)


def test_contradictory_outliers_are_never_accepted() -> None:
    subject = estimator()
    subject.on_pose(Pose2D(0.0, 0.0, 0.0), 0, 0)
    rejections = [
        subject.on_pose(Pose2D(float(step), 5.0, 0.0), step * 33 * MS, step * 33 * MS) for step in range(1, 20)
    ]
    assert set(rejections) == {Rejection.OUTLIER}


@pytest.mark.parametrize(
    ("stamp_ns", "rejection"),
    [
        (8 * SECOND, Rejection.TOO_OLD),
        (11 * SECOND, Rejection.FUTURE),
        (9_900 * MS, Rejection.DUPLICATE),
        (9_800 * MS, Rejection.OUT_OF_ORDER),
    ],
)
def test_measurement_with_a_bad_stamp_is_refused_with_a_reason(stamp_ns: int, rejection: Rejection) -> None:
    subject = estimator()
    subject.on_pose(START, 9_900 * MS, 9_900 * MS)
    assert subject.on_pose(START, stamp_ns, 10 * SECOND) is rejection
    assert subject.quality(10 * SECOND).rejected == {rejection: 1}


def test_waiting_poses_are_used_in_order_of_their_stamps() -> None:
    subject = estimator()
    subject.restart_odometry(0)
    subject.on_pose(START, 0, 0)
    rejections = [subject.on_pose(START, stamp_ms * MS, 30 * MS) for stamp_ms in (30, 10, 20, 20)]
    subject.on_wheels(0.0, 0.0, 0.05, 50 * MS)
    assert rejections == [None, None, None, Rejection.DUPLICATE]
    assert subject.quality(50 * MS).age_s == pytest.approx(0.02)


def test_silent_pose_source_degrades_the_localization_and_then_loses_it() -> None:
    subject = estimator()
    subject.on_pose(START, SECOND, SECOND)
    levels = [subject.localization(SECOND + after_ms * MS) for after_ms in (400, 600, 1900, 2100)]
    assert levels == [Localization.TRACKED, Localization.DEGRADED, Localization.DEGRADED, Localization.LOST]


def test_spread_grows_while_the_pose_source_is_silent() -> None:
    subject = estimator()
    _, end_ns = curve(subject, late_ms=0)
    stds_m = []
    for _ in range(4):
        end_ns = drive_straight(subject, end_ns, 20)
        spread = subject.quality(end_ns).spread
        assert spread is not None
        stds_m.append(spread.position_m)
    assert stds_m == sorted(stds_m)
    assert stds_m[3] > 2.0 * stds_m[0] > 0.0


def test_without_a_pose_source_the_spread_grows_with_the_distance() -> None:
    subject = estimator(has_source=False)
    subject.restart_odometry(0)
    drive_straight(subject, 0, 200)
    spread = subject.quality(10 * SECOND).spread
    assert spread is not None
    # the distance is off by sqrt(1.3e-6 / 2) m; sideways, by the heading error, sqrt(2 * 1.3e-6 / 3) / 0.1 m
    assert spread.position_m == pytest.approx(math.sqrt(2.0 * 1.3e-6 / 3.0) / 0.1, rel=0.03)
    assert spread.heading_rad == pytest.approx(math.sqrt(2.0 * 1.3e-6) / 0.1, rel=0.01)


def test_rate_of_poses_is_reported() -> None:
    subject = estimator()
    _, end_ns = curve(subject, late_ms=0)
    assert subject.quality(end_ns).poses_hz == pytest.approx(1.0 / 0.033, rel=1e-3)
    assert subject.quality(end_ns + 10 * SECOND).poses_hz < 0.11


def test_restarted_counters_do_not_move_the_robot() -> None:
    subject = estimator(has_source=False)
    subject.restart_odometry(0)
    now_ns = drive_straight(subject, 0, 10)
    subject.restart_odometry(now_ns + SECOND)
    assert place(subject).x_m == pytest.approx(1.05)
    assert subject.twist.linear_mps == 0.0


def test_odometry_frame_never_jumps_and_agrees_with_the_poses() -> None:
    subject = estimator()
    subject.on_pose(START, 0, 0)
    subject.restart_odometry(0)
    now_ns = drive_straight(subject, 0, 10)
    before = subject.odometry
    subject.on_pose(Pose2D(1.07, 2.01, 0.05), now_ns, now_ns)
    assert subject.odometry == before
    assert subject.odom_in_map.compose(before).distance_to(place(subject)) == pytest.approx(0.0, abs=1e-9)
