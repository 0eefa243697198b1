"""Where a robot is: wheel odometry, corrected by measured poses where a pose source sees the robot.

The odometry frame drifts; the estimator holds the transform map -> odom (REP 105) and pulls it towards what the pose
source measured. A measurement is compared with the odometry of its own time, so its latency does not matter.
"""

import math
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass
from enum import Enum

from fleet.config import LocalizationConfig
from fleet.drive import Drive
from fleet.geometry import STILL, Pose2D, Twist2D, wrap_angle

_HISTORY_S = 1.0  # how old a measurement may be
_FUTURE_S = 0.1  # how far ahead a measurement's clock may be
_OUTLIERS_TO_BELIEVE = 5  # so many outliers in a row that agree are the truth: the robot was carried


class Localization(Enum):
    """How well a robot's pose is known; the value is what status shows."""

    UNKNOWN = "unknown"  # nothing was heard yet
    ODOMETRY = "odometry"  # the wheels alone, because no pose source is configured
    TRACKED = "tracked"  # the pose source sees the robot
    DEGRADED = "degraded"  # the wheels alone, because the pose source is silent
    LOST = "lost"  # the pose source has been silent for too long


@dataclass(frozen=True, slots=True)
class Estimate:
    """A pose in the fleet's frame at `stamp_ns`."""

    pose: Pose2D
    stamp_ns: int


@dataclass(frozen=True, slots=True)
class _OdometryPose:
    stamp_ns: int
    pose: Pose2D


