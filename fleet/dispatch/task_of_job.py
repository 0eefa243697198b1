"""Makes the task by which a robot performs a job, or the rest of one."""

from dataclasses import replace
from typing import assert_never

from fleet.dispatch.records.job import Job
from fleet.geometry import Pose2D
from fleet.settings.config import FleetConfig
from fleet.settings.path_file import PathFile
from fleet.tasks import task
from fleet.tasks.task import TaskRequest
from fleet.tasks.task_kind import TaskKind
from fleet.work.path_wish import bad_path, follow_task, path_of_text, wished_path


def task_of_job(
    job: Job, task_id: str, first_leg: int, config: FleetConfig, *, home: Pose2D, pose: Pose2D
) -> TaskRequest:
    """Return the task that performs a job from one of its legs on.

    Parameters
    ----------
    job
        the job
    task_id
        of the task
    first_leg
        where it begins, 0 unless the robot is loaded
    config
        of the fleet
    home, pose
        of the robot

    Raises
    ------
    GoalRejectedError
        The path cannot be read, or not driven; the text says why.
    """
    match job.kind:
        case TaskKind.GO_HOME:
            request = task.go_home(task_id, home)
        case TaskKind.TRANSPORT:
            load, unload = (place.pose for place in job.places)
            request = task.transport(task_id, load, unload, config.tasks.dwell_s)
        case TaskKind.FOLLOW_PATH:
            request = follow_task(task_id, read_job_path(job), config.following, pose)
        case TaskKind.GO_TO:
            request = task.go_to(task_id, job.places[0].pose)
        case _:
            assert_never(job.kind)
    return replace(request, legs=request.legs[first_leg:], priority=job.priority)


def read_job_path(job: Job) -> PathFile:
    """Return the path of a job to follow one.

    Raises
    ------
    GoalRejectedError
        It cannot be read; the text lists all problems.
    """
    path = job.path
    if path is None:
        raise bad_path(f"job {job.job_id!r} has no path")
    return wished_path(path_of_text(path.text), path.speed_mps, path.laps, path.relative_to)
