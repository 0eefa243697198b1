"""Describes a task in words and as the poses that it leads to, for people and pictures."""

import math
from collections.abc import Sequence
from typing import Final

from fleet.geometry import Pose2D
from fleet.paths.path import Path
from fleet.paths.pieces import Line
from fleet.tasks.legs import DriveLeg, DwellLeg, FollowLeg, Leg

_PLAN_PLACES: Final = 32  # at most, of a path: a status with many places would delay the fleet


def goal_words(leg: Leg) -> str:
    """Return the position to which a leg leads: "(0.90, 0.80)", in metres; "" for a dwell."""
    return "" if isinstance(leg, DwellLeg) else f"({leg.goal.x_m:.2f}, {leg.goal.y_m:.2f})"


def path_words(name: str, leg: FollowLeg, lap: int) -> str:
    """Return the name of a path, "path" without one, and the current lap if there are several: "eight 2/3"."""
    text = name or "path"
    return text if leg.laps == 1 else f"{text} {max(lap, 1)}/{leg.laps}"


def pose_text(pose: Pose2D) -> str:
    """Return a pose as "x,y,heading", in metres and degrees."""
    return f"{pose.x_m:.2f},{pose.y_m:.2f},{math.degrees(pose.heading_rad):.0f}"


def plan_text(legs: Sequence[Leg]) -> str:
    """Return the poses that drives lead to as "x,y,heading", and places along one lap of a path as "x,y"."""
    texts: list[str] = []
    for leg in legs:
        if isinstance(leg, DriveLeg):
            texts.append(pose_text(leg.goal))
        elif isinstance(leg, FollowLeg):
            texts += [f"{place.x_m:.2f},{place.y_m:.2f}" for place in _lap_places(leg)]
    return " ".join(texts)


def _lap_places(leg: FollowLeg) -> list[Pose2D]:
    """Return the corners of one lap, and places on its curves; or equidistant places if these are too many."""
    lap = Path(leg.path.pieces[: len(leg.path.pieces) // leg.laps])
    marks_m = _marks_m(lap)
    if len(marks_m) > _PLAN_PLACES:
        marks_m = [lap.length_m * index / (_PLAN_PLACES - 1) for index in range(_PLAN_PLACES)]
    return [lap.sample(mark_m).pose for mark_m in marks_m]


def _marks_m(lap: Path) -> list[float]:
    """Return arc lengths at the ends of all pieces, and along curves."""
    marks_m, start_m = [0.0], 0.0
    for piece in lap.pieces:
        share = piece.length_m / lap.length_m if lap.length_m > 0.0 else 0.0
        parts = 1 if isinstance(piece, Line) else math.ceil(share * (_PLAN_PLACES - 2))
        marks_m += [start_m + piece.length_m * (part + 1) / parts for part in range(parts)]
        start_m += piece.length_m
    return marks_m
