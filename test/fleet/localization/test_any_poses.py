"""Whatever a pose source and wheels report, in any order: the estimate is a pose, and nothing is raised."""

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fleet.geometry import Pose2D
from fleet.localization.pose_bounds import away_m
from fleet.localization.pose_estimator import PoseEstimator
from fleet.localization.pose_quality import Rejection
from fleet.settings.config import ArenaConfig, LocalizationConfig
from fleet.wheels.differential_drive import DifferentialDrive
from thymio_base.texts.bounds import FARTHEST_M

DRIVE = DifferentialDrive(0.094, 0.16)
ARENA = ArenaConfig(0.0, 0.0, 4.2, 2.2)
MS = 1_000_000
DEFAULT = LocalizationConfig(0.0015, 0.0075, 0.5, 2.0, 0.05, 0.2)

coordinates = st.sampled_from([0.0, 1.0, 1.003, 4.2, 600.0, 999.0, 1600.0, 1e160, 1e308, -1e308, math.inf, math.nan])
coordinates |= st.floats()
headings = st.floats(-math.pi, math.pi) | st.sampled_from([math.pi, -math.pi, 1e300, math.nan])
poses = st.builds(Pose2D, coordinates, coordinates, headings)
travels = st.tuples(st.floats(-0.02, 0.02), st.floats(-0.02, 0.02)) | st.sampled_from(
    [(0.0, 0.0), (40.0, 40.0), (-9.0, 9.0)]
)
waits = st.sampled_from([0, 1, MS, 50 * MS, 400 * MS, 5_000 * MS])
steps = st.lists(
    st.tuples(
        waits,
        st.tuples(st.just("pose"), st.lists(poses, min_size=1, max_size=2), st.integers(1, 7))
        | st.tuples(st.just("wheels"), travels, st.sampled_from([0.0, 0.05, 655.0]))
        | st.tuples(st.just("restart")),
    ),
    max_size=40,
)
configs = st.builds(
    LocalizationConfig,
    position_std_m=st.sampled_from([0.0001, 0.0015, 0.1]),
    heading_std_rad=st.sampled_from([0.0005, 0.5]),
    degraded_s=st.just(0.5),
    lost_s=st.just(2.0),
    outlier_m=st.sampled_from([0.01, 0.05, 10.0]),
    outlier_rad=st.sampled_from([0.05, 3.2]),
)


@given(configs, st.sampled_from([ARENA, None]), steps)
def test_any_reports_leave_a_finite_estimate(
    config: LocalizationConfig, arena: ArenaConfig | None, steps: list[Any]
) -> None:
    subject = PoseEstimator(DRIVE, Pose2D(1.0, 1.0, 0.0), True, config, arena=arena)
    now_ns = 0
    for wait_ns, (kind, *content) in steps:
        now_ns += wait_ns
        if kind == "pose":
            near, repeats = content
            for repeat in range(repeats):  # that many agree, or two take turns
                now_ns += MS
                subject.on_pose(near[repeat % len(near)], now_ns, now_ns)
        elif kind == "wheels":
            (left_m, right_m), duration_s = content
            subject.on_wheels(left_m, right_m, duration_s, now_ns)
        else:
            subject.restart_odometry(now_ns)
        quality, estimate = subject.quality(now_ns), subject.estimate()
        found = [subject.odom_in_map, *(pose for pose in (subject.slipping_pose,) if pose is not None)]
        found += [] if estimate is None else [estimate.pose]
        assert all(away_m(pose, None) < math.inf for pose in found)
        assert quality.spread is None or math.isfinite(quality.spread.position_m + quality.spread.heading_rad)
        assert math.isfinite(subject.gain_stds.left + subject.gain_stds.right + subject.gains.left)


@given(poses, st.sampled_from([ARENA, None]))
def test_pose_is_too_far_exactly_if_it_is_not_within_the_bound(pose: Pose2D, arena: ArenaConfig | None) -> None:
    subject = PoseEstimator(DRIVE, Pose2D(1.0, 1.0, 0.0), True, DEFAULT, arena=arena)
    is_near = math.isfinite(pose.heading_rad) and away_m(pose, arena) <= FARTHEST_M
    assert (subject.on_pose(pose, 0, 0) is Rejection.TOO_FAR) is not is_near


def test_pose_that_surprises_after_a_long_unseen_drive_is_used() -> None:
    config = LocalizationConfig(0.0015, 0.0075, 0.5, 2.0, outlier_m=10.0, outlier_rad=3.2)
    subject = PoseEstimator(DRIVE, Pose2D(0.0, 0.0, 0.0), True, config)
    subject.restart_odometry(0)
    subject.on_pose(Pose2D(0.0, 0.0, 0.0), 0, 0)
    for step in range(1, 2001):
        subject.on_wheels(0.02, 0.02, 0.05, step * 50 * MS)
    now_ns = 2001 * 50 * MS
    assert subject.on_pose(Pose2D(38.0, 0.0, 0.0), now_ns - 50 * MS, now_ns) is None
    estimate = subject.estimate()
    assert estimate is not None
    assert abs(estimate.pose.x_m - 38.0) < 0.1
