"""Converts how a path is followed to FollowPath messages: pure functions."""

import math

from thymio_fleet_interfaces.action import FollowPath

from fleet.control.control_law import NO_ERROR
from fleet.robots.robot_status import RobotStatus, TaskOutcome
from fleet.tasks.task import TaskState


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
