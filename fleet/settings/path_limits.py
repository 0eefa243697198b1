"""Limits of paths in all goals, jobs, orders, experiments and files: longer ones would delay the fleet."""

import math
from collections.abc import Sequence
from typing import Final

from fleet.errors import PathError
from fleet.paths.path import Path

TEXT_MAX: Final = 5000  # characters of a path's text
WAYPOINTS_MAX: Final = 1000
LENGTH_MAX_M: Final = 300.0  # of all laps ...
PIECES_MAX: Final = 10_000  # ... and their lines, arcs and turns
SLOWEST_MPS: Final = 0.005  # mean speed


def check_text(text: str) -> None:
    """Refuse the text of a path that is too long.

    Raises
    ------
    PathError
        It has more than `TEXT_MAX` characters.
    """
    if len(text) > TEXT_MAX:
        raise PathError(f"path has {len(text)} characters, more than {TEXT_MAX}")


def check_waypoint_count(count: int) -> None:
    """Refuse too many waypoints.

    Raises
    ------
    PathError
        There are more than `WAYPOINTS_MAX`.
    """
    if count > WAYPOINTS_MAX:
        raise PathError(f"{count} waypoints, more than {WAYPOINTS_MAX}")


def check_length(points_m: Sequence[tuple[float, float]]) -> None:
    """Refuse waypoints that are too far apart, before a path is made of them.

    Raises
    ------
    PathError
        The lines between them exceed `LENGTH_MAX_M`.
    """
    length_m = sum(map(math.dist, points_m, points_m[1:]))
    if not length_m <= LENGTH_MAX_M:
        raise PathError(f"a path of {length_m:.6g} m is longer than {LENGTH_MAX_M:g} m")


def check_laps(lap: Path, laps: int) -> None:
    """Refuse laps that are too long together, or impossible on a path, without building any.

    Raises
    ------
    PathError
        The path is not closed, or all laps exceed `LENGTH_MAX_M` or `PIECES_MAX`.
    """
    if laps < 1 or (laps > 1 and not lap.is_closed):
        why = "" if laps < 1 else " that is not closed"
        raise PathError(f"a path{why} cannot be driven {laps} times")
    if not laps * lap.length_m <= LENGTH_MAX_M:
        raise PathError(f"{_laps_text(laps)} of {lap.length_m:.6g} m {_are(laps)} longer than {LENGTH_MAX_M:g} m")
    if laps * len(lap.pieces) > PIECES_MAX:
        pieces = f"{len(lap.pieces)} lines, arcs and turns"
        raise PathError(f"{_laps_text(laps)} of {pieces} {_are(laps)} more than {PIECES_MAX} of them")


def _laps_text(laps: int) -> str:
    return f"{laps} laps" if laps > 1 else "a path"


def _are(laps: int) -> str:
    return "are" if laps > 1 else "is"
