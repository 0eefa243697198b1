"""Fits a smooth curve by lines and arcs that touch each other: biarcs, each as long as the tolerance allows.

A biarc consists of two arcs that touch; it joins two places with given directions (Bolton, Biarc curves, 1975). Of all
solutions, this is the one whose control points are equally far from both ends.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fleet.errors import PathError
from fleet.geometry import Pose2D
from fleet.paths.path import Piece
from fleet.paths.pieces import Arc, Line
from fleet.paths.smoothing import SmoothCurve
from thymio_base.parts import Parts

Array = NDArray[np.float64]

_STRAIGHT_PER_M: Final = 1e-5  # curvature of lines, as computed
_LINE_SAMPLES: Final = 4  # shorter lines are parts of arcs
_TURN_RAD: Final = 3.0  # of the curve along one biarc, at most
_SHARPER: Final = 1.2  # arcs may bend more than the curve by this factor, ...
_SHARPER_PER_M: Final = 0.3  # ... and by this curvature
_FIRST_STEP: Final = 12  # samples
_GOOD_ENOUGH: Final = 8  # a biarc need not be an eighth longer
_LOOKED_AT: Final = 30  # samples, at most, of a biarc
_FLAT: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """The pieces that fit a curve between two samples."""

    first: int
    last: int
    pieces: tuple[Piece, ...]


def arc_spline(curve: SmoothCurve, first: int, last: int, tolerance_m: float) -> Parts[list[Span]]:
    """Fit lines and arcs to a curve between two samples, in parts."""
    spans: list[Span] = []
    for start, end in _straight_runs(curve, first, last):
        yield from _add_arcs(spans, curve, first, start, tolerance_m)
        if start < end:
            spans.append(Span(start, end, (_line(curve, start, end),)))
        first = end
    return spans


def _add_arcs(spans: list[Span], curve: SmoothCurve, start: int, last: int, tolerance_m: float) -> Parts[None]:
    """Add biarcs from one sample to another."""
    while start < last:
        end, pieces = _longest(curve, start, last, tolerance_m)
        spans.append(Span(start, end, tuple(pieces)))
        start = end
        yield


def _straight_runs(curve: SmoothCurve, first: int, last: int) -> list[tuple[int, int]]:
    """Return the first and last sample of each straight part, then the end of all as a part without length."""
    straight = np.abs(curve.curvatures_per_m[first : last + 1]) < _STRAIGHT_PER_M
    edges = np.flatnonzero(np.diff(np.concatenate([[False], straight, [False]]).astype(np.int8)))
    runs = zip((first + edges[::2]).tolist(), (first + edges[1::2] - 1).tolist(), strict=True)
    return [*((start, end) for start, end in runs if end - start >= _LINE_SAMPLES), (last, last)]


def _line(curve: SmoothCurve, first: int, last: int) -> Line:
    (from_x_m, from_y_m), (to_x_m, to_y_m) = curve.places_m[first].tolist(), curve.places_m[last].tolist()
    heading_rad = math.atan2(to_y_m - from_y_m, to_x_m - from_x_m)
    return Line(Pose2D(from_x_m, from_y_m, heading_rad), math.hypot(to_x_m - from_x_m, to_y_m - from_y_m))


def _longest(curve: SmoothCurve, start: int, last: int, tolerance_m: float) -> tuple[int, list[Piece]]:
    """Return about the longest biarc from a sample on that stays close to the curve, and the sample at its end."""
    good, bad, step = start, last + 1, _FIRST_STEP
    pieces: list[Piece] = []
    while good < last and (not pieces or (bad - good) * _GOOD_ENOUGH > good - start):
        probe = min(good + step, last) if bad > last else (good + bad) // 2
        if probe <= good:
            break
        found = biarc(_pose(curve, start), _pose(curve, probe))
        if _is_close(curve, start, probe, found, tolerance_m):
            good, pieces, step = probe, found, 2 * step
        else:
            bad = probe
    return (good, pieces) if pieces else (start + 1, biarc(_pose(curve, start), _pose(curve, start + 1)))


def _pose(curve: SmoothCurve, index: int) -> Pose2D:
    x_m, y_m = curve.places_m[index].tolist()
    return Pose2D(x_m, y_m, float(curve.headings_rad[index]))


def _is_close(curve: SmoothCurve, first: int, last: int, pieces: list[Piece], tolerance_m: float) -> bool:
    """Whether a biarc stays close to a curve between two samples, and bends about as much."""
    if abs(curve.headings_rad[last] - curve.headings_rad[first]) > _TURN_RAD:
        return False
    bends_per_m = curve.curvatures_per_m[first : last + 1]
    sharpest_per_m = max(float(bends_per_m.max()), -float(bends_per_m.min()))
    if any(abs(_bend_per_m(piece)) > _SHARPER * sharpest_per_m + _SHARPER_PER_M for piece in pieces):
        return False
    places_m = curve.places_m[first + 1 : last : 1 + (last - first) // _LOOKED_AT]
    gaps_m = np.minimum(_gaps_m(pieces[0], places_m), _gaps_m(pieces[1], places_m))
    return not len(gaps_m) or float(gaps_m.max()) <= tolerance_m


def _gaps_m(piece: Piece, places_m: Array) -> Array:
    """Return the distances of places from the line or circle of a piece."""
    start, bend_per_m = piece.start, _bend_per_m(piece)
    x_m, y_m = places_m[:, 0] - start.x_m, places_m[:, 1] - start.y_m
    left_m = y_m * math.cos(start.heading_rad) - x_m * math.sin(start.heading_rad)
    power_m = bend_per_m * (x_m * x_m + y_m * y_m) - 2.0 * left_m
    # |(distance to the centre) - radius|, also for radii that are nearly infinite
    gaps_m: Array = np.abs(power_m) / (1.0 + np.sqrt(np.maximum(1.0 + bend_per_m * power_m, 0.0)))
    return gaps_m


def _bend_per_m(piece: Piece) -> float:
    return piece.curvature_per_m if isinstance(piece, Arc) else 0.0


def biarc(start: Pose2D, end: Pose2D) -> list[Piece]:
    """Return two arcs, or lines, that touch and lead forward from one pose to another.

    Raises
    ------
    PathError
        There are no such arcs.
    """
    from_x, from_y = math.cos(start.heading_rad), math.sin(start.heading_rad)
    to_x, to_y = math.cos(end.heading_rad), math.sin(end.heading_rad)
    gap_x_m, gap_y_m = end.x_m - start.x_m, end.y_m - start.y_m
    gap2 = gap_x_m * gap_x_m + gap_y_m * gap_y_m
    ahead = gap_x_m * (from_x + to_x) + gap_y_m * (from_y + to_y)
    twist = 2.0 * (1.0 - from_x * to_x - from_y * to_y)
    spread = ahead + math.sqrt(max(ahead * ahead + twist * gap2, 0.0))
    if not spread > 0.0:
        raise PathError("a curve folds to a point")
    control_m = gap2 / spread
    joint_x_m = 0.5 * (start.x_m + end.x_m + control_m * (from_x - to_x))
    joint_y_m = 0.5 * (start.y_m + end.y_m + control_m * (from_y - to_y))
    first = _arc_to(start, joint_x_m, joint_y_m)
    return [first, _arc_to(first.end, end.x_m, end.y_m)]


def _arc_to(start: Pose2D, x_m: float, y_m: float) -> Line | Arc:
    """Return the arc from a pose to a place."""
    local = Pose2D(x_m, y_m, 0.0).relative_to(start)
    angle_rad = 2.0 * math.atan2(local.y_m, local.x_m)
    chord_m = math.hypot(local.x_m, local.y_m)
    if abs(angle_rad) < _FLAT:
        return Line(start, chord_m)
    length_m = chord_m * (0.5 * angle_rad) / math.sin(0.5 * angle_rad)
    return Arc(start, length_m, angle_rad / length_m)
