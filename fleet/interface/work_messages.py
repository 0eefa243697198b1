"""Converts what a robot is asked to do to the fields of an action's goal."""

from collections.abc import Sequence
from typing import Any, assert_never

from geometry_msgs.msg import PoseStamped

from fleet.dispatch.records.job import PathToFollow
from fleet.tasks.task_kind import TaskKind


def goal_fields(kind: TaskKind, poses: Sequence[PoseStamped], path: PathToFollow | None) -> dict[str, Any]:
    """Return the fields of a goal, except for the task's id.

    Parameters
    ----------
    kind
        of the task
    poses
        as many as `fleet.work.kinds.PLACE_COUNTS` says
    path
        of follow_path
    """
    match kind:
        case TaskKind.GO_TO:
            return {"goal_pose": poses[0]}
        case TaskKind.GO_HOME:
            return {}
        case TaskKind.TRANSPORT:
            return {"pose_from": poses[0], "pose_to": poses[1]}
        case TaskKind.FOLLOW_PATH:
            if path is None:
                raise ValueError("follow_path needs a path")
            return {
                "path": path.text,
                "speed_mps": path.speed_mps,
                "laps": path.laps,
                "relative_to": path.relative_to,
            }
        case _:
            assert_never(kind)
