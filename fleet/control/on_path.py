"""Laws that track the path itself; they share the logic of when to drive, turn on the spot or stand still."""

import math
from typing import Final, Protocol, assert_never

from fleet.control.control_law import NO_ERROR, ControlInput, TrackingError, Tracks, tracking_error
from fleet.control.path_progress import PathActivity, PathPlace, Progress
from fleet.geometry import STILL, Twist2D
from fleet.trajectories.profile import Profile
from fleet.trajectories.trajectory import Trajectory, slowed

_TURN_PER_S: Final = 3.0  # turn rate per remaining angle: late and lagging wheels do not overshoot
_RATE_RADPS: Final = 2.0  # where the trajectory has no turn, but the robot has a wrong heading
_BRAKE_RADPS2: Final = 5.0


class PathSteering(Protocol):
    """The part of a law that drives along a leg."""

    def drive(self, control_input: ControlInput, place: PathPlace, error: TrackingError) -> Twist2D:
        """Return the twist that brings the robot back to its path and along it."""


class OnPath:
    """A law that tracks the path: it brakes for the remaining distance and turns by the remaining angle.

    Parameters
    ----------
    trajectory : defines the path; of its timing only the speeds are used
    steering : drives between turns
    """

    tracks = Tracks.PATH

    def __init__(self, trajectory: Trajectory, steering: PathSteering) -> None:
        self._steering = steering
        self._progress = Progress(trajectory)
        self._error = NO_ERROR

    @property
    def plan_time_s(self) -> float:
        """The trajectory's time at the robot's place on the path."""
        return self._progress.time_s

    @property
    def error(self) -> TrackingError:
        """The errors of the last step; nothing is late, so along-track is 0 except at the ends."""
        return self._error

    def step(self, control_input: ControlInput) -> Twist2D:
        """Return the twist that brings the robot back to its path and along it."""
        place = self._progress.update(control_input)
        self._error = tracking_error(control_input.pose, place.point.pose)
        match place.activity:
            case PathActivity.ARRIVED:
                return STILL
            case PathActivity.TURNING:
                turn_radps = _turn_rate(place.remaining_rad, self._progress.leg.turn)
                return slowed(Twist2D(0.0, turn_radps), control_input.rate)
            case PathActivity.DRIVING:
                return slowed(self._steering.drive(control_input, place, self._error), control_input.rate)
            case _:
                assert_never(place.activity)


def _turn_rate(remaining_rad: float, turn: Profile) -> float:
    """Return the turn rate [rad/s] for a remaining angle: proportional to it, and no faster than the planned turn.

    Nor is it faster than braking at the planned rate allows; the sign is the angle's.
    """
    remaining = abs(remaining_rad)
    rates = [max(phase.speed, phase.at(phase.duration_s)[1]) for phase in turn.phases]
    brakes = [abs(phase.at(phase.duration_s)[2]) for phase in turn.phases]
    rate_radps, brake_radps2 = max(rates, default=_RATE_RADPS), max(brakes, default=_BRAKE_RADPS2) or _BRAKE_RADPS2
    return math.copysign(
        min(_TURN_PER_S * remaining, rate_radps, math.sqrt(2.0 * brake_radps2 * remaining)), remaining_rad
    )
