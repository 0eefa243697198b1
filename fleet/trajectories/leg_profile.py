"""The fastest speed along a leg of a path, from rest to rest, within limits.

Forward-backward pass over the bounds of the leg's segments (as in Bobrow, Dubowsky and Gibson, Time-optimal control of
robotic manipulators along specified paths, 1985, for bounds that never require more than the brakes can do): backwards,
every speed is lowered until the robot can brake to the next one, forwards until it can accelerate to it.

A jerk limit is then satisfied by a running mean over T = 2 a / j seconds: a mean of speeds does not exceed their
maximum, nor does a mean of accelerations, and the acceleration changes by at most 2 a within T. The mean shifts speeds
along the path by at most v T, so bounds are widened by that much first. With a = sqrt(v j / 2), or the limit if that is
less, a ramp to v takes the least time, v / a + T. That is not quite the fastest profile, but it keeps every limit.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from fleet.trajectories.curvature_segments import Bound, CurvatureSegment, bounds
from fleet.trajectories.limits import Limits
from fleet.trajectories.profile import Phase, Profile
from fleet.trajectories.ramp import rest_to_rest

_FINE_M = 0.005  # segments are cut to this length before bounds are widened


def leg_profile(parts: Sequence[CurvatureSegment], limits: Limits) -> Profile:
    """Return the speed along the segments of a leg; no segments mean a leg without length."""
    if not parts:
        return Profile((), 0.0)
    if _is_uniform(parts):
        length_m = math.fsum(part.length_m for part in parts)
        return rest_to_rest(length_m, *limits.on_arc(parts[0].bend_per_m), limits.jerk_mps3)
    if math.isinf(limits.jerk_mps3):
        return _fastest(bounds(parts, limits))
    acceleration_mps2 = min(limits.acceleration_mps2, math.sqrt(0.5 * limits.speed_mps * limits.jerk_mps3))
    mean_s = 2.0 * acceleration_mps2 / limits.jerk_mps3
    gentle = bounds(_cut(parts), replace(limits, acceleration_mps2=acceleration_mps2))
    return _running_mean(_fastest(_widened(gentle, limits.speed_mps * mean_s)), mean_s)


def _is_uniform(parts: Sequence[CurvatureSegment]) -> bool:
    return all(part.is_uniform and part.step_per_m == 0.0 and part.bend_per_m == parts[0].bend_per_m for part in parts)


def _fastest(parts: Sequence[Bound]) -> Profile:
    """Return the profile of the forward-backward pass."""
    knots = [min(before.speed2_m2ps2, after.entry2_m2ps2) for before, after in pairwise(parts)]
    squares = [0.0, *knots, 0.0]
    for index in reversed(range(len(parts))):
        squares[index] = min(squares[index], parts[index].reached2(squares[index + 1]))
    for index, part in enumerate(parts):
        squares[index + 1] = min(squares[index + 1], part.reached2(squares[index]))
    phases = [
        phase
        for part, (entry2, exit2) in zip(parts, pairwise(squares), strict=True)
        for phase in _phases(part, entry2, exit2)
    ]
    return Profile(phases, math.fsum(part.length_m for part in parts))


def _phases(part: Bound, entry2: float, exit2: float) -> tuple[Phase, ...]:
    """Return the phases of a segment: one acceleration, or, if it is uniform, up to its highest speed."""
    entry, leave = math.sqrt(entry2), math.sqrt(exit2)
    if not part.is_uniform and entry + leave > 0.0:
        return (Phase(2.0 * part.length_m / (entry + leave), entry, 0.5 * (exit2 - entry2) / part.length_m),)
    acceleration = part.steady_acceleration_mps2
    peak2 = min(part.speed2_m2ps2, 0.5 * (entry2 + exit2) + acceleration * part.length_m)
    peak = math.sqrt(peak2)
    ramps_m = 0.5 * (2.0 * peak2 - entry2 - exit2) / acceleration
    return (
        Phase((peak - entry) / acceleration, entry, acceleration),
        Phase((part.length_m - ramps_m) / peak, peak, 0.0),
        Phase((peak - leave) / acceleration, peak, -acceleration),
    )


def _cut(parts: Sequence[CurvatureSegment]) -> list[CurvatureSegment]:
    """Return the segments, cut until none is longer than a few millimetres."""
    fine: list[CurvatureSegment] = []
    for part in parts:
        count = math.ceil(part.length_m / _FINE_M)
        first = replace(part, length_m=part.length_m / count)
        fine += [first, *[replace(first, step_per_m=0.0)] * (count - 1)]
    return fine


def _widened(parts: Sequence[Bound], reach_m: float) -> list[Bound]:
    """Return the bounds, each at least as tight as every bound within a reach."""
    ends_m = [0.0]
    for part in parts:
        ends_m.append(ends_m[-1] + part.length_m)
    wide: list[Bound] = []
    for index, part in enumerate(parts):
        first = max(0, bisect_left(ends_m, ends_m[index] - reach_m) - 1)
        last = min(len(parts), bisect_right(ends_m, ends_m[index + 1] + reach_m))
        near = parts[first:last]
        slowest2 = min(min(bound.speed2_m2ps2, bound.entry2_m2ps2) for bound in near)
        outer, swing_per_m = max(bound.outer for bound in near), max(bound.swing_per_m for bound in near)
        wide.append(replace(part, speed2_m2ps2=slowest2, entry2_m2ps2=slowest2, outer=outer, swing_per_m=swing_per_m))
    return wide


def _running_mean(profile: Profile, mean_s: float) -> Profile:
    """Return the profile whose speed is the mean of the last `mean_s` seconds: a(t) = (v(t) - v(t - T)) / T."""
    instants_s = [0.0]
    for phase in profile.phases:
        instants_s.append(instants_s[-1] + phase.duration_s)
    breaks_s = sorted({*instants_s, *(instant_s + mean_s for instant_s in instants_s)})
    phases: list[Phase] = []
    for from_s, to_s in pairwise(breaks_s):
        now, before = profile.sample(from_s), profile.sample(from_s - mean_s)
        middle_s = 0.5 * (from_s + to_s)  # accelerations do not change between from_s and to_s
        gained = profile.sample(middle_s)[2] - profile.sample(middle_s - mean_s)[2]
        speed, acceleration = (now[0] - before[0]) / mean_s, (now[1] - before[1]) / mean_s
        phases.append(Phase(to_s - from_s, speed, acceleration, gained / mean_s))
    return Profile(phases, profile.distance)
