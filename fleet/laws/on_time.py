"""Laws that keep to a reference which moves by itself: what they share is the reference and its feed-forward."""

from typing import Protocol

from fleet.geometry import Twist2D
from fleet.laws.law import NO_ERROR, Situation, TrackingError, Tracks, feed_forward, tracking_error
from fleet.paths.trajectory import Reference, Trajectory


class TimeSteering(Protocol):
    """How a law corrects a feed-forward."""

    def steer(self, situation: Situation, reference: Reference, forward: Twist2D) -> Twist2D:
        """Return the twist that brings the robot to its reference, and moves it along."""


class OnTime:
    """A law that tracks a reference in time.

    Parameters
    ----------
    trajectory : what to track
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

    def step(self, situation: Situation) -> Twist2D:
        """Return the twist that brings the robot to its reference, and moves it along."""
        reference = self._trajectory.sample(situation.time_s)
        self._plan_time_s = situation.time_s
        self._error = tracking_error(situation.pose, reference.pose)
        return self._steering.steer(situation, reference, feed_forward(self._trajectory, situation))
