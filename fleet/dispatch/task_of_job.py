"""Makes the task by which a robot performs a job, or the rest of one."""

import math
from dataclasses import replace

from fleet.dispatch.records.job import Job
from fleet.errors import GoalRejectedError, PathError
from fleet.geometry import Pose2D
from fleet.paths.placement import Placement, placed
from fleet.reason import Reason
from fleet.settings.config import FleetConfig
from fleet.settings.path_file import PathFile, read_path
from fleet.tasks import task
from fleet.tasks.task import TaskRequest
from fleet.tasks.task_kind import TaskKind


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
            request = _follow_path(job, task_id, config, pose)
        case _:
            request = task.go_to(task_id, job.places[0].pose)
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
        raise GoalRejectedError(Reason.BAD_PATH, f"job {job.job_id!r} has no path")
    if not (math.isfinite(path.speed_mps) and path.speed_mps >= 0.0):
        text = f"speed_mps is {path.speed_mps}, not a number from 0 (as fast as the limits allow)"
        raise GoalRejectedError(Reason.BAD_SPEED, text)
    try:
        found = read_path(path.text, "path")
        laps = path.laps or found.laps
        if laps > 1 and not found.lap.is_closed:
            raise PathError(f"laps is {laps}, and the path does not end at the pose where it starts")
        placement = Placement(path.relative_to) if path.relative_to else found.placement
    except (PathError, ValueError) as error:
        raise GoalRejectedError(Reason.BAD_PATH, str(error)) from error
    return replace(found, laps=laps, placement=placement, speed_mps=path.speed_mps or found.speed_mps)


def _follow_path(job: Job, task_id: str, config: FleetConfig, pose: Pose2D) -> TaskRequest:
    path_file = read_job_path(job)
    is_on_map = path_file.placement is Placement.MAP
    lap = path_file.lap if is_on_map else placed(path_file.lap, path_file.placement, pose)
    try:
        return task.follow_path(
            task_id,
            lap,
            config.following,
            path_file.speed_mps,
            path_file.laps,
            name=path_file.name,
            shape_size_m=path_file.size_m,
        )
    except PathError as error:
        raise GoalRejectedError(Reason.BAD_SPEED, str(error)) from error
