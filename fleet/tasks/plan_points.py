"""A task's legs and goals as a few places: for people and pictures."""

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

from fleet.geometry import Pose2D
from fleet.paths.path import Path
from fleet.paths.piece_part import is_straight
from fleet.tasks.legs import ChargeLeg, DriveLeg, DwellLeg, FollowLeg, Leg, expected_legs
from fleet.tasks.task_report import PLAN_POINTS, LegKind, LegReport

PlanPoints: TypeAlias = tuple[tuple[float, float], ...]

_OTHERS: Final = 4  # places that are kept for the legs after the current one


def places_on(path: Path, from_m: float, most: int) -> list[Pose2D]:
    """Return the corners of a path from an arc length on, and places on its curves; equidistant places if too many."""
    marks_m = [from_m, *(mark_m for mark_m in _marks_m(path, most) if mark_m > from_m)]
    if len(marks_m) > most:
        rest_m = path.length_m - from_m
        marks_m = [from_m + rest_m * index / (most - 1) for index in range(most)]
    return [path.sample(mark_m).pose for mark_m in marks_m]


def plan_points(path: Path | None, from_m: float, pose: Pose2D | None, later: Sequence[Leg]) -> PlanPoints:
    """Return the places through which a robot will drive, at most `PLAN_POINTS`.

    Parameters
    ----------
    path
        the current plan; None without one
    from_m
        arc length that the robot has reached on it
    pose
        the robot's pose; None if unknown
    later
        legs that are not planned yet, which count as straight
    """
    places = [] if pose is None else [pose]
    if path is not None:
        places = places_on(path, min(max(from_m, 0.0), path.length_m), PLAN_POINTS - _OTHERS)
    for leg in expected_legs(later):
        if isinstance(leg, DriveLeg):
            places.append(leg.goal)
        elif isinstance(leg, FollowLeg):
            places += places_on(leg.path, 0.0, PLAN_POINTS - _OTHERS)
    return tuple((place.x_m, place.y_m) for place in places[:PLAN_POINTS])


def leg_report(leg: Leg) -> LegReport:
    """Return a leg as it is published."""
    if isinstance(leg, DwellLeg):
        return LegReport(LegKind.DWELL, None, leg.duration_s, bool(leg.loads))
    if isinstance(leg, ChargeLeg):
        return LegReport(LegKind.CHARGE, None, leg.duration_s)
    return LegReport(LegKind.DRIVE if isinstance(leg, DriveLeg) else LegKind.FOLLOW, leg.goal)


def _marks_m(path: Path, most: int) -> list[float]:
    """Return arc lengths at the ends of all pieces, and along curves."""
    marks_m, start_m = [0.0], 0.0
    for piece in path.pieces:
        share = piece.length_m / path.length_m if path.length_m > 0.0 else 0.0
        parts = 1 if is_straight(piece) else math.ceil(share * (most - 2))
        marks_m += [start_m + piece.length_m * (part + 1) / parts for part in range(parts)]
        start_m += piece.length_m
    return marks_m
