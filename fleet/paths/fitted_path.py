"""Paths through waypoints that suit robots: corners are rounded, and points along a curve become arcs.

A polyline is smoothed within a tolerance, and lines and arcs are fitted to the result. Robots turn on the spot only
where the tolerance leaves a bend that would take about as long: at sharp corners, and where the path turns back.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from fleet.errors import PathError
from fleet.paths.arc_spline import Span, arc_spline
from fleet.paths.path import Path, Piece
from fleet.paths.polyline import NEAREST_M, Point, polyline, turn_to
from fleet.paths.waypoint_chain import BLOCK, WaypointChain
from thymio_base.parts import Parts, WorkInParts, batches

Array = NDArray[np.float64]
T = TypeVar("T")

_FINE: Final = 0.25  # spacing of samples, by the tolerance, ...
_FINEST_M: Final = 0.001  # ... at least this, ...
_COARSEST_M: Final = 0.005  # ... and at most this, ...
_MANY: Final = 30_000  # ... which paths with more samples have
_FIT_SHARE: Final = 0.05  # of the tolerance is for arcs, ...
_SMOOTHING_SHARE: Final = 0.89  # ... this for smoothing, and the rest for what samples do not see
_TIGHTER: Final = (1.0, 0.7, 0.4)  # shares of the tolerance for smoothing, until the path is close enough
_SIZE_SHARE: Final = 0.1  # of the waypoints' extent is the largest tolerance, so that small paths keep their shape
_PASSES: Final = 4  # of finding stops
_CHECKED_M: Final = 0.002  # spacing on lines and arcs
_REACH_M: Final = 0.04  # how far ahead or behind ...
_AT_ONCE: Final = 100  # ... of this number of samples
_SPANS_AT_ONCE: Final = 5
_COMPARED_AT_ONCE: Final = 3000  # samples or places that are compared with those beside them, ...
_PLACE_SHIFTS: Final = (0, -6, 6, -12, 12, -19, 19)  # ... or ahead or behind, but within that reach
_SAMPLE_SHIFTS: Final = (0, -2, 2, -5, 5, -7, 7)

_PART: Final = 2500  # units of work in a part, about 2 ms
_STEP: Final = 100  # units for a step of any kind, ...
_PER_SAMPLE: Final = 0.25  # ... and for each of the samples of a block that is smoothed or checked


def fitted_path(points_m: Sequence[Point], is_closed: bool, corner_m: float) -> Parts[Path]:
    """Return the path through waypoints that is at most `corner_m` from their polyline; 0 yields the polyline itself.

    Raises
    ------
    PathError
        As `polyline`.
    """
    if corner_m <= 0.0:
        return polyline(points_m, is_closed)
    kept_m = _without_repeats(points_m, is_closed)
    yield
    if len(kept_m) < 3:
        return polyline(kept_m if len(kept_m) > 1 else points_m, is_closed)  # which refuses repeated waypoints
    points_m = kept_m
    fit = _Fit(points_m, is_closed, min(corner_m, _SIZE_SHARE * _size_m(points_m)))
    try:
        pieces = yield from batches(fit.pieces(), lambda: fit.effort, _PART)
    except PathError:  # the curve folds to a point
        pieces = []
    yield
    return Path(pieces, joined_from=0) if pieces else polyline(points_m, is_closed)


def _without_repeats(points_m: Sequence[Point], is_closed: bool) -> list[Point]:
    """Return waypoints without those less than a millimetre from the previous one; perhaps only one remains."""
    found = list(points_m[:1])
    for point_m in points_m[1:]:
        if not math.dist(found[-1], point_m) < NEAREST_M:
            found.append(point_m)
    while is_closed and len(found) > 2 and math.dist(found[0], found[-1]) < NEAREST_M:
        found.pop()
    return found


class _Fit:
    """Fits a path to waypoints.

    Parameters
    ----------
    points_m, is_closed, corner_m : as for `fitted_path`

    Attributes
    ----------
    effort : work done so far, in units
    """

    def __init__(self, points_m: Sequence[Point], is_closed: bool, corner_m: float) -> None:
        self._points_m = np.array(points_m, dtype=np.float64)
        self._is_closed = is_closed
        self._corner_m = corner_m
        self._smoothing_m = corner_m * _SMOOTHING_SHARE
        self._spacing_m = _spacing_m(points_m, corner_m)
        self._chains: dict[tuple[int, int], WaypointChain] = {}
        self._whole: WaypointChain | None = None
        self.effort = 0

    def pieces(self) -> Parts[list[Piece]]:
        """Return the pieces of the path; none if they cannot be close enough to the waypoints."""
        stops = yield from self._stops()
        wraps = bool(stops) and stops[0] != 0  # the path starts within the last chain
        lists: list[list[Piece]] = []
        for key in self._keys(stops):
            chain = self._chains[key]
            cuts = [chain.samples[chain.points.index(0)]] if wraps and 0 in chain.points else []
            found = yield from self._fitted(chain, [0, *cuts, chain.last], not stops)
            if not found:
                return []
            lists += found
        pieces: list[Piece] = []
        for part in [lists[-1], *lists[:-1]] if wraps else lists:
            pieces += [*(turn_to(pieces[-1].end, part[0].start.heading_rad) if pieces else ()), *part]
        if self._is_closed:
            pieces += turn_to(pieces[-1].end, pieces[0].start.heading_rad)
        return pieces

    def _fitted(self, chain: WaypointChain, cuts: list[int], is_ring: bool) -> Parts[list[list[Piece]]]:
        """Fit pieces to the curve of a chain between samples; if need be, to a curve closer to the waypoints."""
        for share in _TIGHTER:
            if share < 1.0:
                yield from self._smoothed(chain, is_ring, share)
            spans: list[Span] = []
            for first, last in pairwise(cuts):
                fitting = arc_spline(chain.curve, first, last, _FIT_SHARE * self._corner_m)
                spans += yield from self._counted(fitting, _STEP)
            if (yield from self._counted(_are_close(chain, spans, self._corner_m), _units(chain))):
                parts = [[span for span in spans if first <= span.first < last] for first, last in pairwise(cuts)]
                return [[piece for span in part for piece in span.pieces] for part in parts]
        return []

    def _smoothed(self, chain: WaypointChain, is_ring: bool, share: float) -> Parts[None]:
        smoothing = chain.smooth(is_ring, share * self._smoothing_m)
        yield from self._counted(smoothing, _units(chain))

    def _counted(self, work: Parts[T], units: int) -> Parts[T]:
        """Do some work, counting `units` for each of its parts."""
        parts = WorkInParts(work)
        while parts.do_part():
            self.effort += units
            yield
        self.effort += units
        return parts.result

    def _stops(self) -> Parts[list[int]]:
        """Return the waypoints at which the robot stops, including both ends; smooth the polyline between them."""
        last = len(self._points_m) - 1
        ends = [] if self._is_closed else [0, last]
        whole = self._whole = self._chain((-1, -1) if self._is_closed else (0, last))
        self.effort += whole.last
        yield
        corners = yield from self._counted(whole.corners(self._is_closed, self._corner_m), whole.last)
        stops = sorted({*ends, *corners})
        for passes_left in range(_PASSES, -1, -1):
            more: list[int] = []
            for key in self._keys(stops):
                if key not in self._chains:
                    chain = self._chains[key] = self._chain(key)
                    yield from self._smoothed(chain, not stops, 1.0)
                    more += chain.slow_points(self._corner_m) if passes_left else []
                    yield
            if not more:
                break
            stops = sorted({*stops, *more})
        return stops

    def _keys(self, stops: list[int]) -> list[tuple[int, int]]:
        """Return the first and last waypoint of each chain; (-1, -1) for a closed path without stops."""
        if not stops:
            return [(-1, -1)]
        return list(pairwise([*stops, stops[0]] if self._is_closed else stops))

    def _chain(self, key: tuple[int, int]) -> WaypointChain:
        first, last = max(key[0], 0), max(key[1], 0)
        count = len(self._points_m)
        points = [place % count for place in range(first, (last if last > first else last + count) + 1)]
        if self._whole is not None and points == self._whole.points:
            return self._whole
        return WaypointChain(points, self._points_m[points], self._spacing_m)


def _units(chain: WaypointChain) -> int:
    """Return the work of a step along a chain, in units."""
    return _STEP + int(_PER_SAMPLE * float(min(chain.last, BLOCK)))


def _are_close(chain: WaypointChain, spans: Sequence[Span], corner_m: float) -> Parts[bool]:
    """Whether the fitted pieces and the polyline are close to each other everywhere."""
    placed: list[tuple[Array, Array]] = []
    for span in spans:
        placed.append(_places_m(span, chain.curve.places_m))
        if len(placed) % _SPANS_AT_ONCE == 0:
            yield
    places_m = np.concatenate([span_m for span_m, _ in placed])
    starts = np.cumsum([0, *(len(span_m) for span_m, _ in placed)])
    near = np.concatenate([start + index for start, (_, index) in zip(starts, placed, strict=False)])
    yield
    first, reach = spans[0].first, math.ceil(_REACH_M / _CHECKED_M)
    are_samples_close, are_places_close = yield from _close_beside(chain, first, near, places_m, corner_m)
    least_m = np.where(are_places_close, 0.0, np.inf)
    open_samples = _counts(~are_samples_close)
    yield
    open_places = _counts(~are_places_close)
    yield
    for start in range(0, len(near), _AT_ONCE):
        end = min(start + _AT_ONCE, len(near) - 1)
        low, high = max(0, int(near[start]) - reach), int(near[end]) + reach + 1
        if open_samples[end + 1] == open_samples[start] and open_places[min(high, len(places_m))] == open_places[low]:
            continue
        away_m = chain.points_between(first + start, first + end + 1)[:, None, :] - places_m[None, low:high, :]
        gaps_m = np.hypot(away_m[:, :, 0], away_m[:, :, 1])
        if gaps_m.min(axis=1).max() > corner_m:
            return False
        least_m[low:high] = np.minimum(least_m[low:high], gaps_m.min(axis=0))
        yield
    return bool(least_m.max() <= corner_m)


def _counts(values: NDArray[np.bool_]) -> list[int]:
    """Return, for each index, how many of the previous values are true."""
    counts: list[int] = np.concatenate([[0], np.cumsum(values)]).tolist()
    return counts


def _close_beside(
    chain: WaypointChain, first: int, near: Array, places_m: Array, corner_m: float
) -> Parts[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Return which samples (and waypoints at them) are close to places beside them, and which places are to samples.

    `near` is the index of the place beside each sample, from sample `first` on. Some that are not marked may be close,
    too.
    """
    samples_m, beside = chain.samples_m[first : first + len(near)], near.astype(np.intp)
    at = np.asarray(chain.samples, dtype=np.intp) - first
    is_inside = (at >= 0) & (at < len(near))
    at, points_m = at[is_inside], chain.points_m[is_inside]
    yield
    are_close: list[NDArray[np.bool_]] = []
    numbers = np.arange(len(near), dtype=np.float64)
    for ours_m, theirs_m, index, shifts in (
        (samples_m, places_m, beside, _PLACE_SHIFTS),
        (points_m, places_m, beside[at], _PLACE_SHIFTS),
        (places_m, samples_m, None, _SAMPLE_SHIFTS),
    ):
        found = np.zeros(len(ours_m), dtype=np.bool_)
        for start in range(0, len(ours_m), _COMPARED_AT_ONCE):
            part = slice(start, min(start + _COMPARED_AT_ONCE, len(ours_m)))
            if index is None:
                beside = np.rint(np.interp(np.arange(part.start, part.stop), near, numbers)).astype(np.intp)
            else:
                beside = index[part]
            found[part] = _has_close(ours_m[part], theirs_m, beside, shifts, corner_m)
            yield
        are_close.append(found)
    are_close[0][at[~are_close[1]]] = False
    return are_close[0], are_close[2]


