"""Times for paths: as fast as limits allow, at a mean speed, or at one speed through everything."""

import math
from collections.abc import Callable

from fleet.errors import PathError
from fleet.paths.leg_profile import leg_profile
from fleet.paths.limits import Limits
from fleet.paths.path import Path
from fleet.paths.profile import Phase, Profile
from fleet.paths.ramp import rest_to_rest
from fleet.paths.stretch import stretches
from fleet.paths.trajectory import TimedLeg, Trajectory

_STEPS = 50  # of halving: the mean speed is then exact to the last digit that matters


def plan_fastest(path: Path, limits: Limits) -> Trajectory:
    """Return the fastest trajectory along a path; it stops to turn, and to change its direction."""
    return _planner(path)(limits)


def plan_at_mean_speed(path: Path, limits: Limits, speed_mps: float) -> Trajectory:
    """Return the trajectory that takes as long as `speed_mps` from start to end would, stops included.

    Only the speed along the path is adapted, up to the limit; turns and accelerations are as fast as they may be.

    Raises
    ------
    PathError
        The limits do not allow the mean speed, or the path has no length.
    """
    if not (speed_mps > 0.0 and path.length_m > 0.0):
        raise PathError(f"a path of {path.length_m:.3g} m cannot be driven at {speed_mps} m/s on average")
    plan = _planner(path)
    duration_s = path.length_m / speed_mps
    fastest = plan(limits)
    if fastest.duration_s > duration_s:
        raise PathError(
            f"{speed_mps} m/s on average is too fast for the path: within the limits it takes "
            f"{fastest.duration_s:.2f} s, which is {path.length_m / fastest.duration_s:.4f} m/s on average"
        )
    low_mps, high_mps = 0.5 * min(speed_mps, limits.speed_mps), limits.speed_mps
    for _ in range(_STEPS):
        middle_mps = 0.5 * (low_mps + high_mps)
        if plan(limits.at_speed(middle_mps)).duration_s > duration_s:
            low_mps = middle_mps
        else:
            high_mps = middle_mps
    return plan(limits.at_speed(high_mps))


def plan_at_constant_speed(path: Path, speed_mps: float) -> Trajectory:
    """Return the point that runs along a path at one speed > 0, and turns on the spot in no time.

    That is how Park 2024 moves the reference; no robot can.
    """
    if not (speed_mps > 0.0 and math.isfinite(speed_mps)):
        raise PathError(f"a path cannot be driven at {speed_mps} m/s")
    return Trajectory(
        path,
        (
            TimedLeg(leg, Profile((), 0.0), Profile((Phase(leg.length_m / speed_mps, speed_mps, 0.0),), leg.length_m))
            for leg in path.legs
        ),
    )


def _planner(path: Path) -> Callable[[Limits], Trajectory]:
    """Return what plans the path within limits; the path is looked at once."""
    legs = [(leg, stretches(path, leg)) for leg in path.legs]

    def plan(limits: Limits) -> Trajectory:
        return Trajectory(
            path,
            (
                TimedLeg(
                    leg,
                    rest_to_rest(abs(leg.turn_rad), *limits.on_the_spot(), limits.turn_jerk_radps3),
                    leg_profile(parts, limits),
                )
                for leg, parts in legs
            ),
        )

    return plan
