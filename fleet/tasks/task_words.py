"""Describes a task in words and as the poses to which it leads, for people and pictures."""

import math
from collections.abc import Sequence
from typing import Final

from fleet.geometry import Pose2D
from fleet.paths.path import Path
from fleet.tasks.legs import STANDING, DriveLeg, FollowLeg, Leg, expected_legs
from fleet.tasks.plan_points import places_on

_PLAN_PLACES: Final = 32  # at most, of a path: a status with many places would delay the fleet


def goal_words(leg: Leg) -> str:
    """Return the end of a leg: "(0.90, 0.80)", in metres; "" where the robot stands still."""
    return "" if isinstance(leg, STANDING) else f"({leg.goal.x_m:.2f}, {leg.goal.y_m:.2f})"


def path_words(name: str, leg: FollowLeg, lap: int | None) -> str:
    """Return a path's name, "path" without one, and the lap if given and there are several: "eight 2/3"."""
    text = name or "path"
    return text if lap is None or leg.laps == 1 else f"{text} {max(lap, 1)}/{leg.laps}"


def pose_text(pose: Pose2D) -> str:
    """Return a pose as "x,y,heading", in metres and degrees."""
    return f"{pose.x_m:.2f},{pose.y_m:.2f},{math.degrees(pose.heading_rad):.0f}"


def plan_text(legs: Sequence[Leg]) -> str:
    """Return the ends of drives as "x,y,heading", and places along one lap of a path as "x,y"."""
    texts: list[str] = []
    for leg in expected_legs(legs):
        if isinstance(leg, DriveLeg):
            texts.append(pose_text(leg.goal))
        elif isinstance(leg, FollowLeg):
            texts += [f"{place.x_m:.2f},{place.y_m:.2f}" for place in _lap_places(leg)]
    return " ".join(texts)


def _lap_places(leg: FollowLeg) -> list[Pose2D]:
    """Return the corners of one lap, and places on its curves; equidistant places if these are too many."""
    lap = Path(leg.path.pieces[: len(leg.path.pieces) // leg.laps])
    return places_on(lap, 0.0, _PLAN_PLACES)
