"""Turning on the spot by what is left of a turn, for laws that track the path."""

import math

from fleet.paths.profile import Profile

_TURN_PER_S = 3.0  # rate by the angle that is left: late and lagging wheels do not overshoot
_RATE_RADPS = 2.0  # where the trajectory has no turn: the robot looks elsewhere than it should
_BRAKE_RADPS2 = 5.0


def turn_rate(left_rad: float, turn: Profile) -> float:
    """Return how fast to turn [rad/s] with an angle left: proportional to it, and no faster than the planned turn.

    Nor faster than braking as planned allows; the sign is the angle's.
    """
    left = abs(left_rad)
    rates = [max(phase.speed, phase.at(phase.duration_s)[1]) for phase in turn.phases]
    brakes = [abs(phase.at(phase.duration_s)[2]) for phase in turn.phases]
    rate_radps, brake_radps2 = max(rates, default=_RATE_RADPS), max(brakes, default=_BRAKE_RADPS2) or _BRAKE_RADPS2
    return math.copysign(min(_TURN_PER_S * left, rate_radps, math.sqrt(2.0 * brake_radps2 * left)), left_rad)
