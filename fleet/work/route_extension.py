"""Extends a route by further legs while a robot performs it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D
from fleet.paths.path import Path
from fleet.paths.polyline import NEAREST_M, Point
from fleet.settings.config import FleetConfig
from fleet.tasks import explanations
from fleet.tasks.legs import STANDING, FollowLeg, Growth, Leg
from fleet.tasks.route import LegMark, Route, RouteLeg, RouteLegKind
from fleet.tasks.task import TaskRequest
from fleet.work.docking import docking_exit
from fleet.work.objections import charger_at
from fleet.work.path_wish import bad_path
from fleet.work.route_check import STANDS, check_route
from fleet.work.route_legs import (
    MarkFinder,
    RouteBuilder,
    drives_in_row,
    joined_points,
    least_corner_m,
    paced,
    ways_of,
)
from fleet.work.route_update import growth_of
from fleet.work.work import RouteExtension
from thymio_base.parts import Parts

AHEAD_MAX: Final = 1000  # legs that are not over


@dataclass(frozen=True, slots=True)
class ExtendedRoute:
    """A robot's task after an extension.

    Parameters
    ----------
    request : the task, with former and further legs
    growth : growth of the path of the last former leg; None if it does not grow
    added : legs that are driven in addition
    """

    request: TaskRequest
    growth: Growth | None
    added: tuple[Leg, ...]


def further_legs(route: Route, completed: int, extension: RouteExtension) -> tuple[RouteLeg, ...]:
    """Return the legs that a route does not have yet; none if the extension is repeated.

    `completed` is the number of completed legs.

    Raises
    ------
    GoalRejectedError
        A leg is not valid, or the legs do not follow the last one of the route, or too many would be left.
    """
    check_route(extension.legs)
    if extension.expected not in (0, route.count):
        if extension.expected < route.count and route.has(extension.legs, extension.expected):
            return ()
        why = explanations.outdated_extension(route.count, extension.expected)
        raise GoalRejectedError(why.reason, why.detail)
    if (left := route.count - completed + len(extension.legs)) > AHEAD_MAX:
        raise bad_path(f"{left} legs would be left, more than {AHEAD_MAX}; send the rest when some of them are over")
    return extension.legs


def extended(
    request: TaskRequest, added: tuple[RouteLeg, ...], remaining_m: float, pose: Pose2D, config: FleetConfig
) -> Parts[ExtendedRoute]:
    """Find, in parts, how a task continues when legs are appended to its route.

    Parameters
    ----------
    request
        the task so far, with a route
    added
        at least one leg
    remaining_m
        remaining length of its last leg; infinite if that has not started
    pose
        the robot's pose
    config
        the fleet's configuration

    Raises
    ------
    GoalRejectedError
        A path cannot be driven, or would be too long, or a place has no charger, or no way onto it.
    """
    route, last = request.route, request.legs[-1]
    if route is None:
        raise ValueError(f"task {request.task_id!r} has no route")
    legs, marks = request.legs, route.marks
    growth: Growth | None = None
    driven: tuple[Leg, ...] = ()
    count = drives_in_row(added) if isinstance(last, FollowLeg) and last.waypoints_m else 0
    if isinstance(last, FollowLeg) and count:
        joined = joined_points(last.waypoints_m[-1], added[:count], NEAREST_M)
        if len(joined[0]) > 1:
            same = [leg for leg, mark in zip(route.legs, marks, strict=True) if mark.leg == len(legs) - 1]
            corner_m = least_corner_m([*same, *added[:count]], config)
            growth = yield from growth_of(last, joined[0][1:], remaining_m, corner_m)
            grown = last.with_waypoints(growth, joined[0][1:], remaining_m)
            index = len(legs) - 1
            marks = _grown_marks(route, growth, MarkFinder(grown.path, index, corner_m), ways_of(*joined))
            drives = [pair for pair in zip((*route.legs, *added[:count]), marks, strict=True) if pair[1].leg == index]
            added_m = math.fsum([piece.length_m for piece in growth.pieces])
            growth = replace(growth, pieces=tuple(paced(growth.pieces, added_m, drives, config)))
            grown = last.with_waypoints(growth, joined[0][1:], remaining_m)
            legs, driven = (*legs[:-1], grown), (FollowLeg(Path(growth.pieces, joined_from=0), last.limits),)
        else:
            marks = (*marks, *[LegMark(len(legs) - 1)] * count)
        yield
    builder = RouteBuilder(config, _end_of(legs, pose), len(legs), _way_out(route, config))
    yield from builder.add(added[count:])
    further = Route((*route.legs, *added), (*marks, *builder.marks), route.former)
    legs = (*legs, *builder.legs)
    return ExtendedRoute(replace(request, legs=legs, route=further), growth, (*driven, *builder.legs))


def _grown_marks(
    route: Route, growth: Growth, finder: MarkFinder, ways_m: Sequence[Sequence[Point]]
) -> tuple[LegMark, ...]:
    """Return the marks of a route whose last path has grown: those of its former legs and of further drives."""
    kept = [mark.leg != finder.leg or mark.rest_m >= growth.cut_m for mark in route.marks]
    stays = kept.index(False) if False in kept else len(kept)
    marks = [
        LegMark(mark.leg, mark.rest_m + growth.added_m) if mark.leg == finder.leg else mark
        for mark in route.marks[:stays]
    ]
    changed_m = finder.here_m = finder.path.length_m - math.fsum([piece.length_m for piece in growth.pieces])
    for asked, mark in zip(route.legs[stays:], route.marks[stays:], strict=True):
        near_m = changed_m + growth.cut_m - mark.rest_m
        marks.append(finder.near(asked.points_m[-1], near_m, 2.0 * finder.corner_m + NEAREST_M))
    return (*marks, *map(finder.along, ways_m))


def _end_of(legs: Sequence[Leg], pose: Pose2D) -> Pose2D:
    """Return the end of legs; the robot's pose if they do not drive."""
    return next((leg.goal for leg in reversed(legs) if not isinstance(leg, STANDING)), pose)


def _way_out(route: Route, config: FleetConfig) -> FollowLeg | None:
    """Return the way out of the charger in which a route now ends; None if it ends elsewhere."""
    last = next((leg for leg in reversed(route.legs) if leg.kind not in STANDS), None)
    if last is None or last.kind is not RouteLegKind.DOCK:
        return None
    return docking_exit(charger_at(last.points_m[0], config), config)
