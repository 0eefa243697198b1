"""Creates the task by which a robot does its work, or the rest of it."""

from dataclasses import replace
from typing import assert_never

from fleet.geometry import Pose2D
from fleet.settings.config import FleetConfig
from fleet.tasks import task
from fleet.tasks.task import TaskRequest
from fleet.tasks.task_kind import TaskKind
from fleet.work.docking import docking_legs
from fleet.work.objections import stations_of
from fleet.work.path_wish import follow_task, path_of_work
from fleet.work.route_legs import route_task
from fleet.work.work import Place, Work


def task_of_work(
    work: Work,
    task_id: str,
    config: FleetConfig,
    *,
    home: Pose2D,
    pose: Pose2D | None,
    first_leg: int = 0,
    priority: int | None = None,
) -> TaskRequest:
    """Return the task for a robot's work, starting with one of its legs.

    Parameters
    ----------
    work
        the work; it has as many places as its kind needs
    task_id
        the task's id
    config
        the fleet's configuration
    home, pose
        those of the robot; the pose is None if it is not known
    first_leg
        index of the first leg; above 0 if the robot is already loaded
    priority
        among other robots on the floor, from 0 to 9; None for the robot's own

    Raises
    ------
    GoalRejectedError
        The path cannot be read, or not driven, or the place is not a charger; the text says why.
    """
    match work.kind:
        case TaskKind.GO_TO:
            request = task.go_to(task_id, work.places[0].pose)
        case TaskKind.GO_HOME:
            request = task.go_home(task_id, home)
        case TaskKind.TRANSPORT:
            load, unload = (place.pose for place in work.places)
            request = task.transport(task_id, load, unload, config.tasks.dwell_s)
        case TaskKind.FOLLOW_PATH:
            request = follow_task(task_id, path_of_work(work, config.corner_m), config.following, pose)
        case TaskKind.FOLLOW_ROUTE:
            request = route_task(task_id, work.route, config, pose)
        case TaskKind.DOCK:
            (charger,) = stations_of(work, config)
            request = TaskRequest(task_id, work.kind, docking_legs(charger.pose, config))
        case _:
            assert_never(work.kind)
    said = request.words() if work.places else ""
    stations = ((str(Place(station.pose)), station.name) for station in config.stations) if said else ()
    names = tuple(pair for pair in stations if pair[0] in said)
    return replace(request, legs=request.legs[first_leg:], priority=priority, names=names)
