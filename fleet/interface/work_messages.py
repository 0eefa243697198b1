"""Converts work to goals of actions and to jobs, and back: the only module that names fields of goals.

Clients load it, so it needs neither numpy nor the settings reader.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

from ricaip_interfaces.action import TaskGoHome, TaskGoTo, TaskTransport
from thymio_fleet_interfaces.action import Dock, FollowPath, FollowRoute
from thymio_fleet_interfaces.msg import Job as JobMessage
from thymio_fleet_interfaces.msg import JobPlace, RouteLegs
from thymio_fleet_interfaces.srv import ExtendPath, ExtendRoute

from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D
from fleet.interface.conversions import pose_from_ros, pose_to_ros
from fleet.reason import Reason
from fleet.settings.path_limits import TEXT_MAX
from fleet.tasks.route import RouteLeg, RouteLegKind
from fleet.tasks.task_kind import TaskKind
from fleet.work.kinds import KIND_NAMES, KINDS, kind_named
from fleet.work.route_text import route_of_text, route_text
from fleet.work.work import PathWish, Place, RouteExtension, RouteUpdate, Work, check_finite
from thymio_base.number_text import count_text
from thymio_base.texts.shortened import shortened

ACTION_TYPES: Final[dict[TaskKind, Any]] = {
    TaskKind.GO_TO: TaskGoTo,
    TaskKind.GO_HOME: TaskGoHome,
    TaskKind.TRANSPORT: TaskTransport,
    TaskKind.FOLLOW_PATH: FollowPath,
    TaskKind.FOLLOW_ROUTE: FollowRoute,
    TaskKind.DOCK: Dock,
}
_PLACE_FIELDS: Final[dict[TaskKind, tuple[str, ...]]] = {
    TaskKind.GO_TO: ("goal_pose",),
    TaskKind.GO_HOME: (),
    TaskKind.TRANSPORT: ("pose_from", "pose_to"),
    TaskKind.FOLLOW_PATH: (),
    TaskKind.FOLLOW_ROUTE: (),
    TaskKind.DOCK: ("charger_pose",),
}
_LEG_KINDS: Final = {
    RouteLegKind.DRIVE: RouteLegs.DRIVE,
    RouteLegKind.TURN: RouteLegs.TURN,
    RouteLegKind.WAIT: RouteLegs.WAIT,
    RouteLegKind.LOAD: RouteLegs.LOAD,
    RouteLegKind.UNLOAD: RouteLegs.UNLOAD,
    RouteLegKind.DOCK: RouteLegs.DOCK,
}
_KINDS_OF_LEGS: Final = {number: kind for kind, number in _LEG_KINDS.items()}


def goal_from_work(work: Work, task_id: str, frame: str, stamp_ns: int) -> Any:
    """Return the goal that asks for work; `work` has as many places as its kind."""
    goal = ACTION_TYPES[work.kind].Goal(task_id=task_id)
    for name, place in zip(_PLACE_FIELDS[work.kind], work.places, strict=True):
        setattr(goal, name, pose_to_ros(place.pose, stamp_ns, frame))
    if work.path is not None:
        path = work.path
        goal.path, goal.speed_mps, goal.laps, goal.relative_to = path.text, path.speed_mps, path.laps, path.relative_to
        goal.endless = path.is_endless
        goal.waypoints_m = _numbers(path.waypoints_m)
    if work.route:
        goal.legs = legs_to_ros(work.route)
    return goal


def work_from_goal(kind: TaskKind, goal: Any, frame: str) -> Work:
    """Return the work that a goal asks for; an empty frame_id means `frame`.

    Raises
    ------
    GoalRejectedError
        A pose has another frame or is not in the plane, or the goal does not hold exactly one path.
    """
    places = tuple(Place(pose_from_ros(getattr(goal, name), frame)) for name in _PLACE_FIELDS[kind])
    facts = KINDS[kind]
    route = legs_from_ros(goal.legs) if facts.has_route else ()
    return Work(kind, places, _wish_from_goal(goal) if facts.has_path else None, route)


def legs_to_ros(legs: Sequence[RouteLeg]) -> RouteLegs:
    """Return the legs of a route as flat arrays of numbers."""
    return RouteLegs(
        kinds=[_LEG_KINDS[leg.kind] for leg in legs],
        point_counts=[len(leg.points_m) for leg in legs],
        points_m=_numbers(point_m for leg in legs for point_m in leg.points_m),
        values=[leg.value for leg in legs],
        corners_m=[leg.corner_m for leg in legs],
    )


def legs_from_ros(message: RouteLegs) -> tuple[RouteLeg, ...]:
    """Return the legs of a route.

    Raises
    ------
    GoalRejectedError
        The numbers do not match the count of legs, or a kind does not exist.
    """
    count, corners_m = len(message.kinds), message.corners_m or [0.0] * len(message.kinds)
    for name, numbers in (("point_counts", message.point_counts), ("values", message.values), ("corners_m", corners_m)):
        if len(numbers) != count:
            raise _bad_path(f"{name} has {len(numbers)} numbers for {count_text(count, 'leg')}")
    points_m = _points_from_ros(message.points_m, "points_m")
    if sum(message.point_counts) != len(points_m):
        raise _bad_path(f"point_counts has {sum(message.point_counts)} points in all, points_m {len(points_m)}")
    unknown = next((number for number in message.kinds if number not in _KINDS_OF_LEGS), None)
    if unknown is not None:
        raise _bad_path(f"kinds has {unknown}, not one of {', '.join(map(str, _KINDS_OF_LEGS))}")
    ends = accumulate(message.point_counts)
    columns = zip(message.kinds, message.point_counts, ends, message.values, corners_m, strict=True)
    return tuple(
        RouteLeg(_KINDS_OF_LEGS[kind], points_m[end - points : end], value, corner_m)
        for kind, points, end, value, corner_m in columns
    )


def extension_to_ros(task_id: str, extension: RouteExtension) -> ExtendRoute.Request:
    """Return the request to append legs to the route of a task."""
    return ExtendRoute.Request(task_id=task_id, expected_legs=extension.expected, legs=legs_to_ros(extension.legs))


def extension_from_ros(request: ExtendRoute.Request) -> RouteExtension:
    """Return the legs that a request appends to a route.

    Raises
    ------
    GoalRejectedError
        As `legs_from_ros`.
    """
    return RouteExtension(legs_from_ros(request.legs), request.expected_legs)


def update_to_ros(task_id: str, update: RouteUpdate) -> ExtendPath.Request:
    """Return the request to extend the path of a task."""
    waypoints_m = _numbers(update.waypoints_m)
    return ExtendPath.Request(task_id=task_id, after=update.after, waypoints_m=waypoints_m, laps=update.laps)


def update_from_ros(request: ExtendPath.Request) -> RouteUpdate:
    """Return how a request extends a path.

    Raises
    ------
    GoalRejectedError
        A waypoint has only one number.
    """
    return RouteUpdate(request.after, _points_from_ros(request.waypoints_m), request.laps)


def work_to_job(work: Work) -> dict[str, Any]:
    """Return the fields of a job's message that describe the work; places with a name are named."""
    path = work.path or PathWish()
    return {
        "kind": work.kind.public_name,
        "places": [_place_to_ros(place) for place in work.places],
        "path": route_text(work.route) if work.route else path.written,
        "speed_mps": path.speed_mps,
        "laps": path.laps,
        "relative_to": path.relative_to,
    }


