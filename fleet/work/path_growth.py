"""Paths that grow at their end while they are driven: which part is kept, and what follows.

The last part of a path depends on what follows: a corner at its former end will be rounded. So a path is kept up to a
place that must stay as it is, and the waypoints after that place are fitted again together with the new ones.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Final

from fleet.errors import PathError
from fleet.geometry import Pose2D
from fleet.paths.arc_spline import biarc
from fleet.paths.fitted_path import fitted_path
from fleet.paths.path import Path, Piece
from fleet.paths.polyline import Point, turn_to
from fleet.paths.remaining_path import pieces_from, remaining_path
from fleet.tasks.legs import Growth
from thymio_base.parts import Parts

_NOTHING_M: Final = 1e-9
_SAME: Final = 1e-6  # metres and radians: two curves are one there
_REACH_M: Final = 0.25  # before the former end, paths may change
_CONTEXT_M: Final = 0.5  # before the end: waypoints there are fitted again
_NEAR_M: Final = 0.004  # two curves that differ by less ...
_NEAR_RAD: Final = 0.06  # ... are joined by a biarc ...
_BRIDGE_M: Final = 0.06  # ... of about this length ...
_BENDS_PER_M: Final = 6.0  # ... that bends no more than this
_TIGHT_PER_M: Final = 25.0  # curvature of corners that are rounded late, ...
_LEAST_REACH_M: Final = 0.01  # ... from at least this distance on, ...
_LESS: Final = 0.8  # ... reduced by this factor while it is too wide


def growth_by_waypoints(
    path: Path, fixed_m: float, known_m: Sequence[Point], added_m: Sequence[Point], corner_m: float
) -> Parts[Growth]:
    """Find how a path through waypoints grows by further ones, in parts.

    Parameters
    ----------
    path
        the path through the waypoints so far
    fixed_m
        arc length up to which the path stays as it is
    known_m
        the waypoints so far, or the last of them
    added_m
        the further waypoints; each differs from the previous one
    corner_m
        by how much corners are rounded at most

    Raises
    ------
    PathError
        As `fitted_path`.
    """
    behind_m = _last_waypoints(known_m, _CONTEXT_M)
    fitted = yield from fitted_path([*behind_m, *added_m], is_closed=False, corner_m=corner_m)
    yield
    before_end_m = math.fsum(map(math.dist, behind_m, behind_m[1:]))
    for place_m in _joints_m(path, fixed_m):
        pieces = _joined(path, place_m, fitted, before_end_m - path.length_m + place_m)
        if pieces is not None:
            return Growth(path.length_m - place_m, pieces)
    rounded = _rounded(path, fixed_m, fitted, before_end_m, corner_m)
    if rounded is not None:
        return rounded
    yield
    end = path.sample(path.length_m, arriving=True).pose  # a stop
    rest = yield from fitted_path([(end.x_m, end.y_m), *added_m], is_closed=False, corner_m=corner_m)
    return Growth(0.0, (*turn_to(end, rest.start.heading_rad), *rest.pieces))


def _last_waypoints(points_m: Sequence[Point], length_m: float) -> list[Point]:
    """Return the last waypoints, over about this length of lines between them; the first may lie on a line."""
    found = [points_m[-1]]
    left_m = length_m
    for point_m in reversed(points_m[:-1]):
        step_m = math.dist(point_m, found[-1])
        if step_m > left_m:
            share = left_m / step_m
            (x_m, y_m), (to_x_m, to_y_m) = found[-1], point_m
            found.append((x_m + share * (to_x_m - x_m), y_m + share * (to_y_m - y_m)))
            break
        found.append(point_m)
        left_m -= step_m
    return found[::-1]


def _joints_m(path: Path, fixed_m: float) -> Iterator[float]:
    """Yield arc lengths at which a path may be left, the best ones first."""
    legs = [leg for leg in path.legs if leg.length_m > 0.0]
    least_m = max(fixed_m, legs[-1].from_s_m)
    if fixed_m <= legs[-1].from_s_m and path.length_m - legs[-1].from_s_m < _REACH_M and len(legs) > 1:
        yield legs[-1].from_s_m  # a stop
    for reach_m in (_REACH_M, 0.6 * _REACH_M, 0.3 * _REACH_M):
        if path.length_m - reach_m > least_m:
            yield path.length_m - reach_m
    if least_m < path.length_m:
        yield least_m


def _joined(path: Path, place_m: float, fitted: Path, near_m: float) -> tuple[Piece, ...] | None:
    """Return the pieces that lead from a place on a path on along a fitted path; None if they are too far apart."""
    here = path.sample(place_m, arriving=True).pose
    s_m = fitted.project(here.x_m, here.y_m, near_m, _BRIDGE_M)
    for leg in fitted.legs:
        stop = fitted.sample(leg.from_s_m, arriving=True).pose
        if 0.0 < leg.from_s_m < fitted.length_m and stop.distance_to(here) <= _SAME:
            rest = remaining_path(fitted, leg.from_s_m)
            return (*turn_to(here, rest.start.heading_rad), *rest.pieces)
    there = fitted.sample(s_m, arriving=True).pose
    gap_m, kink_rad = here.distance_to(there), abs(here.heading_error_to(there))
    if gap_m <= 0.5 * _SAME and kink_rad <= 0.5 * _SAME:
        return pieces_from(fitted, s_m)
    return _bridge(here, fitted, s_m) if gap_m <= _NEAR_M and kink_rad <= _NEAR_RAD else None


def _rounded(path: Path, fixed_m: float, fitted: Path, corner_at_m: float, corner_m: float) -> Growth | None:
    """Return a growth that rounds the corner at the former end late, by a tight bend; None if the path stops there."""
    corner, legs = path.end, [leg for leg in path.legs if leg.length_m > 0.0]
    reach_m = min(path.length_m - max(fixed_m, legs[-1].from_s_m), _REACH_M)
    corner_at_m = fitted.project(corner.x_m, corner.y_m, corner_at_m, _BRIDGE_M)
    leg = next(leg for leg in fitted.legs if leg.to_s_m >= corner_at_m - _NEAR_M and leg.length_m > 0.0)
    if leg.to_s_m <= corner_at_m + _NEAR_M:
        return None
    while reach_m > _LEAST_REACH_M:
        here, onto_m = path.sample(path.length_m - reach_m, arriving=True).pose, min(corner_at_m + reach_m, leg.to_s_m)
        bend = _biarc(here, fitted.sample(onto_m, arriving=True).pose, _TIGHT_PER_M)
        if bend and min(_distance_m(piece, corner) for piece in bend) <= corner_m:
            return Growth(reach_m, (*bend, *pieces_from(fitted, onto_m)))
        reach_m *= _LESS
    return None


def _distance_m(piece: Piece, place: Pose2D) -> float:
    s_m = piece.closest(place.x_m, place.y_m, 0.0, piece.length_m)
    return piece.sample(s_m).pose.distance_to(place)


def _biarc(here: Pose2D, there: Pose2D, most_per_m: float) -> list[Piece]:
    """Return the biarc between two poses; nothing if it bends too much."""
    try:
        pieces = biarc(here, there)
    except PathError:
        return []
    return pieces if all(abs(piece.sample(0.0).curvature_per_m) <= most_per_m for piece in pieces) else []


def _bridge(here: Pose2D, fitted: Path, s_m: float) -> tuple[Piece, ...] | None:
    """Return a biarc from a pose beside a path onto it, and the path from there on."""
    leg = next(leg for leg in fitted.legs if leg.to_s_m >= s_m - _NOTHING_M and leg.length_m > 0.0)
    onto_m = min(s_m + _BRIDGE_M, leg.to_s_m)
    bridge = _biarc(here, fitted.sample(onto_m, arriving=True).pose, _BENDS_PER_M)
    return (*bridge, *pieces_from(fitted, onto_m)) if bridge else None
