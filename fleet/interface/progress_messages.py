"""Converts progress and outcomes of tasks to the feedback and results of their actions: pure functions.

An action gets our values for which its message has fields; the customer's actions have only `success`.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from fleet.control.control_law import NO_ERROR
from fleet.interface.work_messages import ACTION_TYPES
from fleet.robots.robot_status import RobotStatus, TaskOutcome
from fleet.tasks.route import RouteProgress
from fleet.tasks.task import TaskState
from fleet.tasks.task_kind import TaskKind

_NO_ROUTE: Final = RouteProgress()


def feedback_to_ros(kind: TaskKind, status: Callable[[], RobotStatus]) -> Any:
    """Return a robot's progress with a task; errors are 0 before it drives.

    `status` returns the robot's status; it is not called for an action with empty feedback.
    """
    feedback = ACTION_TYPES[kind].Feedback
    return feedback() if not feedback.get_fields_and_field_types() else _filled(feedback, _progress(status()))


def result_to_ros(outcome: TaskOutcome, duration_s: float) -> Any:
    """Return the outcome of a task; errors are NaN if the robot did not drive."""
    cross_track = outcome.cross_track
    values = {
        "success": outcome.state is TaskState.SUCCEEDED,
        "reason": outcome.reason.value if outcome.reason else "",
        "max_cross_track_m": cross_track.max_m if cross_track else math.nan,
        "rms_cross_track_m": cross_track.rms_m if cross_track else math.nan,
        "duration_s": duration_s,
        "detail": outcome.detail,
        "legs_completed": (outcome.route or _NO_ROUTE).legs_completed,
    }
    return _filled(ACTION_TYPES[outcome.kind].Result, values)


def _progress(status: RobotStatus) -> Mapping[str, Any]:
    error, route = status.tracking_error or NO_ERROR, status.route or _NO_ROUTE
    return {
        "along_track_m": error.along_m,
        "cross_track_m": error.cross_m,
        "heading_error_rad": error.heading_rad,
        "progress": status.progress,
        "eta_s": status.eta_s,
        "lap": status.lap,
        "legs_completed": route.legs_completed,
        "legs": route.legs,
        "leg_remaining_m": route.leg_remaining_m,
    }


def _filled(message_type: Any, values: Mapping[str, Any]) -> Any:
    """Return a message with the values for which it has fields."""
    return message_type(**{name: values[name] for name in message_type.get_fields_and_field_types() if name in values})
