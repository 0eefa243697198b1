"""Extends the path that a robot follows by further waypoints or laps."""

import math
from collections.abc import Sequence

from fleet.errors import GoalRejectedError, PathError
from fleet.paths.polyline import NEAREST_M, Point
from fleet.settings.path_limits import LENGTH_MAX_M, PIECES_MAX, check_length, check_waypoint_count
from fleet.tasks import explanations
from fleet.tasks.legs import FollowLeg, Growth
from fleet.work.path_growth import growth_by_waypoints
from fleet.work.path_wish import bad_path
from fleet.work.work import RouteUpdate, check_finite
from thymio_base.parts import Parts


def check_update(update: RouteUpdate) -> None:
    """Refuse an update that cannot extend any path.

    Raises
    ------
    GoalRejectedError
        It has neither waypoints nor laps, or both, or its waypoints are not finite, too many or too far apart.
    """
    if bool(update.laps) == bool(update.waypoints_m):
        raise bad_path("an update has either waypoints or laps" + (", not both" if update.laps else ""))
    if len(update.waypoints_m) == 1:
        raise bad_path("an update needs 2 waypoints, the last one of the route so far and a further one; got 1")
    check_finite(update.waypoints_m)
    try:
        check_waypoint_count(len(update.waypoints_m) - 1)
        check_length(update.waypoints_m)
    except PathError as error:
        raise bad_path(str(error)) from error


def further_waypoints(leg: FollowLeg, update: RouteUpdate) -> Sequence[Point]:
    """Return the waypoints of an update that a route does not have yet; none if the update is repeated.

    Raises
    ------
    GoalRejectedError
        The path does not consist of waypoints, or the update does not continue it.
    """
    known = leg.waypoints_m
    if not known or leg.is_endless or leg.laps > 1 or leg.first_lap > 1:
        what = "is driven in laps" if known else "is not given as waypoints"
        raise bad_path(f"the path {what}, so that it cannot be extended by waypoints, only by laps if it is closed")
    total = leg.waypoint_count
    if update.after not in (0, total):
        if update.after < total and _are_known(leg, update):
            return ()
        why = explanations.outdated_update(total, update.after)
        raise GoalRejectedError(why.reason, why.detail)
    (x_m, y_m), (end_x_m, end_y_m) = update.waypoints_m[0], known[-1]
    gap_m = math.hypot(x_m - end_x_m, y_m - end_y_m)
    if gap_m > NEAREST_M:
        text = f"the update starts at ({x_m:g}, {y_m:g}), {1e3 * gap_m:.6g} mm from the last waypoint of the route"
        raise bad_path(f"{text}, ({end_x_m:g}, {end_y_m:g}); repeat that one first")
    return [point for before, point in zip(update.waypoints_m, update.waypoints_m[1:], strict=False) if before != point]


def _are_known(leg: FollowLeg, update: RouteUpdate) -> bool:
    """Whether a route already has all waypoints of an update at the same positions."""
    first = update.after - 1 - leg.former_waypoints
    known = leg.waypoints_m[first : first + len(update.waypoints_m)] if first >= 0 else ()
    return len(known) == len(update.waypoints_m) and all(
        math.dist(one, other) <= NEAREST_M for one, other in zip(known, update.waypoints_m, strict=True)
    )


def growth_of(leg: FollowLeg, added_m: Sequence[Point], remaining_m: float, corner_m: float) -> Parts[Growth]:
    """Find, in parts, how a route grows by waypoints while a robot has `remaining_m` of it left.

    Raises
    ------
    GoalRejectedError
        The rest of the path would be too long.
    """
    left_m = min(remaining_m, leg.path.length_m)
    length_m = left_m + math.dist(leg.waypoints_m[-1], added_m[0]) + sum(map(math.dist, added_m, added_m[1:]))
    _check_left(length_m, 0)
    fixed_m = leg.path.length_m - remaining_m + leg.kept_m
    try:
        growth = yield from growth_by_waypoints(leg.path, fixed_m, leg.waypoints_m, added_m, corner_m)
    except PathError as error:
        raise bad_path(str(error)) from error
    _check_left(length_m, len(growth.pieces))
    return growth


def with_laps(leg: FollowLeg, laps: int, remaining_m: float) -> tuple[FollowLeg, Growth]:
    """Return a leg with more laps, and how its path grows.

    Raises
    ------
    GoalRejectedError
        Its path is not closed, is already endless, or the rest would be too long.
    """
    lap = leg.lap_path
    if leg.is_endless:
        raise bad_path("the path is already endless")
    if not lap.is_closed:
        raise bad_path("a path that is not closed cannot be extended by laps; send waypoints")
    _check_left(min(remaining_m, leg.path.length_m) + laps * lap.length_m, laps * len(lap.pieces))
    return leg.with_laps(laps, remaining_m)


def _check_left(length_m: float, pieces: int) -> None:
    """Refuse an update that leaves too much to drive."""
    if not length_m <= LENGTH_MAX_M:
        text = f"{length_m:.6g} m of the path would be left, more than {LENGTH_MAX_M:g} m"
        raise bad_path(f"{text}; send the rest when the robot has driven some of it")
    if pieces > PIECES_MAX:
        raise bad_path(f"the update has {pieces} lines, arcs and turns, more than {PIECES_MAX}; send less at once")