def _has_close(ours_m: Array, theirs_m: Array, index: NDArray[np.intp], shifts: Sequence[int], corner_m: float) -> Any:
    """Return which places are close to one of `theirs_m`, at `index` or at an index shifted from it."""
    found = np.zeros(len(ours_m), dtype=np.bool_)
    for shift in shifts:
        missing = np.flatnonzero(~found)
        if not len(missing):
            break
        at = np.minimum(np.maximum(index[missing] + shift, 0), len(theirs_m) - 1)
        found[missing] = np.hypot(*(ours_m[missing] - theirs_m[at]).T) <= corner_m
    return found


def _places_m(span: Span, curve_m: Array) -> tuple[Array, Array]:
    """Return places along the fit to a part of a curve, and the index of the place beside each of its samples."""
    places_m = np.concatenate([_along_m(piece) for piece in span.pieces])
    steps_m = np.hypot(*np.diff(curve_m[span.first : span.last + 1], axis=0).T)
    driven_m = np.cumsum(steps_m)
    return places_m, driven_m * ((len(places_m) - 1) / max(float(driven_m[-1]), _CHECKED_M))


def _along_m(piece: Piece) -> Array:
    """Return places along a line or an arc."""
    count = max(1, math.ceil(piece.length_m / _CHECKED_M))
    start, bend_per_m = piece.start, piece.sample(0.0).curvature_per_m
    along_m = piece.length_m / count * np.arange(count + 1)
    half_rad = 0.5 * bend_per_m * along_m
    chords_m, directions_rad = along_m * np.sinc(half_rad / math.pi), start.heading_rad + half_rad
    return np.stack(
        [start.x_m + chords_m * np.cos(directions_rad), start.y_m + chords_m * np.sin(directions_rad)], axis=1
    )


def _size_m(points_m: Sequence[Point]) -> float:
    """Return the diagonal of the rectangle around some points."""
    x_m, y_m = zip(*points_m, strict=True)
    return math.hypot(max(x_m) - min(x_m), max(y_m) - min(y_m))


def _spacing_m(points_m: Sequence[Point], corner_m: float) -> float:
    """Return the approximate spacing of samples along a polyline."""
    length_m = sum(map(math.dist, points_m, points_m[1:]))
    return max(min(max(length_m / _MANY, _FINE * corner_m), _COARSEST_M), _FINEST_M)
