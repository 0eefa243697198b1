"""Converts tasks to messages and back: pure functions, `x_to_ros` and `x_from_ros`."""

import math
from typing import Final

from thymio_fleet_interfaces.msg import RobotTask, TaskLeg

from fleet.geometry import Pose2D
from fleet.tasks.task_report import PLAN_POINTS, LegKind, LegReport, TaskReport
from thymio_base.ros.stamps import time_to_ros
from thymio_base.texts.bounds import is_near, is_pose

_KINDS: Final = {kind.value: kind for kind in LegKind}


def task_to_ros(report: TaskReport, stamp_ns: int, frame: str) -> RobotTask:
    """Return a task as a message."""
    message = RobotTask(
        task_id=report.task_id,
        kind=report.kind,
        state=report.state,
        reason=report.reason,
        detail=report.detail,
        words=report.words,
        legs=[_leg_to_ros(leg) for leg in report.legs],
        leg=report.leg,
        plan_x_m=[x_m for x_m, _ in report.plan_m],
        plan_y_m=[y_m for _, y_m in report.plan_m],
        eta_s=report.eta_s,
        progress=report.progress,
        clients=list(report.clients),
    )
    message.header.stamp = time_to_ros(stamp_ns)
    message.header.frame_id = frame
    return message


def task_from_ros(message: RobotTask) -> TaskReport:
    """Return a message as a task, without places that are far away or not finite, and legs of unknown kinds."""
    places = zip(message.plan_x_m, message.plan_y_m, strict=False)
    plan_m = tuple((float(x_m), float(y_m)) for x_m, y_m in places if is_near(x_m, y_m))
    return TaskReport(
        task_id=message.task_id,
        kind=message.kind,
        state=message.state,
        reason=message.reason,
        detail=message.detail,
        words=message.words,
        legs=tuple(_leg_from_ros(leg) for leg in message.legs if leg.kind in _KINDS),
        leg=message.leg,
        plan_m=plan_m[:PLAN_POINTS],
        eta_s=_finite(message.eta_s),
        progress=min(max(_finite(message.progress), 0.0), 1.0),
        clients=tuple(message.clients),
    )


def _leg_to_ros(leg: LegReport) -> TaskLeg:
    pose = leg.pose or Pose2D(0.0, 0.0, 0.0)
    return TaskLeg(
        kind=leg.kind.value,
        x_m=pose.x_m,
        y_m=pose.y_m,
        heading_rad=pose.heading_rad,
        duration_s=leg.duration_s,
        loads=leg.loads,
    )


def _leg_from_ros(message: TaskLeg) -> LegReport:
    kind = _KINDS[message.kind]
    is_placed = is_pose(message.x_m, message.y_m, message.heading_rad)
    pose = Pose2D(message.x_m, message.y_m, message.heading_rad) if is_placed else Pose2D(0.0, 0.0, 0.0)
    has_pose = kind in (LegKind.DRIVE, LegKind.FOLLOW)
    return LegReport(kind, pose if has_pose else None, _finite(message.duration_s), message.loads)


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0