def work_from_job(message: JobMessage, stations: Mapping[str, Pose2D]) -> Work:
    """Return the work of a job; the poses of named places are those of `stations`.

    Raises
    ------
    GoalRejectedError
        A kind or a station does not exist, or the path is too long; the text lists the valid names.
    """
    kind = kind_named(message.kind)
    if kind is None:
        raise _bad_job(f"kind is {shortened(repr(message.kind))}, not one of {', '.join(KIND_NAMES)}")
    if len(message.path) > TEXT_MAX:
        raise _bad_path(f"path has {len(message.path)} characters, more than {TEXT_MAX}")
    path = PathWish(message.path, message.speed_mps, message.laps, message.relative_to)
    places = tuple(_place_from_ros(place, stations) for place in message.places)
    if KINDS[kind].has_route:
        return Work(kind, places, route=route_of_text(message.path, stations.get))
    return Work(kind, places, path if KINDS[kind].has_path else None)


def _wish_from_goal(goal: FollowPath.Goal) -> PathWish:
    if bool(goal.path.strip()) == bool(goal.waypoints_m):
        raise _bad_path("a goal has either path or waypoints" + (", not both" if goal.path.strip() else ""))
    text = goal.path if goal.path.strip() else ""
    points_m = _points_from_ros(goal.waypoints_m)
    check_finite(points_m)
    return PathWish(text, goal.speed_mps, goal.laps, goal.relative_to, points_m, goal.endless)


def _numbers(points_m: Iterable[tuple[float, float]]) -> list[float]:
    """Return x and y of places in turn [m]."""
    return [value_m for point_m in points_m for value_m in point_m]


def _points_from_ros(values_m: Sequence[float], name: str = "waypoints_m") -> tuple[tuple[float, float], ...]:
    """Return the places whose x and y are given in turn [m]."""
    if len(values_m) % 2:
        raise _bad_path(f"{name} has {len(values_m)} numbers, and needs x and y of each waypoint")
    return tuple(zip(values_m[::2], values_m[1::2], strict=True))


def _place_to_ros(place: Place) -> JobPlace:
    pose = place.pose
    return JobPlace(name=place.name, x_m=pose.x_m, y_m=pose.y_m, heading_rad=pose.heading_rad)


def _place_from_ros(message: JobPlace, stations: Mapping[str, Pose2D]) -> Place:
    if not message.name:
        return Place(Pose2D(message.x_m, message.y_m, message.heading_rad))
    if message.name not in stations:
        known = f"stations are {', '.join(stations)}" if stations else "fleet.yaml has no stations"
        raise _bad_job(f"there is no station {shortened(repr(message.name))}; {known}")
    return Place(stations[message.name], message.name)


def _bad_path(text: str) -> GoalRejectedError:
    return GoalRejectedError(Reason.BAD_PATH, text)


def _bad_job(text: str) -> GoalRejectedError:
    return GoalRejectedError(Reason.BAD_JOB, text)
