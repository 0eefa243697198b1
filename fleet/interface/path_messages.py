"""Converts between the fleet's paths and FollowPath messages: pure functions, `x_to_ros` and `x_from_ros`."""

import math
from dataclasses import replace
from typing import Any

from nav_msgs.msg import Path as PathMessage
from thymio_fleet_interfaces.action import FollowPath

from fleet.control.control_law import NO_ERROR
from fleet.errors import GoalRejectedError, PathError
from fleet.paths.path import Path
from fleet.paths.placement import Placement
from fleet.paths.polyline import Point
from fleet.reason import Reason
from fleet.robots.robot_status import RobotStatus, TaskOutcome
from fleet.settings.path_file import PathFile, path_schema, path_through, read_path
from fleet.tasks.task import TaskState

TEXT_MAX = 5000  # characters; reading more would delay the fleet
WAYPOINTS_MAX = 1000
LENGTH_MAX_M = 300.0  # of all laps ...
PIECES_MAX = 10_000  # ... and their lines, arcs and turns

_PLACEMENTS = [placement.value for placement in Placement]


def path_from_ros(goal: FollowPath.Goal, frame: str) -> PathFile:
    """Return the path, the speed and the placement that a goal requests.

    Raises
    ------
    GoalRejectedError
        The goal holds nothing, too much, or no valid path; the text lists all problems.
    """
    found = _path_of(goal, frame)
    if goal.relative_to not in ("", *_PLACEMENTS):
        raise _bad_path(f"relative_to is {goal.relative_to!r}, not one of {', '.join(_PLACEMENTS)}")
    _check_speed(goal.speed_mps)
    path_file = replace(
        found,
        laps=goal.laps or found.laps,
        placement=Placement(goal.relative_to) if goal.relative_to else found.placement,
        speed_mps=goal.speed_mps or found.speed_mps,
    )
    _check_laps(path_file.lap, path_file.laps)
    return path_file


def feedback_to_ros(status: RobotStatus) -> FollowPath.Feedback:
    """Return how a robot follows its path; its errors are 0 before it drives."""
    error = status.tracking_error or NO_ERROR
    return FollowPath.Feedback(
        along_track_m=error.along_m,
        cross_track_m=error.cross_m,
        heading_error_rad=error.heading_rad,
        progress=status.progress,
        eta_s=status.eta_s,
        lap=status.lap,
    )


def result_to_ros(outcome: TaskOutcome, duration_s: float) -> FollowPath.Result:
    """Return how a path was followed; NaN instead of errors if the robot did not drive."""
    cross_track = outcome.cross_track
    return FollowPath.Result(
        success=outcome.state is TaskState.SUCCEEDED,
        reason=outcome.reason.value if outcome.reason else "",
        max_cross_track_m=cross_track.max_m if cross_track else math.nan,
        rms_cross_track_m=cross_track.rms_m if cross_track else math.nan,
        duration_s=duration_s,
    )


def _path_of(goal: FollowPath.Goal, frame: str) -> PathFile:
    if bool(goal.path.strip()) == bool(goal.waypoints.poses):
        raise _bad_path("a goal has either path or waypoints" + (", not both" if goal.path.strip() else ""))
    if len(goal.path) > TEXT_MAX:
        raise _bad_path(f"path has {len(goal.path)} characters, more than {TEXT_MAX}")
    try:
        if goal.path.strip():
            return read_path(goal.path, "path")
        return PathFile(path_through(points_from_ros(goal.waypoints, frame)), 1, Placement.MAP, None)
    except PathError as error:
        raise _bad_path(str(error)) from error


def _check_speed(speed_mps: float) -> None:
    slowest_mps = path_schema()["properties"]["speed_mps"]["minimum"]
    if speed_mps != 0.0 and not (math.isfinite(speed_mps) and speed_mps >= slowest_mps):
        text = f"speed_mps is {speed_mps}, at least {slowest_mps}, or 0 for as fast as the limits allow"
        raise GoalRejectedError(Reason.BAD_SPEED, text)


def _check_laps(lap: Path, laps: int) -> None:
    if not laps * lap.length_m <= LENGTH_MAX_M:
        raise _bad_path(f"laps is {laps}, and laps of {lap.length_m:.3g} m are then longer than {LENGTH_MAX_M:g} m")
    if laps * len(lap.pieces) > PIECES_MAX:
        raise _bad_path(f"laps is {laps}, and laps of {len(lap.pieces)} pieces then have more than {PIECES_MAX}")
    if laps > 1 and not lap.is_closed:
        raise _bad_path(f"laps is {laps}, and the path does not end at the pose where it starts")


def points_from_ros(message: PathMessage, frame: str) -> list[Point]:
    """Return the places of waypoints; orientations and heights are ignored, an empty frame_id means `frame`.

    Raises
    ------
    GoalRejectedError
        There are too many, a frame is a different one, or a coordinate is not finite.
    """
    if len(message.poses) > WAYPOINTS_MAX:
        raise _bad_path(f"waypoints are {len(message.poses)}, more than {WAYPOINTS_MAX}")
    for name, part in (("waypoints", message), *((f"waypoint {n}", pose) for n, pose in enumerate(message.poses))):
        _check_frame(name, part, frame)
    return [_point(index, stamped.pose.position) for index, stamped in enumerate(message.poses)]


def _check_frame(name: str, message: Any, frame: str) -> None:
    if message.header.frame_id not in ("", frame):
        raise GoalRejectedError(Reason.UNKNOWN_FRAME, f"frame {message.header.frame_id!r} of {name} is not {frame!r}")


def _point(index: int, position: Any) -> Point:
    if not (math.isfinite(position.x) and math.isfinite(position.y)):
        text = f"waypoint {index}, ({position.x}, {position.y}), is not finite"
        raise GoalRejectedError(Reason.NON_FINITE_POSE, text)
    return position.x, position.y


def _bad_path(text: str) -> GoalRejectedError:
    return GoalRejectedError(Reason.BAD_PATH, text)
