"""The fastest speed along a leg of a path, from rest to rest, within limits.

Forward-backward pass over the bounds of the leg's segments (as in Bobrow, Dubowsky and Gibson, Time-optimal control of
robotic manipulators along specified paths, 1985, for bounds that never require more than the brakes can do): backwards,
each speed is lowered until the robot can brake to the next one; forwards, until it can accelerate to it.

A jerk limit is then satisfied by a running mean over T = 2 a / j seconds: a mean of speeds does not exceed their
maximum, nor does a mean of accelerations, and the acceleration changes by at most 2 a within T. The mean shifts speeds
along the path by at most v T, so bounds are widened by that much first. With a = sqrt(v j / 2), or the limit if that is
less, a ramp to v takes the least time, v / a + T. That is not quite the fastest profile, but it keeps every limit.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Final, TypeAlias

from fleet.trajectories.counted_work import Effort, Steps
from fleet.trajectories.curvature_segments import Bound, CurvatureSegment, bounds
from fleet.trajectories.limits import Limits
from fleet.trajectories.profile import Phase, Profile, TimedPhases
from fleet.trajectories.ramp import rest_to_rest

_FINE_M: Final = 0.005  # segments are cut to this length before bounds are widened
_BLOCK: Final = 100  # segments that are planned without a pause, at most
_NEW: Final = 7  # units of work for a segment, ...
_KNOWN: Final = 2  # ... for a segment repeated from another lap, ...
_BLOCKED: Final = 20  # ... for a block of segments ...
_LEG: Final = 20  # ... and for a leg
_COPIED: Final = 4  # phases are copied in the time of a unit
_MEAN: Final = 25  # units of a phase of a running mean

Segments: TypeAlias = list[CurvatureSegment]


class LegProfiles:
    """Plans the speeds along the legs of a path; what legs and laps share is computed once.

    Parameters
    ----------
    limits : limits of the motion
    """

    def __init__(self, limits: Limits) -> None:
        self._limits: Final = limits
        self._blocks: Final[dict[int, tuple[Segments, list[_Block]]]] = {}  # by identity of the segments, kept there
        self._uniform: Final[dict[tuple[float, float, float], Profile]] = {}  # by length, bend and highest speed
        self._effort: Final = Effort()

    def plan(self, pieces: Sequence[Segments]) -> Steps[Profile]:
        """Plan the speed along the segments of a leg, given piece by piece; without any, the leg has no length."""
        if not pieces:
            return Profile((), 0.0)
        if _is_uniform(pieces):
            self._effort.units += _LEG + _KNOWN * len(pieces)
            if self._effort.is_much:
                yield self._effort.take()
            return self._from_rest_to_rest(_length_m(pieces), pieces[0][0])
        if math.isinf(self._limits.jerk_mps3):
            return (yield from self._fastest(pieces))
        return (yield from self._gentle(pieces))

    def _from_rest_to_rest(self, length_m: float, part: CurvatureSegment) -> Profile:
        key = length_m, part.bend_per_m, part.highest_mps
        profile = self._uniform.get(key)
        if profile is None:
            speed_mps, acceleration_mps2 = self._limits.on_arc(part.bend_per_m)
            speed_mps = min(speed_mps, part.highest_mps)
            profile = rest_to_rest(length_m, speed_mps, acceleration_mps2, self._limits.jerk_mps3)
            self._uniform[key] = profile
        return profile

    def _fastest(self, pieces: Sequence[Segments]) -> Steps[Profile]:
        """Plan without a jerk limit."""
        blocks: list[_Block] = []
        effort = self._effort
        for parts in pieces:
            known = self._blocks.get(id(parts))
            if known is None:
                known = self._blocks[id(parts)] = parts, []
                for first in range(0, len(parts), _BLOCK):
                    known[1].append(_Block(bounds(parts[first : first + _BLOCK], self._limits)))
                    effort.units += _BLOCKED + _NEW * len(known[1][-1].parts)
                    if effort.is_much:
                        yield effort.take()
            blocks += known[1]
            effort.units += _KNOWN
        return (yield from _passes(blocks, _length_m(pieces), effort))

    def _gentle(self, pieces: Sequence[Segments]) -> Steps[Profile]:
        """Plan with a jerk limit."""
        limits, jerk_mps3 = self._limits, self._limits.jerk_mps3
        acceleration_mps2 = min(limits.acceleration_mps2, math.sqrt(0.5 * limits.speed_mps * jerk_mps3))
        mean_s = 2.0 * acceleration_mps2 / jerk_mps3
        gentle = replace(limits, acceleration_mps2=acceleration_mps2)
        fine: list[Bound] = []
        for parts in pieces:
            for part in parts:
                cut = _cut(part, gentle)
                fine += cut
                self._effort.units += _BLOCKED + _KNOWN * len(cut)
                if self._effort.is_much:
                    yield self._effort.take()
        wide = yield from _widened(fine, limits.speed_mps * mean_s, self._effort)
        blocks = [_Block(wide[first : first + _BLOCK]) for first in range(0, len(wide), _BLOCK)]
        fastest = yield from _passes(blocks, math.fsum([part.length_m for part in wide]), self._effort)
        return (yield from _running_mean(fastest, mean_s, self._effort))


class _Block:
    """The bounds of some segments; results for the same speeds at their ends are computed once."""

    def __init__(self, parts: list[Bound]) -> None:
        self.parts: Final = parts
        self._braked: Final[dict[tuple[float, float], _Braked]] = {}

    def braked(self, entry2: float, exit2: float, effort: Effort) -> "_Braked":
        """Return the speeds from which the robot can brake to a squared speed at the end."""
        known = self._braked.get((entry2, exit2))
        if known is None:
            known = self._braked[entry2, exit2] = _Braked(self.parts, entry2, exit2)
            effort.units += _BLOCKED + _NEW * len(self.parts)
        effort.units += _KNOWN
        return known


class _Braked:
    """The squared speeds at segment ends from which the robot can brake to a given one at the last end."""

    def __init__(self, parts: list[Bound], entry2: float, exit2: float) -> None:
        squares = [exit2]
        for index in range(len(parts) - 1, -1, -1):
            part = parts[index]
            knot2 = min(parts[index - 1].speed2_m2ps2, part.entry2_m2ps2) if index > 0 else entry2
            squares.append(min(knot2, part.reached2(squares[-1])))
        squares.reverse()
        self.squares: Final = squares
        self._parts: Final = parts
        self._driven: Final[dict[float, _Driven]] = {}

    def driven(self, entry2: float, effort: Effort) -> "_Driven":
        """Return the robot's motion along the segments from a squared speed at their start."""
        known = self._driven.get(entry2)
        if known is None:
            known = self._driven[entry2] = _Driven(self._parts, self.squares, entry2)
            effort.units += _BLOCKED + _NEW * len(self._parts)
        effort.units += _KNOWN * len(self._parts)
        return known


