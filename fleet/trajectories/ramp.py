"""Profiles from rest to rest under constant limits, in closed form: the trapezoid, and its jerk-limited sibling.

With the acceleration a and the jerk j, reaching the speed v takes v / a + a / j seconds, or 2 sqrt(v / j) if a is not
reached; the distance is half of v times that, as the speed rises symmetrically. Without a jerk limit a / j is 0. If the
distance is too short for the highest speed, v is the one at which both ramps cover the distance.
"""

import math

from fleet.trajectories.profile import Phase, Profile

_NOWHERE = 1e-12  # metres or radians: left over from rounding


def rest_to_rest(distance: float, speed: float, acceleration: float, jerk: float = math.inf) -> Profile:
    """Return the fastest motion over a distance >= 0 within limits > 0; the unit of length is the caller's."""
    if distance <= _NOWHERE:
        return Profile((), distance)
    peak = min(speed, _reachable(distance, acceleration, jerk))
    up = _ramp(peak, acceleration, jerk)
    ramp_s = sum(phase.duration_s for phase in up)
    cruise_s = max(0.0, distance / peak - ramp_s)
    return Profile((*up, Phase(cruise_s, peak, 0.0), *map(_mirrored, reversed(up))), distance)


def _reachable(distance: float, acceleration: float, jerk: float) -> float:
    """Return the speed at which both ramps together cover the distance."""
    if jerk == math.inf:
        return math.sqrt(distance * acceleration)
    unlimited = math.cbrt(0.25 * distance**2 * jerk)
    if unlimited * jerk <= acceleration**2:
        return unlimited
    rounding = acceleration**2 / jerk  # speed gained while the acceleration rises and falls; v^2 + rounding v = a d
    return 2.0 * distance * acceleration / (rounding + math.sqrt(rounding**2 + 4.0 * distance * acceleration))


def _ramp(speed: float, acceleration: float, jerk: float) -> tuple[Phase, ...]:
    """Return the phases that lead from rest to a speed."""
    if jerk == math.inf:
        return (Phase(speed / acceleration, 0.0, acceleration),)
    peak = min(acceleration, math.sqrt(speed * jerk))
    rise_s = peak / jerk
    gained = 0.5 * peak * rise_s
    return (
        Phase(rise_s, 0.0, 0.0, jerk),
        Phase(max(0.0, speed / peak - rise_s), gained, peak),
        Phase(rise_s, speed - gained, peak, -jerk),
    )


def _mirrored(phase: Phase) -> Phase:
    """Return the phase played backwards."""
    _, speed, acceleration = phase.at(phase.duration_s)
    return Phase(phase.duration_s, speed, -acceleration, phase.jerk)
