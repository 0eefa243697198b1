"""Wheel odometry beyond the pose: travel and speed of the wheels, and their uncertainty."""

from dataclasses import dataclass

from aseba_link.thymio.events import WheelTravel
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.localization.pose_covariance import after_travel
from fleet.localization.state_covariance import StateCovariance, diagonal
from fleet.wheels.differential_drive import HALT, WheelSpeeds


@dataclass(frozen=True, slots=True)
class Odometry:
    """Wheel odometry at `stamp_ns`.

    `pose` is in the robot's odometry frame, which starts where the robot was first seen and never jumps (REP 105);
    `covariance` is that of the pose, with known gains; `left_m` and `right_m` are the net travel of the wheels since
    then, backward counted as negative.
    """

    stamp_ns: int
    pose: Pose2D
    covariance: StateCovariance
    twist: Twist2D
    left_m: float
    right_m: float
    speeds: WheelSpeeds


class Odometer:
    """Accumulates one robot's wheel travel.

    Parameters
    ----------
    axle_length_m : distance between the wheels
    """

    def __init__(self, axle_length_m: float) -> None:
        self._axle_length_m = axle_length_m
        self._latest: Odometry | None = None

    @property
    def latest(self) -> Odometry | None:
        """The latest reading; None before the first."""
        return self._latest

    def on_wheels(self, travel: WheelTravel, pose: Pose2D, twist: Twist2D, stamp_ns: int) -> None:
        """Add the wheel travel, and the resulting pose in the odometry frame."""
        before = self._latest or _START
        self._latest = Odometry(
            stamp_ns=stamp_ns,
            pose=pose,
            covariance=after_travel(
                before.covariance, travel.left_m, travel.right_m, before.pose.heading_rad, self._axle_length_m
            ),
            twist=twist,
            left_m=before.left_m + travel.left_m,
            right_m=before.right_m + travel.right_m,
            speeds=_speeds(travel) or before.speeds,
        )


_START = Odometry(0, Pose2D(0.0, 0.0, 0.0), diagonal(0.0, 0.0, 0.0, 0.0, 0.0), STILL, 0.0, 0.0, HALT)


def _speeds(travel: WheelTravel) -> WheelSpeeds | None:
    if travel.duration_s <= 0.0:
        return None
    return WheelSpeeds(travel.left_m / travel.duration_s, travel.right_m / travel.duration_s)