class _Driven:
    """The phases of motion along segments, and the squared speed at their end."""

    def __init__(self, parts: list[Bound], squares: list[float], entry2: float) -> None:
        phases: list[Phase] = []
        square2 = entry2
        for index, part in enumerate(parts):
            next2 = min(squares[index + 1], part.reached2(square2))
            phases += _phases(part, square2, next2)
            square2 = next2
        self.phases: Final = phases
        self.exit2: Final = square2


def _passes(blocks: list[_Block], length_m: float, effort: Effort) -> Steps[Profile]:
    """Return the profile of the forward-backward pass."""
    braked: list[_Braked] = []
    square2 = 0.0
    for index in range(len(blocks) - 1, -1, -1):
        first2 = blocks[index].parts[0].entry2_m2ps2
        entry2 = min(blocks[index - 1].parts[-1].speed2_m2ps2, first2) if index > 0 else 0.0
        braked.append(blocks[index].braked(entry2, square2, effort))
        square2 = braked[-1].squares[0]
        if effort.is_much:
            yield effort.take()
    phases = TimedPhases()
    square2 = 0.0
    while braked:
        driven = braked.pop().driven(square2, effort)
        phases.add(driven.phases)
        square2 = driven.exit2
        if effort.is_much:
            yield effort.take()
    effort.units += len(phases.phases) // _COPIED
    yield effort.take()
    return Profile(phases, length_m)