class PoseEstimator:
    """Estimates one robot's pose.

    Parameters
    ----------
    drive : the robot's drive
    initial_pose : where the robot stands, in the fleet's frame; used only without a pose source
    has_source : whether a pose source is configured
    config : how measured poses correct odometry
    """

    def __init__(self, drive: Drive, initial_pose: Pose2D, has_source: bool, config: LocalizationConfig) -> None:
        self._drive = drive
        self._has_source = has_source
        self._config = config
        self._odom_in_map = initial_pose
        self._history: deque[_OdometryPose] = deque()
        self._odometry = Pose2D(0.0, 0.0, 0.0)
        self._twist = STILL
        self._measured_ns: int | None = None
        self._moved_ns: int | None = None
        self._outliers: list[Pose2D] = []
        self.rejected_count = 0

    @property
    def twist(self) -> Twist2D:
        """The latest body velocity that the wheels reported."""
        return self._twist

    @property
    def odometry(self) -> Pose2D:
        """The pose in the odometry frame, which never jumps."""
        return self._odometry

    @property
    def odom_in_map(self) -> Pose2D:
        """Where the odometry frame lies in the fleet's frame; it moves with every measured pose."""
        return self._odom_in_map

    def on_wheels(self, left_m: float, right_m: float, duration_s: float, stamp_ns: int) -> None:
        """Take in what each wheel rolled, in metres, during the `duration_s` seconds before `stamp_ns`."""
        self._odometry = self._drive.advance(self._odometry, left_m, right_m)
        if duration_s > 0.0:
            turned_rad = (right_m - left_m) / self._drive.axle_length_m
            self._twist = Twist2D(0.5 * (left_m + right_m) / duration_s, turned_rad / duration_s)
        self._remember(stamp_ns)

    def restart_odometry(self, stamp_ns: int) -> None:
        """Begin a new series of wheel readings: the robot is where it was, and stands still."""
        self._twist = STILL
        self._remember(stamp_ns)

    def on_pose(self, measured: Pose2D, stamp_ns: int, now_ns: int) -> bool:
        """Take in a pose that the pose source measured at `stamp_ns`; return whether it was used."""
        age_s = (now_ns - stamp_ns) * 1e-9
        if not -_FUTURE_S <= age_s <= _HISTORY_S:
            self.rejected_count += 1
            return False
        odometry_then = self._odometry_at(stamp_ns)
        if self._measured_ns is None:
            self._place(measured, odometry_then)
        elif self._is_outlier(measured, odometry_then) and not self._is_believable(measured, odometry_then):
            self.rejected_count += 1
            return False
        else:
            self._pull(measured, odometry_then, stamp_ns)
        self._outliers.clear()
        self._measured_ns = max(stamp_ns, self._measured_ns or stamp_ns)
        return True

    def estimate(self) -> Estimate | None:
        """Return the latest pose, or None before anything was heard."""
        known_ns = self._moved_ns if not self._has_source else self._measured_ns
        if known_ns is None:
            return None
        return Estimate(self._odom_in_map.compose(self._odometry), max(known_ns, self._moved_ns or known_ns))

    def localization(self, now_ns: int) -> Localization:
        """Return how well the pose is known at `now_ns`."""
        if not self._has_source:
            return Localization.UNKNOWN if self._moved_ns is None else Localization.ODOMETRY
        if self._measured_ns is None:
            return Localization.UNKNOWN
        silent_s = (now_ns - self._measured_ns) * 1e-9
        if silent_s > self._config.lost_s:
            return Localization.LOST
        return Localization.DEGRADED if silent_s > self._config.degraded_s else Localization.TRACKED

    def _remember(self, stamp_ns: int) -> None:
        self._moved_ns = stamp_ns
        self._history.append(_OdometryPose(stamp_ns, self._odometry))
        while (stamp_ns - self._history[0].stamp_ns) * 1e-9 > _HISTORY_S:
            self._history.popleft()

    def _odometry_at(self, stamp_ns: int) -> Pose2D:
        """Return the odometry pose at an instant, interpolated; the nearest known one outside of the history."""
        index = bisect_right(self._history, stamp_ns, key=lambda entry: entry.stamp_ns)
        if index == len(self._history):
            return self._odometry
        after = self._history[index]
        if index == 0:
            return after.pose
        before = self._history[index - 1]
        share = (stamp_ns - before.stamp_ns) / (after.stamp_ns - before.stamp_ns)
        return _between(before.pose, after.pose, share)

    def _place(self, measured: Pose2D, odometry_then: Pose2D) -> None:
        """Choose map -> odom such that the robot was at `measured`."""
        self._odom_in_map = measured.compose(odometry_then.inverse())

    def _is_outlier(self, measured: Pose2D, odometry_then: Pose2D) -> bool:
        return not self._agrees(self._odom_in_map.compose(odometry_then), measured)

    def _agrees(self, first: Pose2D, second: Pose2D) -> bool:
        near = first.distance_to(second) <= self._config.outlier_m
        return near and abs(first.heading_error_to(second)) <= self._config.outlier_rad

    def _is_believable(self, measured: Pose2D, odometry_then: Pose2D) -> bool:
        """Count an outlier; return True, and move the estimate there, once enough of them agree with each other."""
        hypothesis = measured.compose(odometry_then.inverse())
        if self._outliers and not self._agrees(self._outliers[-1].compose(odometry_then), measured):
            self._outliers.clear()
        self._outliers.append(hypothesis)
        if len(self._outliers) < _OUTLIERS_TO_BELIEVE:
            return False
        self._place(measured, odometry_then)
        return True

    def _pull(self, measured: Pose2D, odometry_then: Pose2D, stamp_ns: int) -> None:
        """Move the estimate towards a measurement by 1 - exp(-interval / time constant)."""
        interval_s = max(0.0, (stamp_ns - (self._measured_ns or stamp_ns)) * 1e-9)
        constant_s = self._config.correction_s
        gain = 1.0 - math.exp(-interval_s / constant_s) if constant_s > 0.0 else 1.0
        self._place(_between(self._odom_in_map.compose(odometry_then), measured, gain), odometry_then)


def _between(start: Pose2D, end: Pose2D, share: float) -> Pose2D:
    """Return the pose between two, 0 at the start and 1 at the end; the heading takes the short way."""
    return Pose2D(
        start.x_m + share * (end.x_m - start.x_m),
        start.y_m + share * (end.y_m - start.y_m),
        wrap_angle(start.heading_rad + share * start.heading_error_to(end)),
    )
