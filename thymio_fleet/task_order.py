"""Task orders as users write them, and their results."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from fleet.geometry import Pose2D

Spot: TypeAlias = str | Pose2D | tuple[float, float] | tuple[float, float, float]
"""A place: the name of a station, a pose, or x and y [m] and perhaps a heading [rad]."""

Path: TypeAlias = str | Sequence[tuple[float, float]]
"""The name of a shape or of a file, or waypoints [m] in the fleet's frame."""


@dataclass(frozen=True, slots=True)
class PathOrder:
    """A path to follow, as a user writes it; `thymio_fleet.FleetRobot.follow` has the words."""

    path: Path
    size_m: float | None = None
    speed_mps: float = 0.0
    laps: int = 0
    relative_to: str = ""
    endless: bool = False


UNKNOWN_M: Final = math.nan


@dataclass(frozen=True, slots=True)
class FinishedTask:
    """A task that has succeeded.

    Parameters
    ----------
    robot_id, task_id : the robot, and the task's id in status and logs
    duration_s : time since the task was sent, in real time
    max_cross_track_m, rms_cross_track_m : largest and root mean square distance from its path, by the robot's own
        estimate; NaN for tasks without a path
    """

    robot_id: int
    task_id: str
    duration_s: float
    max_cross_track_m: float = UNKNOWN_M
    rms_cross_track_m: float = UNKNOWN_M


def pose_of_spot(spot: Pose2D | tuple[float, ...]) -> tuple[float, float, float | None]:
    """Return x and y [m], and the heading [rad] if there is one.

    Raises
    ------
    TypeError
        The value is not a place; the message says what is.
    """
    if isinstance(spot, Pose2D):
        return spot.x_m, spot.y_m, spot.heading_rad
    if not isinstance(spot, tuple) or len(spot) not in (2, 3):
        raise TypeError(
            f"{spot!r} is not a place: write a station's name, a Pose2D, (x_m, y_m) or (x_m, y_m, heading_rad)"
        )
    x_m, y_m, *heading_rad = map(float, spot)
    return x_m, y_m, heading_rad[0] if heading_rad else None
