"""Laws that track a reference in time; they share the reference and its feed-forward."""

from typing import Protocol

from fleet.control.control_law import NO_ERROR, ControlInput, TrackingError, Tracks, feed_forward, tracking_error
from fleet.geometry import Twist2D
from fleet.trajectories.trajectory import Reference, Trajectory


class TimeSteering(Protocol):
    """The part of a law that corrects a feed-forward."""

    def steer(self, control_input: ControlInput, reference: Reference, forward: Twist2D) -> Twist2D:
        """Return the twist that brings the robot to its reference and moves it along with it."""


class OnTime:
    """A law that tracks a reference in time.

    Parameters
    ----------
    trajectory : the trajectory to track
    steering : corrects errors
    """

    tracks = Tracks.TIME

    def __init__(self, trajectory: Trajectory, steering: TimeSteering) -> None:
        self._trajectory = trajectory
        self._steering = steering
        self._plan_time_s = 0.0
        self._error = NO_ERROR

    @property
    def plan_time_s(self) -> float:
        """The time of the reference that was last tracked."""
        return self._plan_time_s

    @property
    def error(self) -> TrackingError:
        """The errors of the last step."""
        return self._error

    def step(self, control_input: ControlInput) -> Twist2D:
        """Return the twist that brings the robot to its reference and moves it along with it."""
        reference = self._trajectory.sample(control_input.time_s)
        if control_input.rate < 1.0:
            reference = reference.slowed(control_input.rate)
        self._plan_time_s = control_input.time_s
        self._error = tracking_error(control_input.pose, reference.pose)
        return self._steering.steer(control_input, reference, feed_forward(self._trajectory, control_input))
