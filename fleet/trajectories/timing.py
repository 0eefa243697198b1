"""Adds times to paths: as fast as limits allow, at a mean speed, or at one constant speed."""

import math
from typing import Final, TypeAlias

from fleet.errors import PathError
from fleet.paths.path import Leg, Path
from fleet.trajectories.counted_work import Steps
from fleet.trajectories.curvature_segments import Segmentation
from fleet.trajectories.leg_profile import LegProfiles, Segments
from fleet.trajectories.limits import Limits
from fleet.trajectories.profile import Phase, Profile
from fleet.trajectories.ramp import rest_to_rest
from fleet.trajectories.trajectory import TimedLeg, Trajectory
from thymio_base.parts import finished

_AnalysedLeg: TypeAlias = tuple[Leg, list[Segments]]

_PIECES_A_STEP: Final = 100  # when a path is cut into legs
_LEGS_A_STEP: Final = 5
_STEPS = 50
_EXACT = 1e-6  # of the duration: an hour to some milliseconds
_LAPS_THAT_DIFFER = 3  # the first starts at rest, the last ends at rest


def plan_fastest(path: Path, limits: Limits) -> Trajectory:
    """Return the fastest trajectory along a path; it stops to turn, and to reverse its direction of travel."""
    return finished(planning_fastest(path, limits))


def planning_fastest(path: Path, limits: Limits, segmentation: Segmentation | None = None) -> Steps[Trajectory]:
    """Plan the fastest trajectory along a path, in steps; `segmentation` may already know some of its pieces."""
    legs = yield from _analysed(path, segmentation or Segmentation())
    return (yield from _planned(path, legs, limits))


def limits_at_mean_speed(lap: Path, limits: Limits, speed_mps: float, laps: int = 1) -> Limits:
    """Return limits that give all laps together the mean speed `speed_mps`, including stops.

    Only the limit of the speed along the path is lowered; turns and accelerations stay as fast as allowed.

    Raises
    ------
    PathError
        The limits do not allow the mean speed, or the path has no length or cannot be repeated.
    """
    return finished(seeking_limits(lap, limits, speed_mps, laps))


def seeking_limits(lap: Path, limits: Limits, speed_mps: float, laps: int) -> Steps[Limits]:
    """Find the limits that `limits_at_mean_speed` returns, in steps."""
    if not (speed_mps > 0.0 and lap.length_m > 0.0):
        raise PathError(f"a path of {lap.length_m:.3g} m cannot be driven at {speed_mps} m/s on average")
    lap_times = _LapTimes(lap, laps)
    yield from lap_times.analyse()
    allowed_s = laps * lap.length_m / speed_mps
    fastest_s = yield from lap_times.duration_s(limits)
    if fastest_s > allowed_s * (1.0 + _EXACT):
        fastest_mps = laps * lap.length_m / fastest_s
        raise PathError(
            f"{speed_mps} m/s on average is too fast for the path: within the limits it takes {fastest_s:.2f} s, "
            f"which is {fastest_mps:.4f} m/s on average; try --speed {math.floor(1e3 * fastest_mps) * 1e-3:.3f}"
        )
    slowest_mps = min(speed_mps, limits.speed_mps)
    return (yield from _limits_for(lap_times, limits, fastest_s, allowed_s, slowest_mps))


class _LapTimes:
    """Duration of all laps of a path within limits; all middle laps are like the second."""

    def __init__(self, lap: Path, laps: int) -> None:
        counts = [laps] if laps <= _LAPS_THAT_DIFFER else [_LAPS_THAT_DIFFER - 1, _LAPS_THAT_DIFFER]
        self._paths: Final = [lap.repeated(count) for count in counts]
        self._further_laps: Final = laps - counts[-1]
        self._legs: Final[list[list[_AnalysedLeg]]] = []

    def analyse(self) -> Steps[None]:
        """Find the segments of all legs."""
        segmentation = Segmentation()
        for path in self._paths:
            self._legs.append((yield from _analysed(path, segmentation)))

    def duration_s(self, limits: Limits) -> Steps[float]:
        """Return the duration."""
        durations_s: list[float] = []
        for path, legs in zip(self._paths, self._legs, strict=True):
            plan = yield from _planned(path, legs, limits)
            durations_s.append(plan.duration_s)
        return durations_s[-1] + self._further_laps * (durations_s[-1] - durations_s[0])


def _limits_for(
    lap_times: _LapTimes, limits: Limits, fastest_s: float, allowed_s: float, slow_mps: float
) -> Steps[Limits]:
    """Find the speed, between a slow one and that of the limits, with which all laps take the allowed time.

    At the speed of the limits, they take `fastest_s`.

    Regula falsi, Illinois variant, on the inverse of the speed: apart from ramps the duration is linear in it.
    """
    low, high = 1.0 / limits.speed_mps, 1.0 / slow_mps
    early_s = fastest_s - allowed_s
    late_s = (yield from lap_times.duration_s(limits.at_speed(slow_mps))) - allowed_s
    for _ in range(_STEPS):
        if late_s <= early_s:
            break
        middle = (low * late_s - high * early_s) / (late_s - early_s)
        slower = limits.at_speed(1.0 / middle)
        error_s = (yield from lap_times.duration_s(slower)) - allowed_s
        if abs(error_s) < _EXACT * allowed_s:
            return slower
        if error_s < 0.0:
            low, early_s, late_s = middle, error_s, 0.5 * late_s
        else:
            high, late_s, early_s = middle, error_s, 0.5 * early_s
    return limits.at_speed(1.0 / low)


def plan_at_constant_speed(path: Path, speed_mps: float) -> Trajectory:
    """Return the trajectory of a point that moves along a path at one speed > 0, and turns on the spot in no time.

    Park 2024 moves its reference like this; no robot can.
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


def _analysed(path: Path, segmentation: Segmentation) -> Steps[list[_AnalysedLeg]]:
    """Find the segments of all legs."""
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
    """Plans turns on the spot; equal turns are planned once."""

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
