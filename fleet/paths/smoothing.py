"""Smooths a polyline by weighted means along it, no more than needed and within a tolerance.

The mean of a line over a triangular window is that line, and that of a circle is a circle; it rounds corners and
averages noise. Windows are as wide as the curvature requires: at each place the narrowest one that leaves little
curvature, while the mean stays close to the polyline (as in scale space, Witkin 1983, with a scale for each place).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from thymio_base.parts import Parts

Array = NDArray[np.float64]

_HALVES: Final = (0, 1, 2, 4, 7, 12, 20, 32)  # samples in half of each half of a window
MARGIN: Final = 430  # samples on either side on which a place on the curve depends, times the stretch
_GENTLE_PER_M: Final = 3.0  # curvature at which robots are as fast as on lines
_NEARLY: Final = 1.15  # times the least possible curvature is good enough
_SLOPE: Final = 0.15  # change of the half of a half of a window from sample to sample
_WIDER: Final = 1.3  # ... so that it is wide enough beside the place for which it was chosen
_EVEN: Final = 5  # samples in half of each half of the window that evens out windows
_CORRECTIONS: Final = 4
_SHRINK: Final = 0.5  # ratio of the reach of each correction to the previous one
_LAST_HALF: Final = 6  # of the correction of the blended curve
_SHIFTS: Final = np.array([0, -4, 4, -8, 8, -12, 12])  # samples by which a curve may pass a sample later or earlier
_BESIDE_M: Final = 0.005  # a sample at most this far ahead or behind is beside the curve
_FOLDED_PER_M: Final = 1e6  # curvature where a curve turns back
_NEGLIGIBLE: Final = 0.02  # excess, by the tolerance
_NO_SPEED: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class SmoothCurve:
    """Samples of a curve.

    Parameters
    ----------
    places_m : shape (n, 2); in a closed curve the last place repeats the first
    headings_rad : directions there, not wrapped, shape (n,)
    curvatures_per_m : shape (n,)
    """

    places_m: Array
    headings_rad: Array
    curvatures_per_m: Array

    def closed(self) -> "SmoothCurve":
        """Return the curve with the same place and direction at its end as at its start."""
        places_m, headings_rad = self.places_m.copy(), self.headings_rad.copy()
        places_m[-1] = places_m[0]
        rounds = np.rint((headings_rad[-1] - headings_rad[0]) / (2.0 * np.pi))
        headings_rad[-1] = headings_rad[0] + 2.0 * np.pi * rounds
        return SmoothCurve(places_m, headings_rad, self.curvatures_per_m)

    def part(self, first: int, after: int) -> "SmoothCurve":
        """Return the part of the curve from sample `first` to before sample `after`."""
        return SmoothCurve(
            self.places_m[first:after], self.headings_rad[first:after], self.curvatures_per_m[first:after]
        )


def joined(parts: Sequence[SmoothCurve]) -> SmoothCurve:
    """Join curves end to end into one."""
    return SmoothCurve(
        np.concatenate([part.places_m for part in parts]),
        np.unwrap(np.concatenate([part.headings_rad for part in parts])),
        np.concatenate([part.curvatures_per_m for part in parts]),
    )


def smoothed(samples_m: Array, spacing_m: float, tolerance_m: float, stretch: float) -> Parts[SmoothCurve]:
    """Smooth samples of a polyline, in parts; its ends do not move.

    Parameters
    ----------
    samples_m
        Shape (n, 2), n > 2, evenly spaced along the polyline.
    spacing_m
        Their distance along the polyline.
    tolerance_m
        How far the curve may be from the polyline, approximately.
    stretch
        Factor by which noise lengthens the polyline; windows are wider by the same factor.
    """
    halves = [round(half * stretch) for half in _HALVES]
    padded = _padded(samples_m, 2 * halves[-1])
    means: list[_Mean] = []
    for half in halves:
        if half <= (len(samples_m) - 1) // 2:
            spare = 2 * (halves[-1] - half)
            places_m = triangular(padded, half)[spare : spare + len(samples_m)]
            yield
            places_m, is_close = yield from _corrected(places_m, samples_m, half, tolerance_m)
            means.append(_Mean(half, places_m, spacing_m, _close(places_m, samples_m, tolerance_m, is_close)))
            yield
    places_m = _blended(means, _chosen_halves(means))
    yield
    places_m, _ = yield from _corrected(places_m, samples_m, _LAST_HALF, tolerance_m)
    return _curve(places_m, spacing_m)


class _Mean:
    """The means over windows of one width, moved to be close enough where possible.

    Attributes
    ----------
    half : samples in half of each half of a window
    places_m : the means, shape (n, 2)
    is_close : whether each mean is close enough
    bends_per_m : the largest curvature within a window around each mean
    """

    def __init__(self, half: int, places_m: Array, spacing_m: float, is_close: NDArray[np.bool_]) -> None:
        self.half: Final = half
        self.places_m: Final = places_m
        self.is_close: Final = is_close
        curvatures_per_m = _curvatures(_extended(self.places_m), spacing_m)[0]
        self.bends_per_m: Final = local_maximum(np.abs(curvatures_per_m), 2 * half)


def _padded(samples_m: Array, reach: int) -> Array:
    """Return samples with more of them at both ends, mirrored at the end points."""
    last = len(samples_m) - 1
    before = samples_m[np.minimum(np.arange(reach, 0, -1), last)]
    after = samples_m[np.maximum(last - np.arange(1, reach + 1), 0)]
    return np.concatenate([2.0 * samples_m[0] - before, samples_m, 2.0 * samples_m[last] - after])


def triangular(values: Array, half: int) -> Array:
    """Return the means over triangular windows, without those whose windows exceed the values."""
    found = values
    for _ in range(2 if half else 0):
        sums = np.empty((len(found) + 1, *found.shape[1:]))
        sums[0] = 0.0
        np.cumsum(found, axis=0, out=sums[1:])
        width = 2 * half + 1
        found = (sums[width:] - sums[:-width]) / width
    return found


def _excess_m(places_m: Array, samples_m: Array, tolerance_m: float) -> Array:
    """Return by how much samples are too far from a curve, which may pass them slightly earlier or later."""
    excess_m = np.zeros_like(samples_m)
    away_m = samples_m - places_m
    far = np.flatnonzero(np.einsum("ij,ij->i", away_m, away_m) > tolerance_m * tolerance_m)
    if not len(far):
        return excess_m
    last, far_m = len(places_m) - 1, samples_m[far]
    near = np.minimum(np.maximum(far + _SHIFTS[:, None], 0), last)
    gaps_m = far_m - places_m[near]
    best = np.hypot(gaps_m[:, :, 0], gaps_m[:, :, 1]).argmin(axis=0)
    nearest = near[best, np.arange(len(far))]
    away_m = far_m - places_m[nearest]
    ahead = places_m[np.minimum(nearest + 1, last)] - places_m[np.maximum(nearest - 1, 0)]
    ahead = ahead / np.maximum(np.hypot(ahead[:, 0], ahead[:, 1]), _NO_SPEED)[:, None]
    along_m = np.einsum("ij,ij->i", away_m, ahead)
    away_m = np.where(np.abs(along_m)[:, None] <= _BESIDE_M, away_m - along_m[:, None] * ahead, away_m)
    away = np.maximum(np.hypot(away_m[:, 0], away_m[:, 1]), _NO_SPEED)
    excess_m[far] = away_m * np.maximum(1.0 - tolerance_m / away, 0.0)[:, None]
    return excess_m


def _close(places_m: Array, samples_m: Array, tolerance_m: float, is_close: bool) -> NDArray[np.bool_]:
    """Return which samples are close enough to a curve, with some slack; `is_close` is whether all are."""
    if is_close:
        return np.ones(len(samples_m), dtype=np.bool_)
    excess_m = _excess_m(places_m, samples_m, tolerance_m * (1.0 + _NEGLIGIBLE))
    found: NDArray[np.bool_] = ~np.logical_or.reduce(excess_m, axis=1)
    return found


def _corrected(places_m: Array, samples_m: Array, half: int, tolerance_m: float) -> Parts[tuple[Array, bool]]:
    """Move a curve close enough to the samples, if a few steps suffice; return it, and whether they did."""
    for step in range(_CORRECTIONS):
        excess_m = _excess_m(places_m, samples_m, tolerance_m)
        if not excess_m.any():
            return places_m, True
        places_m = places_m + _correction_m(excess_m, max(2, round(half * _SHRINK**step)))
        yield
    return places_m, False


def _correction_m(excess_m: Array, half: int) -> Array:
    """Return a smooth shift of a curve that removes excess; it is zero at the ends."""
    wide = _local_largest(excess_m, half)
    reach = 2 * (half // 2)
    shift_m = triangular(_edged(wide, reach), half // 2)
    count = len(excess_m)
    inside = np.minimum(np.minimum(np.arange(count), np.arange(count)[::-1]) / (2 * half), 1.0)
    fade = inside * inside * (3.0 - 2.0 * inside)
    shift: Array = fade[:, None] * shift_m
    return shift


def _extended(places_m: Array) -> Array:
    """Return places with another one at each end, mirrored at the end points."""
    return np.concatenate([2.0 * places_m[:1] - places_m[1:2], places_m, 2.0 * places_m[-1:] - places_m[-2:-1]])


def _curvatures(extended: Array, spacing_m: float) -> tuple[Array, Array]:
    """Return curvatures and tangents (not normalized) at all inner samples."""
    first = (extended[2:] - extended[:-2]) / (2.0 * spacing_m)
    second = (extended[2:] - 2.0 * extended[1:-1] + extended[:-2]) / spacing_m**2
    speed = np.maximum(np.hypot(first[:, 0], first[:, 1]), _NO_SPEED)
    steps = np.diff(extended, axis=0)
    turns_back = np.einsum("ij,ij->i", steps[:-1], steps[1:]) < 0.0
    curvatures = (first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) / speed**3
    return np.where(turns_back, _FOLDED_PER_M, curvatures), first


def _chosen_halves(means: Sequence[_Mean]) -> Array:
    """Choose the window at each sample."""
    count = len(means[0].places_m)
    widest, least = np.zeros(count), np.full(count, np.inf)
    bends: list[Array] = []
    for mean in means:
        widest[mean.is_close] = mean.half
        bends.append(np.where(mean.is_close, mean.bends_per_m, np.inf))
        least = np.minimum(least, bends[-1])
    needed = widest.copy()
    enough = np.maximum(_GENTLE_PER_M, _NEARLY * least)
    for mean, bend in reversed(list(zip(means, bends, strict=True))):
        needed[bend <= enough] = mean.half
    chosen = np.minimum(_lower_envelope(widest), -_lower_envelope(-_WIDER * needed))
    return triangular(_edged(chosen, 2 * _EVEN), _EVEN)


def local_maximum(values: Array, reach: int) -> Array:
    """Return, for each number, the maximum of those within a reach on either side."""
    found, have = values, 0
    while have < reach:
        step = min(reach - have, max(1, have))
        padded = _edged(found, step)
        found = np.maximum(np.maximum(padded[: -2 * step], padded[2 * step :]), found)
        have += step
    return found


def _edged(values: Array, count: int) -> Array:
    """Return numbers, or vectors, with the first and the last repeated `count` times."""
    edged = np.empty((len(values) + 2 * count, *values.shape[1:]))
    edged[:count], edged[count : count + len(values)], edged[count + len(values) :] = values[0], values, values[-1]
    return edged


def _local_largest(vectors: Array, reach: int) -> Array:
    """Return, for each vector, the longest of those within a reach on either side."""
    lengths = np.hypot(vectors[:, 0], vectors[:, 1])
    count, have = len(vectors), 0
    at = np.arange(count)  # of the longest one
    while have < reach:
        step = min(reach - have, max(1, have), count)
        before, lengths_before = at[:-step], lengths[:-step]
        after, lengths_after = at[step:], lengths[step:]
        at, lengths = at.copy(), lengths.copy()
        for part, moved, moved_lengths in (
            (slice(step, None), before, lengths_before),
            (slice(None, count - step), after, lengths_after),
        ):
            is_longer = moved_lengths > lengths[part]
            at[part] = np.where(is_longer, moved, at[part])
            lengths[part] = np.where(is_longer, moved_lengths, lengths[part])
        have += step
    return vectors[at]


def _lower_envelope(values: Array) -> Array:
    """Return the largest function that is not above the values and changes by at most `_SLOPE`."""
    ramp = _SLOPE * np.arange(len(values))
    forward: Array = np.minimum.accumulate(values - ramp) + ramp
    backward: Array = np.minimum.accumulate((values + ramp)[::-1])[::-1] - ramp
    return np.minimum(forward, backward)


def _blended(means: Sequence[_Mean], chosen: Array) -> Array:
    """Return the means over the chosen windows, interpolated between the available windows."""
    steps = np.array([mean.half for mean in means], dtype=np.float64)
    lower = np.clip(np.searchsorted(steps, chosen, side="right") - 1, 0, len(means) - 2)
    share = (chosen - steps[lower]) / (steps[lower + 1] - steps[lower])
    stacked = np.stack([mean.places_m for mean in means])
    index = np.arange(len(chosen))
    low = stacked[lower, index]
    blended: Array = low + share[:, None] * (stacked[lower + 1, index] - low)
    return blended


def _curve(places_m: Array, spacing_m: float) -> SmoothCurve:
    curvatures_per_m, tangents = _curvatures(_extended(places_m), spacing_m)
    headings_rad = np.unwrap(np.arctan2(tangents[:, 1], tangents[:, 0]))
    return SmoothCurve(places_m, headings_rad, curvatures_per_m)
