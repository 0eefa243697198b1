"""What a robot's wheels tell beside the pose: how far and how fast they roll, and how sure that is."""

from dataclasses import dataclass

from aseba_link.thymio import WheelTravel
from fleet.covariance import PoseCovariance
from fleet.drive import HALT, WheelSpeeds
from fleet.geometry import STILL, Pose2D, Twist2D


@dataclass(frozen=True, slots=True)
class Odometry:
    """What the wheels told at `stamp_ns`.

    `pose` is the robot's in its odometry frame, which begins where the robot was first seen and never jumps (REP 105);
    `covariance` is the pose's; `left_m` and `right_m` are what the wheels rolled since then, backwards counting less.
    """

    stamp_ns: int
    pose: Pose2D
    covariance: PoseCovariance
    twist: Twist2D
    left_m: float
    right_m: float
    speeds: WheelSpeeds


class Odometer:
    """Counts what one robot's wheels roll.

    Parameters
    ----------
    axle_length_m : distance between the wheels
    """

    def __init__(self, axle_length_m: float) -> None:
        self._axle_length_m = axle_length_m
        self._latest: Odometry | None = None

    @property
    def latest(self) -> Odometry | None:
        """The latest reading, None before the first."""
        return self._latest

    def on_wheels(self, travel: WheelTravel, pose: Pose2D, twist: Twist2D, stamp_ns: int) -> None:
        """Take in what the wheels rolled, and where that brought the robot in its odometry frame."""
        before = self._latest or _START
        self._latest = Odometry(
            stamp_ns=stamp_ns,
            pose=pose,
            covariance=before.covariance.after(
                travel.left_m, travel.right_m, before.pose.heading_rad, self._axle_length_m
            ),
            twist=twist,
            left_m=before.left_m + travel.left_m,
            right_m=before.right_m + travel.right_m,
            speeds=_speeds(travel) or before.speeds,
        )


_START = Odometry(0, Pose2D(0.0, 0.0, 0.0), PoseCovariance(), STILL, 0.0, 0.0, HALT)


def _speeds(travel: WheelTravel) -> WheelSpeeds | None:
    if travel.duration_s <= 0.0:
        return None
    return WheelSpeeds(travel.left_m / travel.duration_s, travel.right_m / travel.duration_s)
