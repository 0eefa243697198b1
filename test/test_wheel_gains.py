import math
from collections.abc import Iterator

import numpy as np
import pytest

from fleet.drive import Drive
from fleet.geometry import Pose2D
from fleet.wheel_gains import GAIN_BOUND, WheelGains

DRIVE = Drive(0.094, 0.166)
MS = 1_000_000
PERIOD_NS = 50 * MS
STRAIGHT = [(0.005, 0.005)] * 20
CURVE = [(0.004, 0.006)] * 20
TURN = [(-0.004, 0.004)] * 15


def drive(
    subject: WheelGains,
    rolls: list[tuple[float, float]],
    gains: tuple[float, float],
    noise: np.random.Generator | None = None,
    late_ms: int = 0,
) -> None:
    """Report what the wheels rolled at 20 Hz; measure the pose 20 ms after each report, and tell it late."""
    pose, now_ns = Pose2D(1.0, 2.0, 0.5), 0
    subject.on_wheels(0.0, 0.0, now_ns)
    told: list[tuple[int, Pose2D, int]] = []
    for left_m, right_m in rolls:
        middle = DRIVE.advance(pose, 0.4 * gains[0] * left_m, 0.4 * gains[1] * right_m)
        stamp_ns = now_ns + 20 * MS
        told.append((stamp_ns, noisy(middle, noise), stamp_ns + late_ms * MS))
        pose = DRIVE.advance(pose, gains[0] * left_m, gains[1] * right_m)
        now_ns += PERIOD_NS
        subject.on_wheels(left_m, right_m, now_ns)
        while told and told[0][2] <= now_ns:
            subject.on_pose(told[0][1], told[0][0])
            del told[0]


def noisy(pose: Pose2D, noise: np.random.Generator | None) -> Pose2D:
    if noise is None:
        return pose
    dx, dy = noise.normal(0.0, 0.001, 2).tolist()
    return Pose2D(pose.x_m + dx, pose.y_m + dy, pose.heading_rad + float(noise.normal(0.0, math.radians(0.3))))


def corners() -> Iterator[tuple[float, float]]:
    for _ in range(6):
        yield from STRAIGHT * 2
        yield from TURN


@pytest.mark.parametrize("gains", [(1.03, 0.97), (0.97, 1.03), (1.05, 1.05), (0.95, 0.96)])
@pytest.mark.parametrize("late_ms", [0, 130])
def test_gains_are_learned_whatever_the_wheels_do(gains: tuple[float, float], late_ms: int) -> None:
    subject = WheelGains(DRIVE)
    drive(subject, list(corners()), gains, late_ms=late_ms)
    assert (subject.gains.left, subject.gains.right) == pytest.approx(gains, abs=0.002)


@pytest.mark.parametrize("seed", range(5))
def test_noise_of_a_millimetre_leaves_half_a_percent_after_two_metres(seed: int) -> None:
    subject = WheelGains(DRIVE)
    drive(subject, (STRAIGHT + CURVE) * 10, (1.03, 0.97), np.random.default_rng(seed))
    assert (subject.gains.left, subject.gains.right) == pytest.approx((1.03, 0.97), abs=0.005)
    assert subject.standard_deviations.left < 0.006


def test_standing_still_teaches_nothing() -> None:
    subject = WheelGains(DRIVE)
    drive(subject, [(0.0, 0.0)] * 200, (1.05, 0.95), np.random.default_rng(1))
    assert (subject.gains.left, subject.gains.right, subject.ways) == (1.0, 1.0, 0)


def test_a_turn_on_the_spot_teaches_the_sum_and_not_the_difference() -> None:
    subject = WheelGains(DRIVE)
    before = subject.standard_deviations.left
    drive(subject, TURN * 10, (1.03, 1.03))
    assert subject.gains.left + subject.gains.right == pytest.approx(2.06, abs=0.003)
    drive_apart = WheelGains(DRIVE)
    drive(drive_apart, TURN * 10, (1.03, 0.97))
    assert drive_apart.standard_deviations.left > 0.3 * before


def test_gains_stay_within_their_bounds() -> None:
    subject = WheelGains(DRIVE)
    drive(subject, STRAIGHT * 20, (1.3, 0.8))
    assert 1.0 - GAIN_BOUND <= subject.gains.left <= 1.0 + GAIN_BOUND
    assert 1.0 - GAIN_BOUND <= subject.gains.right <= 1.0 + GAIN_BOUND


def test_a_robot_that_is_carried_teaches_nothing() -> None:
    subject = WheelGains(DRIVE)
    drive(subject, STRAIGHT * 5, (1.0, 1.0))
    now_ns = 100 * PERIOD_NS
    for step in range(1, 30):
        subject.on_wheels(0.005, 0.005, now_ns + step * PERIOD_NS)
        subject.on_pose(Pose2D(5.0, 0.3 * step, 1.0), now_ns + step * PERIOD_NS)
    assert (subject.gains.left, subject.gains.right) == pytest.approx((1.0, 1.0), abs=0.002)
    assert subject.rejected_count > 0


def test_left_and_right_are_mirror_images() -> None:
    left_turning, right_turning = WheelGains(DRIVE), WheelGains(DRIVE)
    drive(left_turning, CURVE * 5, (1.04, 0.98))
    drive(right_turning, [(right, left) for left, right in CURVE] * 5, (0.98, 1.04))
    assert left_turning.gains.left == pytest.approx(right_turning.gains.right)
    assert left_turning.gains.right == pytest.approx(right_turning.gains.left)
