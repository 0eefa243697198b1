"""What every control law is given, and what it offers.

A law is made for one trajectory. At each step it is given the pose at which the robot will be when its command begins
to act (see `fleet.actuation`), and the trajectory's time at that instant.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from fleet.geometry import Pose2D, Twist2D
from fleet.paths.trajectory import Trajectory


class Tracks(Enum):
    """What a law holds the robot to."""

    TIME = "time"  # a reference that moves by itself: being late is an error
    PATH = "path"  # the geometry alone: the robot's place on the path says how far it is


@dataclass(init=False, unsafe_hash=True, slots=True)
class TrackingError:
    """Where the reference is as seen from the robot, in metres and radians, in the reference's frame (Park 2024)."""

    along_m: Final[float]
    cross_m: Final[float]
    heading_rad: Final[float]

    def __init__(self, along_m: float, cross_m: float, heading_rad: float) -> None:
        self.along_m = along_m
        self.cross_m = cross_m
        self.heading_rad = heading_rad


@dataclass(init=False, unsafe_hash=True, slots=True)
class Situation:
    """What a law knows when it steps.

    Parameters
    ----------
    pose : where the robot will be when the command begins to act; in the trajectory's frame
    twist : how it will move then
    time_s : what the trajectory's time will be then; laws that track the path need it to begin only
    period_s : for how long the command will be held, > 0
    lag_s : the time constant with which the wheels will obey, >= 0
    """

    pose: Final[Pose2D]
    twist: Final[Twist2D]
    time_s: Final[float]
    period_s: Final[float]
    lag_s: Final[float]

    def __init__(self, pose: Pose2D, twist: Twist2D, time_s: float, period_s: float, lag_s: float) -> None:
        self.pose = pose
        self.twist = twist
        self.time_s = time_s
        self.period_s = period_s
        self.lag_s = lag_s


class ControlLaw(Protocol):
    """A control law at work on one trajectory."""

    @property
    def tracks(self) -> Tracks:
        """What it holds the robot to."""

    @property
    def plan_time_s(self) -> float:
        """How far it is, as the trajectory's time: another law can go on from there."""

    @property
    def error(self) -> TrackingError:
        """The errors of the last step."""

    def step(self, situation: Situation) -> Twist2D:
        """Return how the robot shall move from now on."""


NO_ERROR: Final = TrackingError(0.0, 0.0, 0.0)


def tracking_error(pose: Pose2D, reference: Pose2D) -> TrackingError:
    """Return the errors between a robot's pose and its reference, both in the same frame."""
    robot = pose.relative_to(reference)
    return TrackingError(-robot.x_m, -robot.y_m, pose.heading_error_to(reference))


def feed_forward(trajectory: Trajectory, situation: Situation) -> Twist2D:
    """Return what to command so that lagging wheels move as the reference does: v_r + tau v_r'.

    It is what a first-order lag needs at its input; taken from the middle of the time for which the command is held.
    """
    middle = trajectory.sample(situation.time_s + 0.5 * situation.period_s)
    return Twist2D(
        middle.twist.linear_mps + situation.lag_s * middle.acceleration.linear_mps2,
        middle.twist.angular_radps + situation.lag_s * middle.acceleration.angular_radps2,
    )
