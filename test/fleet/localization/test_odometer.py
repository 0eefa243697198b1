from dataclasses import astuple
from pathlib import Path

import pytest

from aseba_link.thymio.events import WheelTravel
from fleet.geometry import Pose2D, Twist2D
from fleet.localization.odometer import Odometer, Odometry
from fleet.localization.pose_covariance import after_travel
from fleet.localization.state_covariance import diagonal
from harness.closed_loop import closed_loop

AXLE_M = 0.094
TWIST = Twist2D(0.1, 0.0)


def test_no_odometry_before_the_wheels_have_rolled() -> None:
    assert Odometer(AXLE_M).latest is None


def test_wheel_travel_adds_up() -> None:
    odometer = Odometer(AXLE_M)
    odometer.on_wheels(WheelTravel(0.01, 0.02, 0.1), Pose2D(0.015, 0.0, 0.1), TWIST, 1)
    odometer.on_wheels(WheelTravel(0.005, -0.01, 0.05), Pose2D(0.012, 0.0, 0.0), TWIST, 2)
    latest = odometer.latest
    assert latest is not None
    assert (latest.left_m, latest.right_m) == pytest.approx((0.015, 0.01))
    assert (latest.stamp_ns, latest.pose, latest.twist) == (2, Pose2D(0.012, 0.0, 0.0), TWIST)


def test_speeds_use_the_robots_own_clock() -> None:
    odometer = Odometer(AXLE_M)
    odometer.on_wheels(WheelTravel(0.005, -0.01, 0.05), Pose2D(0.0, 0.0, 0.0), TWIST, 7_000_000_000)
    assert odometer.latest is not None
    assert astuple(odometer.latest.speeds) == pytest.approx((0.1, -0.2))


def test_duplicate_event_keeps_the_speeds() -> None:
    odometer = Odometer(AXLE_M)
    odometer.on_wheels(WheelTravel(0.005, 0.005, 0.05), Pose2D(0.005, 0.0, 0.0), TWIST, 1)
    odometer.on_wheels(WheelTravel(0.0, 0.0, 0.0), Pose2D(0.005, 0.0, 0.0), TWIST, 2)
    assert odometer.latest is not None
    assert astuple(odometer.latest.speeds) == pytest.approx((0.1, 0.1))


def test_pose_uncertainty_grows() -> None:
    odometer = Odometer(AXLE_M)
    odometer.on_wheels(WheelTravel(0.1, 0.1, 1.0), Pose2D(0.1, 0.0, 0.0), TWIST, 1)
    odometer.on_wheels(WheelTravel(0.1, 0.1, 1.0), Pose2D(0.2, 0.0, 0.0), TWIST, 2)
    once = after_travel(diagonal(0.0, 0.0, 0.0, 0.0, 0.0), 0.1, 0.1, 0.0, AXLE_M)
    expected = after_travel(once, 0.1, 0.1, 0.0, AXLE_M)
    assert odometer.latest is not None
    assert odometer.latest.covariance == expected


def driven(folder: Path, odometry_hz: int) -> Odometry:
    """Return the odometry after a bend, for this number of wheel reports."""
    folder.mkdir()
    settings = f"rates: {{odometry_hz: {odometry_hz}}}\ndriver: {{publish: {{odom: true}}}}"
    loop = closed_loop(folder, settings=settings, motors="speed_noise: 0")
    loop.start()
    for _ in range(20):
        loop.service.drive(1, Twist2D(0.08, 0.6), loop.now_ns)
        loop.run(0.1)
    loop.run(1.5)
    odometry = loop.service.robot(1).telemetry.odometry
    assert odometry is not None
    truth = loop.truth().relative_to(Pose2D(1.0, 1.0, 0.0))
    assert odometry.pose.distance_to(truth) < 0.005
    assert abs(odometry.pose.heading_error_to(truth)) < 0.03
    return odometry


def test_odometry_does_not_depend_on_the_report_rate(tmp_path: Path) -> None:
    # a speed calibration applied to distances, as in ros-thymio, makes odometry depend on it
    often, seldom = driven(tmp_path / "often", 50), driven(tmp_path / "seldom", 5)
    assert seldom.left_m == pytest.approx(often.left_m, abs=0.003)
    assert seldom.right_m == pytest.approx(often.right_m, abs=0.003)
    assert seldom.pose.distance_to(often.pose) < 0.005


def test_no_odometry_is_kept_unless_a_topic_needs_it(tmp_path: Path) -> None:
    loop = closed_loop(tmp_path)
    loop.start()
    assert loop.service.robot(1).telemetry.odometry is None


def test_odometry_in_its_frame_gives_the_estimate(tmp_path: Path) -> None:
    loop = closed_loop(tmp_path, settings="driver: {publish: {tf: true}}")
    loop.start()
    for _ in range(10):
        loop.service.drive(1, Twist2D(0.1, 0.5), loop.now_ns)
        loop.run(0.1)
    loop.run(1.5)
    odometry, odom_in_map = (
        loop.service.robot(1).telemetry.odometry,
        loop.service.robot(1).telemetry.odom_in_map(loop.now_ns),
    )
    assert odometry is not None
    assert odom_in_map is not None
    assert odom_in_map.compose(odometry.pose).distance_to(loop.truth()) < 0.01
