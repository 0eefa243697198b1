"""Checks of a route's legs that do not depend on where a robot performs them."""

import math
from collections.abc import Sequence
from typing import Final

from fleet.errors import GoalRejectedError, PathError
from fleet.reason import Reason
from fleet.settings.path_limits import SLOWEST_MPS, WAYPOINTS_MAX, check_waypoint_count
from fleet.tasks.route import RouteLeg, RouteLegKind
from fleet.work.path_wish import bad_path
from fleet.work.work import check_finite
from thymio_base.number_text import count_text

LEGS_MAX: Final = 200  # of a goal or an extension
LONGEST_S: Final = 3600.0
STANDS: Final = (RouteLegKind.WAIT, RouteLegKind.LOAD, RouteLegKind.UNLOAD)


def check_route(legs: Sequence[RouteLeg]) -> None:
    """Refuse legs that no route can have.

    Raises
    ------
    GoalRejectedError
        There are none or too many, or a leg has a number that is not finite or too large, or the wrong number of
        points.
    """
    if not 1 <= len(legs) <= LEGS_MAX:
        raise bad_path(f"a route has from 1 to {LEGS_MAX} legs at once, got {len(legs)}")
    for index, leg in enumerate(legs):
        _check_leg(f"leg {index}, {leg.kind.value},", leg)
    try:
        check_waypoint_count(sum(len(leg.points_m) for leg in legs))
    except PathError as error:
        raise bad_path(str(error)) from error


def _check_leg(what: str, leg: RouteLeg) -> None:
    least = int(leg.kind in (RouteLegKind.DRIVE, RouteLegKind.DOCK))
    most = WAYPOINTS_MAX if leg.kind is RouteLegKind.DRIVE else least
    if not least <= len(leg.points_m) <= most:
        needed = count_text(least, "point") if least == most else f"at least {count_text(least, 'point')}"
        raise bad_path(f"{what} needs {needed}, got {len(leg.points_m)}")
    check_finite(leg.points_m)
    if not (math.isfinite(leg.value) and math.isfinite(leg.corner_m) and leg.corner_m >= 0.0):
        raise bad_path(f"{what} has the value {leg.value:g} and the corner {leg.corner_m:g} m; both must be finite")
    if leg.kind in STANDS and not 0.0 <= leg.value <= LONGEST_S:
        raise bad_path(f"{what} takes {leg.value:g} s, which is not from 0 to {LONGEST_S:g} s")
    if leg.kind is RouteLegKind.DRIVE and leg.value != 0.0 and not leg.value >= SLOWEST_MPS:
        text = f"{what} has a speed of {leg.value:g} m/s, at least {SLOWEST_MPS:g}, or 0 for that of the fleet"
        raise GoalRejectedError(Reason.BAD_SPEED, text)
