"""Checks of ids, and of work on a floor, for all who ask for it."""

import math
from collections.abc import Sequence
from typing import Final

from fleet.errors import GoalRejectedError
from fleet.floor.obstacles import BODY_RADIUS_M
from fleet.geometry import Pose2D
from fleet.reason import Explanation, Reason
from fleet.settings.config import ArenaConfig, FleetConfig
from fleet.settings.station_config import StationConfig
from fleet.tasks import explanations
from fleet.tasks.route import RouteLegKind
from fleet.tasks.task_kind import TaskKind
from fleet.work.kinds import KINDS
from fleet.work.path_wish import prepared_in_parts
from fleet.work.route_check import check_route
from fleet.work.work import Place, Work, objection_to_transport
from thymio_base.number_text import count_text
from thymio_base.parts import Parts, finished

_FAR_M: Final = 1000.0
_AT_M: Final = 0.05  # a pose that is nearer to a station means it
WIDEST_ARENA: Final = ArenaConfig(-_FAR_M, -_FAR_M, _FAR_M, _FAR_M)  # of a fleet without an arena


def objection_to_id(task_id: str, longest: int) -> Explanation | None:
    """Return what is wrong with the id of a task or a job; None if it is valid."""
    if not task_id or task_id.isspace():
        return explanations.empty_id(task_id)
    if len(task_id) > longest or not task_id.isprintable() or task_id != task_id.strip():
        return explanations.bad_id(task_id, longest)
    return None


def objection_to_work(work: Work, config: FleetConfig) -> Explanation | None:
    """Return what is wrong with work on the fleet's floor; None if it is valid.

    Whether its places can be reached is checked elsewhere: that depends on the robot.
    """
    return finished(objection_in_parts(work, config))


def objection_in_parts(work: Work, config: FleetConfig) -> Parts[Explanation | None]:
    """Check work as `objection_to_work` does; a long path takes several parts."""
    objection = objection_to_shape(work)
    if objection is None and work.route:
        objection = _objection_to_route(work, config)
    if objection is None and work.path is not None:
        try:
            yield from prepared_in_parts(work.path, config.following, config.corner_m)
        except GoalRejectedError as error:
            objection = error.explanation
    objection = objection or objection_to_poses([place.pose for place in work.places], config)
    return objection or objection_to_transport(work) or objection_to_roles(work, config)


def _objection_to_route(work: Work, config: FleetConfig) -> Explanation | None:
    """Return what is wrong with a route, for any start; None if it is valid."""
    try:
        check_route(work.route)
        for leg in work.route:
            if leg.kind is RouteLegKind.DOCK:
                charger_at(leg.points_m[0], config)
    except GoalRejectedError as error:
        return error.explanation
    drives = (leg for leg in work.route if leg.kind is RouteLegKind.DRIVE)
    return objection_to_poses([Pose2D(x_m, y_m, 0.0) for leg in drives for x_m, y_m in leg.points_m], config)


def objection_to_roles(work: Work, config: FleetConfig) -> Explanation | None:
    """Return which place of work is not a station with the role that its kind needs, None if all are."""
    try:
        stations_of(work, config)
    except GoalRejectedError as error:
        return error.explanation
    return None


def stations_of(work: Work, config: FleetConfig) -> Sequence[StationConfig]:
    """Return the stations at the places of work, if its kind needs stations of a role; otherwise none.

    Raises
    ------
    GoalRejectedError
        A place is not such a station; the refusal lists those stations.
    """
    role = KINDS[work.kind].role
    stations = [station for station in config.stations if station.role.value == role]
    return [_station_at(place, stations) for place in work.places] if role else []


def charger_at(point_m: tuple[float, float], config: FleetConfig) -> Pose2D:
    """Return the pose of the charger at a place.

    Raises
    ------
    GoalRejectedError
        There is no charger; the refusal lists the chargers.
    """
    place = Place(Pose2D(*point_m, 0.0))
    return stations_of(Work(TaskKind.DOCK, (place,)), config)[0].pose


def _station_at(place: Place, stations: Sequence[StationConfig]) -> StationConfig:
    for station in stations:
        if station.pose.distance_to(place.pose) < _AT_M:
            return station
    why = explanations.not_a_charger(str(place), [station.name for station in stations])
    raise GoalRejectedError(why.reason, why.detail)


def objection_to_shape(work: Work) -> Explanation | None:
    """Return which parts of the work are missing, superfluous or not finite; None if it is complete."""
    kind, name = KINDS[work.kind], work.kind.public_name
    if len(work.places) != len(kind.places):
        return Explanation(
            Reason.BAD_JOB, f"{name} needs {count_text(len(kind.places), 'place')}, got {len(work.places)}"
        )
    if (work.path is not None) != kind.has_path:
        text = f"{name} needs a path" if work.path is None else f"{name} has a path, which only follow_path has"
        return Explanation(Reason.BAD_JOB, text)
    if bool(work.route) != kind.has_route:
        text = f"{name} has a route, which only follow_route has" if work.route else f"{name} needs legs"
        return Explanation(Reason.BAD_JOB, text)
    return objection_to_numbers([place.pose for place in work.places])


def objection_to_numbers(poses: Sequence[Pose2D]) -> Explanation | None:
    """Return which pose is not finite; None if all are."""
    for pose in poses:
        if not all(map(math.isfinite, (pose.x_m, pose.y_m, pose.heading_rad))):
            return Explanation(
                Reason.NON_FINITE_POSE, f"({pose.x_m:g}, {pose.y_m:g}, {pose.heading_rad:g}) is not finite"
            )
    return None


def objection_to_poses(poses: Sequence[Pose2D], config: FleetConfig) -> Explanation | None:
    """Return why robots cannot stand at finite poses; None if they can.

    Whether the poses can be reached is checked elsewhere: that depends on the robot.
    """
    if poses:
        outside = explanations.out_of_arena(poses, config.arena or WIDEST_ARENA, None)
        if outside is not None:
            return outside
    obstacles = config.floor.obstacles
    needed_m = config.traffic.wall_m if config.traffic.enabled else BODY_RADIUS_M
    for pose in poses:
        if obstacles.clearance_m(pose.x_m, pose.y_m) < needed_m:
            return explanations.unreachable(pose, obstacles, needed_m)
    return None
