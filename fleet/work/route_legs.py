"""Creates the legs of a task that performs a route: consecutive drives become one path, with their highest speeds."""

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, assert_never

from fleet.errors import GoalRejectedError, PathError
from fleet.geometry import Pose2D
from fleet.paths.fitted_path import fitted_path
from fleet.paths.path import Path, Piece
from fleet.paths.polyline import NEAREST_M, Point
from fleet.paths.remaining_path import with_speeds
from fleet.reason import Reason
from fleet.settings.config import FleetConfig
from fleet.settings.path_limits import check_length
from fleet.tasks.legs import DriveLeg, DwellLeg, FollowLeg, Leg
from fleet.tasks.route import LegMark, Route, RouteLeg, RouteLegKind
from fleet.tasks.task import TaskRequest
from fleet.tasks.task_kind import TaskKind
from fleet.work.docking import docking_exit, docking_legs
from fleet.work.objections import charger_at
from fleet.work.path_wish import bad_path, keep_latest
from fleet.work.route_check import check_route
from thymio_base.parts import Parts, finished

_SLACK_M: Final = 0.02  # by how much a path may be longer than the lines between its waypoints, on each leg
_SAME_M: Final = 0.003
_PREPARED: Final[OrderedDict[tuple[RouteLeg, ...], tuple[FleetConfig, Pose2D, TaskRequest]]] = OrderedDict()


def prepared_route(legs: tuple[RouteLeg, ...], config: FleetConfig, pose: Pose2D | None) -> Parts[None]:
    """Do the slow part of `route_task` in advance, in parts; it raises the same errors."""
    check_route(legs)
    if pose is not None and _prepared(legs, config, pose) is None:
        keep_latest(_PREPARED, legs, (config, pose, (yield from _making(legs, config, pose))))


def route_task(task_id: str, legs: tuple[RouteLeg, ...], config: FleetConfig, pose: Pose2D | None) -> TaskRequest:
    """Return the task that performs a route from a robot's pose.

    Raises
    ------
    GoalRejectedError
        A leg is not valid, or the pose is not known.
    """
    check_route(legs)
    if pose is None:
        raise GoalRejectedError(Reason.POSE_LOST, "the robot has not reported where it is yet; wait for its pose")
    found = _prepared(legs, config, pose) or finished(_making(legs, config, pose))
    return TaskRequest(task_id, found.kind, found.legs, route=found.route)


def _prepared(legs: tuple[RouteLeg, ...], config: FleetConfig, pose: Pose2D) -> TaskRequest | None:
    """Return the task prepared for the same legs from about the same pose; None without one."""
    of, start, request = _PREPARED.get(legs, (None, pose, None))
    return request if of is config and start.distance_to(pose) <= _SAME_M else None


def _making(legs: tuple[RouteLeg, ...], config: FleetConfig, pose: Pose2D) -> Parts[TaskRequest]:
    builder = RouteBuilder(config, pose, skipped_m=config.tasks.position_tolerance_m)
    yield from builder.add(legs)
    route = Route(legs, tuple(builder.marks))
    return TaskRequest("", TaskKind.FOLLOW_ROUTE, tuple(builder.legs), route=route)


def paced(
    pieces: Sequence[Piece], end_m: float, drives: Sequence[tuple[RouteLeg, LegMark]], config: FleetConfig
) -> Sequence[Piece]:
    """Return the pieces of a path that ends at arc length `end_m`, limited to the speeds of the drives along them."""
    fleet_mps = config.following.speed_mps
    speeds_mps = [leg.value if 0.0 < leg.value < fleet_mps else math.inf for leg, _ in drives]
    ends_m = [end_m - mark.rest_m for _, mark in drives]
    return with_speeds(pieces, list(zip(ends_m, speeds_mps, strict=True)))


def drives_in_row(legs: Sequence[RouteLeg]) -> int:
    """Return the number of drives at the start of the legs."""
    return next((index for index, leg in enumerate(legs) if leg.kind is not RouteLegKind.DRIVE), len(legs))


def least_corner_m(legs: Sequence[RouteLeg], config: FleetConfig) -> float:
    """Return by how much corners of one path along some drives may be rounded."""
    return min(leg.corner_m or config.corner_m for leg in legs)


