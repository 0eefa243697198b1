"""The interface of every control law: its inputs and outputs.

A law is built for one trajectory. At each step it receives the pose that the robot will have when its command takes
effect (see `fleet.actuation.wheel_response`), and the trajectory's time at that instant.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from fleet.geometry import Pose2D, Twist2D
from fleet.trajectories.trajectory import Trajectory


class Tracks(Enum):
    """The quantity that a law makes the robot track."""

    TIME = "time"  # a reference that moves with time: being late is an error
    PATH = "path"  # the geometry alone: progress is the robot's place on the path


@dataclass(init=False, unsafe_hash=True, slots=True)
class TrackingError:
    """Position and heading of the reference relative to the robot, in the reference's frame (Park 2024) [m, rad]."""

    along_m: Final[float]
    cross_m: Final[float]
    heading_rad: Final[float]

    def __init__(self, along_m: float, cross_m: float, heading_rad: float) -> None:
        self.along_m = along_m
        self.cross_m = cross_m
        self.heading_rad = heading_rad


@dataclass(init=False, unsafe_hash=True, slots=True)
class ControlInput:
    """The input of a law at one step.

    Parameters
    ----------
    pose : pose of the robot when the command takes effect; in the trajectory's frame
    twist : its motion at that instant
    time_s : the trajectory's time at that instant; laws that track the path only need it at the start
    period_s : how long the command will be held, > 0
    lag_s : the time constant of the wheels' response, >= 0
    rate : speed of the trajectory's time, from 0 to 1
    """

    pose: Final[Pose2D]
    twist: Final[Twist2D]
    time_s: Final[float]
    period_s: Final[float]
    lag_s: Final[float]
    rate: Final[float]

    def __init__(
        self, pose: Pose2D, twist: Twist2D, time_s: float, period_s: float, lag_s: float, *, rate: float = 1.0
    ) -> None:
        self.pose = pose
        self.twist = twist
        self.time_s = time_s
        self.period_s = period_s
        self.lag_s = lag_s
        self.rate = rate


class ControlLaw(Protocol):
    """A control law at work on one trajectory."""

    @property
    def tracks(self) -> Tracks:
        """The quantity that it makes the robot track."""

    @property
    def plan_time_s(self) -> float:
        """Its progress, as the trajectory's time, from which another law can continue."""

    @property
    def error(self) -> TrackingError:
        """The errors of the last step."""

    def step(self, control_input: ControlInput) -> Twist2D:
        """Return the twist to command from now on."""


NO_ERROR: Final = TrackingError(0.0, 0.0, 0.0)


def tracking_error(pose: Pose2D, reference: Pose2D) -> TrackingError:
    """Return the errors between a robot's pose and its reference, both in the same frame."""
    robot = pose.relative_to(reference)
    return TrackingError(-robot.x_m, -robot.y_m, pose.heading_error_to(reference))


def feed_forward(trajectory: Trajectory, control_input: ControlInput) -> Twist2D:
    """Return the command that makes lagging wheels move as the reference does: v_r + tau v_r'.

    It is the input that a first-order lag needs; it is evaluated halfway through the time the command is held.
    """
    rate = control_input.rate
    middle = trajectory.sample(control_input.time_s + rate * 0.5 * control_input.period_s)
    if rate < 1.0:
        middle = middle.slowed(rate)
    return Twist2D(
        middle.twist.linear_mps + control_input.lag_s * middle.acceleration.linear_mps2,
        middle.twist.angular_radps + control_input.lag_s * middle.acceleration.angular_radps2,
    )
