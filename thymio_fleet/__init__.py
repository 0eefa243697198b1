"""The public Python package: a fleet of robots in a few lines, with asyncio, in scripts and in notebooks.

Its names follow semantic versioning: docs/python.md. Nothing of ROS is loaded before a fleet is opened.
"""

from fleet.client.robot_report import RobotReport
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import JobState
from fleet.errors import FleetError, NoServerError, PathError
from fleet.geometry import Pose2D
from fleet.reason import Reason
from fleet.robots.place_report import PlaceReport
from thymio_fleet.async_fleet import Fleet, FleetRobot, RobotGroup, SubmittedJob
from thymio_fleet.sync_fleet import SyncFleet, SyncGroup, SyncJob, SyncRobot
from thymio_fleet.task_errors import TaskAbortedError, TaskCanceledError, TaskError, TaskRejectedError
from thymio_fleet.task_order import FinishedTask, Path, Spot

__all__ = [
    "FinishedTask",
    "Fleet",
    "FleetError",
    "FleetRobot",
    "JobReport",
    "JobState",
    "NoServerError",
    "Path",
    "PathError",
    "PlaceReport",
    "Pose2D",
    "Reason",
    "RobotGroup",
    "RobotReport",
    "Spot",
    "SubmittedJob",
    "SyncFleet",
    "SyncGroup",
    "SyncJob",
    "SyncRobot",
    "TaskAbortedError",
    "TaskCanceledError",
    "TaskError",
    "TaskRejectedError",
]
