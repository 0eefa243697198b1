"""Laws that keep to the path itself: what they share is when to drive, to turn on the spot, and to stand."""

import math
from typing import Final, Protocol

from fleet.geometry import STILL, Twist2D
from fleet.laws.law import NO_ERROR, Situation, TrackingError, Tracks, tracking_error
from fleet.laws.progress import Doing, Place, Progress
from fleet.paths.profile import Profile
from fleet.paths.trajectory import Trajectory

_TURN_PER_S: Final = 3.0  # rate by the angle that is left: late and lagging wheels do not overshoot
_RATE_RADPS: Final = 2.0  # where the trajectory has no turn: the robot looks elsewhere than it should
_BRAKE_RADPS2: Final = 5.0


class PathSteering(Protocol):
    """How a law drives along a leg."""

    def drive(self, situation: Situation, place: Place, error: TrackingError) -> Twist2D:
        """Return the twist that brings the robot back to its path, and along it."""


class OnPath:
    """A law that tracks the path: it brakes on the distance that remains, and turns by the angle that remains.

    Parameters
    ----------
    trajectory : on whose path to stay; of its times only speeds are used
    steering : drives between turns
    """

    tracks = Tracks.PATH

    def __init__(self, trajectory: Trajectory, steering: PathSteering) -> None:
        self._steering = steering
        self._progress = Progress(trajectory)
        self._error = NO_ERROR

    @property
    def plan_time_s(self) -> float:
        """When the trajectory comes to where the robot is."""
        return self._progress.time_s

    @property
    def error(self) -> TrackingError:
        """The errors of the last step; nothing is late, so along-track is 0 but for the ends."""
        return self._error

    def step(self, situation: Situation) -> Twist2D:
        """Return the twist that brings the robot back to its path, and along it."""
        place = self._progress.update(situation)
        self._error = tracking_error(situation.pose, place.point.pose)
        if place.doing is Doing.ARRIVED:
            return STILL
        if place.doing is Doing.TURNING:
            return Twist2D(0.0, _turn_rate(place.remaining_rad, self._progress.leg.turn))
        return self._steering.drive(situation, place, self._error)


def _turn_rate(left_rad: float, turn: Profile) -> float:
    """Return how fast to turn [rad/s] with an angle left: proportional to it, and no faster than the planned turn.

    Nor faster than braking as planned allows; the sign is the angle's.
    """
    left = abs(left_rad)
    rates = [max(phase.speed, phase.at(phase.duration_s)[1]) for phase in turn.phases]
    brakes = [abs(phase.at(phase.duration_s)[2]) for phase in turn.phases]
    rate_radps, brake_radps2 = max(rates, default=_RATE_RADPS), max(brakes, default=_BRAKE_RADPS2) or _BRAKE_RADPS2
    return math.copysign(min(_TURN_PER_S * left, rate_radps, math.sqrt(2.0 * brake_radps2 * left)), left_rad)
