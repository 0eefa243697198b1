"""Adds times to paths: as fast as limits allow, at a mean speed, or at one constant speed."""

import math
from collections.abc import Callable
from typing import Final, TypeAlias

from fleet.errors import PathError
from fleet.paths.path import Leg, Path
from fleet.trajectories.counted_work import Steps, completed
from fleet.trajectories.curvature_segments import Segmentation
from fleet.trajectories.leg_profile import LegProfiles, Segments
from fleet.trajectories.limits import Limits
from fleet.trajectories.profile import Phase, Profile
from fleet.trajectories.ramp import rest_to_rest
from fleet.trajectories.trajectory import TimedLeg, Trajectory

_AnalysedLeg: TypeAlias = tuple[Leg, list[Segments]]

_PIECES_A_STEP: Final = 100  # when a path is cut into legs
_LEGS_A_STEP: Final = 5
_STEPS = 50
_EXACT = 1e-6  # of the duration: an hour to some milliseconds
_LAPS_THAT_DIFFER = 3  # the first starts at rest, the last ends at rest


def plan_fastest(path: Path, limits: Limits) -> Trajectory:
    """Return the fastest trajectory along a path; it stops to turn, and to change its direction of travel."""
    return completed(planning_fastest(path, limits))


def planning_fastest(path: Path, limits: Limits, segmentation: Segmentation | None = None) -> Steps[Trajectory]:
    """Plan the fastest trajectory along a path, in steps; `segmentation` may know some of its pieces already."""
    legs = yield from _analysed(path, segmentation or Segmentation())
    return (yield from _planned(path, legs, limits))


def limits_at_mean_speed(lap: Path, limits: Limits, speed_mps: float, laps: int = 1) -> Limits:
    """Return limits with which all laps have the mean speed `speed_mps` from start to end, stops included.

    Only the speed along the path is adapted, up to the limit; turns and accelerations are as fast as allowed.

    Raises
    ------
    PathError
        The limits do not allow the mean speed, or the path has no length or cannot be repeated.
    """
    if not (speed_mps > 0.0 and lap.length_m > 0.0):
        raise PathError(f"a path of {lap.length_m:.3g} m cannot be driven at {speed_mps} m/s on average")
    duration_s = _durations(lap, laps)
    allowed_s = laps * lap.length_m / speed_mps
    fastest_s = duration_s(limits)
    if fastest_s > allowed_s * (1.0 + _EXACT):
        fastest_mps = laps * lap.length_m / fastest_s
        raise PathError(
            f"{speed_mps} m/s on average is too fast for the path: within the limits it takes {fastest_s:.2f} s, "
            f"which is {fastest_mps:.4f} m/s on average; try --speed {math.floor(1e3 * fastest_mps) * 1e-3:.3f}"
        )
    slowest_mps = min(speed_mps, limits.speed_mps)
    return limits.at_speed(
        _speed_for(lambda along_mps: duration_s(limits.at_speed(along_mps)), allowed_s, slowest_mps, limits.speed_mps)
    )


def _durations(lap: Path, laps: int) -> Callable[[Limits], float]:
    """Return a function from limits to the duration of all laps; middle laps are like the second."""
    if laps <= _LAPS_THAT_DIFFER:
        plan = _planner(lap.repeated(laps))
        return lambda limits: plan(limits).duration_s
    fewer, more = (_planner(lap.repeated(count)) for count in (_LAPS_THAT_DIFFER - 1, _LAPS_THAT_DIFFER))

    def duration_s(limits: Limits) -> float:
        more_s = more(limits).duration_s
        return more_s + (laps - _LAPS_THAT_DIFFER) * (more_s - fewer(limits).duration_s)

    return duration_s


def _speed_for(duration_s: Callable[[float], float], allowed_s: float, slow_mps: float, fast_mps: float) -> float:
    """Return the speed between a slow and a fast one at which the duration is the allowed one.

    Regula falsi, Illinois variant, on the inverse of the speed: apart from ramps the duration is linear in it.
    """
    low, high = 1.0 / fast_mps, 1.0 / slow_mps
    early_s, late_s = duration_s(fast_mps) - allowed_s, duration_s(slow_mps) - allowed_s
    for _ in range(_STEPS):
        if late_s <= early_s:
            break
        middle = (low * late_s - high * early_s) / (late_s - early_s)
        error_s = duration_s(1.0 / middle) - allowed_s
        if abs(error_s) < _EXACT * allowed_s:
            return 1.0 / middle
        if error_s < 0.0:
            low, early_s, late_s = middle, error_s, 0.5 * late_s
        else:
            high, late_s, early_s = middle, error_s, 0.5 * early_s
    return 1.0 / low


def plan_at_constant_speed(path: Path, speed_mps: float) -> Trajectory:
    """Return the trajectory of a point that moves along a path at one speed > 0 and turns on the spot in no time.

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
    """Return a function that plans the path within limits; the path is analysed only once."""
    legs = completed(_analysed(path, Segmentation()))
    return lambda limits: completed(_planned(path, legs, limits))


def _analysed(path: Path, segmentation: Segmentation) -> Steps[list[_AnalysedLeg]]:
    """Find the segments of each leg."""
    yield len(path.pieces) // _PIECES_A_STEP
    found: list[_AnalysedLeg] = []
    for leg in path.legs:
        found.append((leg, (yield from segmentation.find(path.pieces_of(leg)))))
    return found


def _planned(path: Path, legs: list[_AnalysedLeg], limits: Limits) -> Steps[Trajectory]:
    """Plan each leg."""
    profiles, turns = LegProfiles(limits), _Turns(limits)
    timed: list[TimedLeg] = []
    for index, (leg, parts) in enumerate(legs):
        drive = yield from profiles.plan(parts)
        timed.append(TimedLeg(leg, turns.profile(leg.turn_rad), drive))
        if index % _LEGS_A_STEP == _LEGS_A_STEP - 1:
            yield 1
    return Trajectory(path, timed)


class _Turns:
    """Plans turns on the spot; those by the same angle are planned once."""

    def __init__(self, limits: Limits) -> None:
        self._limits: Final = limits
        self._known: Final[dict[float, Profile]] = {}

    def profile(self, turn_rad: float) -> Profile:
        """Return the fastest turn by an angle."""
        angle_rad = abs(turn_rad)
        found = self._known.get(angle_rad)
        if found is None:
            limits = self._limits
            found = rest_to_rest(angle_rad, *limits.on_the_spot(), limits.turn_jerk_radps3)
            self._known[angle_rad] = found
        return found