def _is_uniform(pieces: Sequence[Segments]) -> bool:
    first = pieces[0][0]
    for parts in pieces:
        for part in parts:
            is_same = part.bend_per_m == first.bend_per_m and part.highest_mps == first.highest_mps
            if not part.is_uniform or part.step_per_m != 0.0 or not is_same:
                return False
    return True


def _length_m(pieces: Sequence[Segments]) -> float:
    known: dict[int, float] = {}
    for parts in pieces:
        if id(parts) not in known:
            known[id(parts)] = math.fsum([part.length_m for part in parts])
    return math.fsum([known[id(parts)] for parts in pieces])


def _phases(part: Bound, entry2: float, exit2: float) -> tuple[Phase, ...]:
    """Return the phases of a segment: one acceleration or, if it is uniform, up to its highest speed."""
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


def _cut(part: CurvatureSegment, limits: Limits) -> list[Bound]:
    """Return the bounds of a segment, cut until no part is longer than a few millimetres."""
    count = math.ceil(part.length_m / _FINE_M)
    length_m = part.length_m / count
    first = bounds([part.shortened(length_m, part.step_per_m)], limits)
    return first if count == 1 else first + bounds([part.shortened(length_m, 0.0)], limits) * (count - 1)


def _widened(parts: Sequence[Bound], reach_m: float, effort: Effort) -> Steps[list[Bound]]:
    """Return the bounds, each at least as tight as all bounds within a reach."""
    ends_m = list(accumulate([part.length_m for part in parts], initial=0.0))
    wide: list[Bound] = []
    for index, part in enumerate(parts):
        first = max(0, bisect_left(ends_m, ends_m[index] - reach_m) - 1)
        last = min(len(parts), bisect_right(ends_m, ends_m[index + 1] + reach_m))
        wide.append(_tightest(part, parts[first:last]))
        effort.units += _NEW * (last - first)
        if effort.is_much:
            yield effort.take()
    return wide


def _tightest(part: Bound, near: Sequence[Bound]) -> Bound:
    """Return the bound of a segment, as tight as all bounds near it."""
    slowest2, outer, swing_per_m = math.inf, 0.0, 0.0
    for bound in near:
        slowest2 = min(slowest2, bound.speed2_m2ps2, bound.entry2_m2ps2)
        outer = max(outer, bound.outer)
        swing_per_m = max(swing_per_m, bound.swing_per_m)
    return part.tightened(slowest2, outer, swing_per_m)


def _running_mean(profile: Profile, mean_s: float, effort: Effort) -> Steps[Profile]:
    """Return the profile whose speed is the mean of the last `mean_s` seconds: a(t) = (v(t) - v(t - T)) / T."""
    instants_s = list(accumulate([phase.duration_s for phase in profile.phases], initial=0.0))
    breaks_s = sorted({*instants_s, *(instant_s + mean_s for instant_s in instants_s)})
    effort.units += _NEW * len(breaks_s)
    yield effort.take()
    phases = TimedPhases()
    for first in range(0, len(breaks_s) - 1, _BLOCK):
        found = [_mean_phase(profile, mean_s, *ends_s) for ends_s in pairwise(breaks_s[first : first + _BLOCK + 1])]
        phases.add(found)
        effort.units += _MEAN * len(found)
        if effort.is_much:
            yield effort.take()
    return Profile(phases, profile.distance)


def _mean_phase(profile: Profile, mean_s: float, from_s: float, to_s: float) -> Phase:
    """Return the phase of the mean between two instants without a change of acceleration in between."""
    now, before = profile.sample(from_s), profile.sample(from_s - mean_s)
    middle_s = 0.5 * (from_s + to_s)
    gained = profile.sample(middle_s)[2] - profile.sample(middle_s - mean_s)[2]
    speed, acceleration = (now[0] - before[0]) / mean_s, (now[1] - before[1]) / mean_s
    return Phase(to_s - from_s, speed, acceleration, gained / mean_s)
