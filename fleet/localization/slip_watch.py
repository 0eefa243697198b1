"""Estimates a robot's pose if its wheels slip, which wheel reports do not show.

The belief follows the wheels. If they roll less than they report, measured poses are behind the belief, all of them on
the same side: the mean of their residuals, which stays small for noise alone, is then the error of the belief. Between
two poses, and while the pose source does not track the robot, the wheels may roll as little as half of what they
report.
"""

from typing import Final

from fleet.geometry import Pose2D
from fleet.wheels.differential_drive import SLIPPING, DifferentialDrive

_MEMORY: Final = 0.4  # weight of the latest residual in their mean
_MISFIT_M: Final = 0.004  # a larger mean residual is not noise; noise of 3 mm seldom makes more than 2 mm
_SUSPICION_S: Final = 1.0  # wheels that have slipped may slip again for this long
_UNSEEN_M: Final = 0.05  # robots roll less than this between two poses; a robot that rolls farther unseen may slip


class SlipWatch:
    """Compares measured poses with the belief, and tracks the wheels as if they slipped.

    Parameters
    ----------
    drive : the robot's drive, as configured or calibrated
    """

    def __init__(self, drive: DifferentialDrive) -> None:
        self._drive: Final = drive
        self._x_m = 0.0  # the mean residual
        self._y_m = 0.0
        self._suspected_until_ns = 0
        self._is_suspected = False
        self._pose: Pose2D | None = None  # pose if wheels slip, at the time of the belief
        self._rolled_m = 0.0  # by a wheel on average since the latest pose, forward or backward

    def note_pose(self, measured: Pose2D, believed: Pose2D, stamp_ns: int) -> None:
        """Note a measured pose that was used, and the belief after it."""
        self._x_m += _MEMORY * (measured.x_m - believed.x_m - self._x_m)
        self._y_m += _MEMORY * (measured.y_m - believed.y_m - self._y_m)
        if self._x_m * self._x_m + self._y_m * self._y_m > _MISFIT_M * _MISFIT_M:
            self._suspected_until_ns = stamp_ns + int(_SUSPICION_S * 1e9)
        self._is_suspected = stamp_ns < self._suspected_until_ns
        x_m, y_m = believed.x_m + self._x_m, believed.y_m + self._y_m
        self._pose = Pose2D(x_m, y_m, believed.heading_rad) if self._is_suspected else believed
        self._rolled_m = 0.0

    def note_roll(self, left_m: float, right_m: float) -> None:
        """Note reported wheel travel that the belief now includes."""
        self._rolled_m += 0.5 * (abs(left_m) + abs(right_m))
        if self._pose is not None:
            self._pose = self._drive.advance(self._pose, SLIPPING * left_m, SLIPPING * right_m)

    def pose(self, rolls_m: list[tuple[float, float]]) -> Pose2D | None:
        """Return the robot's pose if its wheels slip, after further travel; None if nothing suggests slip."""
        rolled_m = self._rolled_m
        for left_m, right_m in rolls_m:
            rolled_m += 0.5 * (abs(left_m) + abs(right_m))
        return self.rolled_least(rolls_m) if self._is_suspected or rolled_m > _UNSEEN_M else None

    def rolled_least(self, rolls_m: list[tuple[float, float]]) -> Pose2D | None:
        """Return the robot's pose if its wheels have slipped since the latest pose, suspected or not."""
        pose = self._pose
        if pose is not None:
            for left_m, right_m in rolls_m:
                pose = self._drive.advance(pose, SLIPPING * left_m, SLIPPING * right_m)
        return pose
