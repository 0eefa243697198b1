"""The way to a pose: turn on the spot, drive straight, turn on the spot; forward or backward, whichever is faster."""

import math
from collections.abc import Iterator

from fleet.geometry import Pose2D, wrap_angle
from fleet.paths.path import Path, Piece
from fleet.paths.pieces import Line, Turn
from fleet.paths.polyline import short_turn
from fleet.trajectories.limits import Limits
from fleet.trajectories.timing import plan_fastest
from fleet.trajectories.trajectory import Trajectory

_SHORTEST_STRAIGHT_M = 0.005  # nearer goals are reached by turning alone: their bearing is mostly noise
_SMALLEST_TURN_RAD = 0.035


def plan_to_pose(start: Pose2D, goal: Pose2D, limits: Limits, backward: bool = True) -> Trajectory:
    """Return the faster of turning towards the goal and driving there forward or, if allowed, backward.

    Turns take the shorter way round; if both drives take the same time the robot drives forward. A goal nearer than 5
    mm is reached by a single turn.
    """
    if start.distance_to(goal) < _SHORTEST_STRAIGHT_M:
        return plan_fastest(Path([_turn(start, goal.heading_rad)]), limits)
    ways = [_way(start, goal, is_backward) for is_backward in (False, True)[: 1 + backward]]
    return min((plan_fastest(way, limits) for way in ways), key=lambda plan: plan.duration_s)


def path_from(start: Pose2D, path: Path) -> Path:
    """Return a path preceded by the way from `start` to its start: a turn, a line and a turn, as needed.

    Nothing is added if `start` is within 5 mm and 2 degrees of the path's start: such errors are mostly noise.
    """
    if start.distance_to(path.start) >= _SHORTEST_STRAIGHT_M:
        way = tuple(_pieces(start, path.start, is_backward=False))
        return Path(way + path.pieces, joined_from=len(way))
    if abs(start.heading_error_to(path.start)) < _SMALLEST_TURN_RAD:
        return path
    here = Pose2D(path.start.x_m, path.start.y_m, start.heading_rad)
    return Path((_turn(here, path.start.heading_rad), *path.pieces), joined_from=1)


def _way(start: Pose2D, goal: Pose2D, is_backward: bool) -> Path:
    return Path(_pieces(start, goal, is_backward))


def _pieces(start: Pose2D, goal: Pose2D, is_backward: bool) -> Iterator[Piece]:
    bearing_rad = start.bearing_to(goal)
    heading_rad = wrap_angle(bearing_rad + math.pi) if is_backward else bearing_rad
    line = Line(Pose2D(start.x_m, start.y_m, heading_rad), start.distance_to(goal), is_backward)
    yield _turn(start, heading_rad)
    yield line
    yield _turn(line.end, goal.heading_rad)


def _turn(here: Pose2D, heading_rad: float) -> Turn:
    return Turn(here, short_turn(here.heading_rad, heading_rad))