@dataclass(slots=True)
class RouteBuilder:
    """Creates the legs of a task, one leg of a route after the other.

    Parameters
    ----------
    config : the fleet's configuration
    here : the robot's pose before the next leg
    before : number of legs that precede them in the task
    way_out : the way out of the charger at `here`, if there is one
    skipped_m : points of the first drive that are closer to its start are left out
    """

    config: FleetConfig
    here: Pose2D
    before: int = 0
    way_out: FollowLeg | None = None
    skipped_m: float = NEAREST_M
    legs: list[Leg] = field(default_factory=list)
    marks: list[LegMark] = field(default_factory=list)

    def add(self, route: Sequence[RouteLeg]) -> Parts[None]:
        """Create the legs for those of a route, in parts.

        Raises
        ------
        GoalRejectedError
            A path cannot be driven, or a place has no charger, or no way onto it.
        """
        index = 0
        while index < len(route):
            leg = route[index]
            if leg.kind is RouteLegKind.DRIVE:
                count = drives_in_row(route[index:])
                yield from self._drive(route[index : index + count])
                index += count
            else:
                self._act(leg)
                self.marks.append(LegMark(self._last))
                index += 1
            yield

    @property
    def _last(self) -> int:
        return self.before + len(self.legs) - 1

    def _act(self, leg: RouteLeg) -> None:
        match leg.kind:
            case RouteLegKind.TURN:
                self._leave()
                self.here = Pose2D(self.here.x_m, self.here.y_m, math.remainder(leg.value, math.tau))
                self.legs.append(DriveLeg(self.here))
            case RouteLegKind.WAIT:
                self.legs.append(DwellLeg(leg.value, None))
            case RouteLegKind.LOAD | RouteLegKind.UNLOAD:
                self.legs.append(DwellLeg(leg.value, leg.kind is RouteLegKind.LOAD))
            case RouteLegKind.DOCK:
                self._leave()
                charger = charger_at(leg.points_m[0], self.config)
                self.legs += docking_legs(charger, self.config)
                self.way_out = docking_exit(charger, self.config)
                self.here = self.way_out.path.start
            case RouteLegKind.DRIVE:
                raise ValueError("a drive is part of a path")
            case _:
                assert_never(leg.kind)

    def _leave(self) -> None:
        """Leave the charger first, in which a robot cannot turn."""
        if self.way_out is not None:
            self.legs.append(self.way_out)
            self.here, self.way_out = self.way_out.goal, None

    def _drive(self, drives: Sequence[RouteLeg]) -> Parts[None]:
        self._leave()
        points_m, ends = joined_points((self.here.x_m, self.here.y_m), drives, self.skipped_m)
        self.skipped_m = NEAREST_M
        if len(points_m) < 2:
            self.legs.append(DwellLeg(0.0, None))
            self.marks += [LegMark(self._last)] * len(drives)
            return
        corner_m = least_corner_m(drives, self.config)
        try:
            check_length(points_m)
            path = yield from fitted_path(points_m, is_closed=False, corner_m=corner_m)
        except PathError as error:
            raise bad_path(str(error)) from error
        finder = MarkFinder(path, self._last + 1, corner_m)
        marks = [finder.along(way_m) for way_m in ways_of(points_m, ends)]
        pieces = paced(path.pieces, path.length_m, list(zip(drives, marks, strict=True)), self.config)
        slow = Path(pieces, joined_from=0)
        self.legs.append(FollowLeg(slow, self.config.following, waypoints_m=tuple(points_m)))
        self.here = path.end
        self.marks += marks


def joined_points(start_m: Point, drives: Sequence[RouteLeg], skipped_m: float) -> tuple[list[Point], list[int]]:
    """Return the points of drives from a start, and the index of each drive's last point among them.

    Repeated points are left out, and so are points within `skipped_m` of the start that precede others.
    """
    points_m, ends = [start_m], []
    for drive in drives:
        for point_m in drive.points_m:
            least_m = skipped_m if len(points_m) == 1 else NEAREST_M
            if math.dist(points_m[-1], point_m) > least_m:
                points_m.append(point_m)
        ends.append(len(points_m) - 1)
    return points_m, ends


@dataclass(slots=True)
class MarkFinder:
    """Finds the ends of drives on the path along them, one after the other.

    Parameters
    ----------
    path : the path along the lines between points
    leg : the path's index in the task
    corner_m : by how much corners are rounded
    here_m : arc length at which the next drive starts
    """

    path: Path
    leg: int
    corner_m: float
    here_m: float = 0.0

    def near(self, point_m: Point, near_m: float, window_m: float) -> LegMark:
        """Return the mark of a drive that ends near a point, at about an arc length."""
        (x_m, y_m), most_m = point_m, self.path.length_m
        low_m = min(max(self.here_m, near_m - window_m), most_m)
        self.here_m = self.path.project_between(x_m, y_m, low_m, near_m + _SLACK_M, near_m)
        return LegMark(self.leg, max(0.0, most_m - self.here_m))

    def along(self, way_m: Sequence[Point]) -> LegMark:
        """Return the mark of a drive through points, the first of which is its start."""
        length_m = math.fsum(map(math.dist, way_m, way_m[1:]))
        window_m = 2.0 * self.corner_m * len(way_m) + _SLACK_M
        return self.near(way_m[-1], self.here_m + length_m, window_m if length_m else 0.0)


def ways_of(points_m: Sequence[Point], ends: Sequence[int]) -> list[Sequence[Point]]:
    """Return the points of each drive, from the last point of the previous drive on."""
    return [points_m[before : end + 1] for before, end in zip([0, *ends], ends, strict=False)]
