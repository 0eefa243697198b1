"""Converts between the fleet's paths and FollowPath messages: pure functions, `x_to_ros` and `x_from_ros`."""

import math
from typing import Any

from nav_msgs.msg import Path as PathMessage
from thymio_fleet_interfaces.action import FollowPath

from fleet.control.control_law import NO_ERROR
from fleet.errors import GoalRejectedError, PathError
from fleet.paths.polyline import Point
from fleet.reason import Reason
from fleet.robots.robot_status import RobotStatus, TaskOutcome
from fleet.settings.path_file import PathFile
from fleet.settings.path_limits import check_waypoint_count
from fleet.tasks.task import TaskState
from fleet.work.path_wish import bad_path, path_of_points, path_of_text, wished_path


def path_from_ros(goal: FollowPath.Goal, frame: str) -> PathFile:
    """Return the path, the speed and the placement that a goal requests.

    Raises
    ------
    GoalRejectedError
        The goal holds nothing, too much, or no valid path; the text says what is wrong.
    """
    return wished_path(_path_of(goal, frame), goal.speed_mps, goal.laps, goal.relative_to)


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
        raise bad_path("a goal has either path or waypoints" + (", not both" if goal.path.strip() else ""))
    if goal.path.strip():
        return path_of_text(goal.path)
    return path_of_points(points_from_ros(goal.waypoints, frame))


def points_from_ros(message: PathMessage, frame: str) -> list[Point]:
    """Return the places of waypoints; orientations and heights are ignored, an empty frame_id means `frame`.

    Raises
    ------
    GoalRejectedError
        There are too many, a frame is a different one, or a coordinate is not finite.
    """
    try:
        check_waypoint_count(len(message.poses))
    except PathError as error:
        raise bad_path(str(error)) from error
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
