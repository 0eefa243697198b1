"""Reads the path that a goal, a job or an experiment asks for, and creates the task to follow it: one check for all."""

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias, TypeVar

from fleet.errors import GoalRejectedError, PathError
from fleet.geometry import Pose2D
from fleet.paths.path import Path
from fleet.paths.placement import Placement, frame_of, placed
from fleet.paths.polyline import Point
from fleet.reason import Reason
from fleet.settings.path_file import CORNER_M, PathFile, path_through_in_parts, read_path_in_parts
from fleet.settings.path_limits import SLOWEST_MPS, check_laps, check_text
from fleet.tasks import task
from fleet.tasks.task import TaskRequest
from fleet.trajectories.counted_work import in_parts
from fleet.trajectories.limits import Limits
from fleet.trajectories.timing import seeking_limits
from fleet.work.work import PathWish, Work
from thymio_base.parts import Parts, begun, finished
from thymio_base.texts.shortened import shortened

Key = TypeVar("Key")
Value = TypeVar("Value")
_Wished: TypeAlias = tuple[str | tuple[Point, ...], float]  # text or waypoints, and how far corners are rounded

_PLACEMENTS: Final = [placement.value for placement in Placement]
_KEPT: Final = 16  # paths: several robots often follow one, and a job is read again when it starts
_LATEST: Final[OrderedDict[_Wished, PathFile]] = OrderedDict()
_PACED: Final[OrderedDict[tuple[Path, int, float, Limits], Limits | str]] = OrderedDict()  # or why there are no limits
_STEPS_OF_A_PART: Final = 300  # about 2 ms
SHORT_TEXT: Final = 1000  # characters that are read in 4 ms ...
_PARTS_OF_READING: Final = 8  # ... all parts together, but for the curve that is then computed
_PROBLEMS_MAX: Final = 5  # listed in a refusal ...
_PROBLEM_MAX: Final = 300  # ... with this many characters


def path_of_work(work: Work, corner_m: float = CORNER_M) -> PathFile:
    """Return the path of work that follows one; its corners are rounded by `corner_m` unless it specifies that.

    Raises
    ------
    GoalRejectedError
        It has none, or its path has problems; the refusal lists the first ones.
    """
    if work.path is None:
        raise bad_path(f"{work.kind.public_name} needs a path")
    return path_of_wish(work.path, corner_m)


def path_of_wish(wish: PathWish, corner_m: float = CORNER_M) -> PathFile:
    """Return the path that a wish describes.

    Raises
    ------
    GoalRejectedError
        It has problems; the refusal lists the first ones.
    """
    return finished(path_in_parts(wish, corner_m))


def path_in_parts(wish: PathWish, corner_m: float = CORNER_M) -> Parts[PathFile]:
    """Read a path as `path_of_work` does; a recent path, or a short one without a long curve, takes one part."""
    key = wish.text or wish.waypoints_m, corner_m
    found = _LATEST.get(key)
    if found is None:
        found = keep_latest(_LATEST, key, (yield from _read(wish, corner_m)))
    else:
        _LATEST.move_to_end(key)
    wished = wished_path(found, wish.speed_mps, wish.laps, wish.relative_to)
    return replace(wished, is_endless=True) if _is_endless(wish, wished) else wished


def keep_latest(latest: OrderedDict[Key, Value], key: Key, value: Value) -> Value:
    """Keep a value that took long to compute among the latest ones; return it."""
    latest[key] = value
    if len(latest) > _KEPT:
        latest.popitem(last=False)
    return value


def _is_endless(wish: PathWish, wished: PathFile) -> bool:
    """Whether a path is driven until it is canceled; refuse that if it is not closed, or has a number of laps."""
    if not wish.is_endless:
        return False
    if wish.laps:
        raise bad_path(f"an endless path has no number of laps; leave laps {wish.laps} out")
    if not wished.lap.is_closed:
        raise bad_path("a path that is not closed cannot be driven again and again")
    return True


def _read(wish: PathWish, corner_m: float) -> Parts[PathFile]:
    try:
        if not wish.text:
            lap = yield from path_through_in_parts(wish.waypoints_m, corner_m)
            return PathFile(lap, 1, Placement.MAP, None, waypoints_m=wish.waypoints_m)
        check_text(wish.text)
        reading = read_path_in_parts(wish.text, "path", corner_m)
        return (yield from begun(reading, _PARTS_OF_READING if len(wish.text) <= SHORT_TEXT else 1))
    except PathError as error:
        raise bad_path(_first_problems(str(error))) from error


def prepared_in_parts(wish: PathWish, limits: Limits, corner_m: float) -> Parts[None]:
    """Do the slow part of `path_of_wish` and `follow_task` in advance; it raises the same errors."""
    path = yield from path_in_parts(wish, corner_m)
    yield from _paced_in_parts(path, limits)


def is_prepared(wish: PathWish, limits: Limits, corner_m: float) -> bool:
    """Return whether that was done recently."""
    known = _LATEST.get((wish.text or wish.waypoints_m, corner_m))
    if known is None:
        return False
    speed_mps = wish.speed_mps or known.speed_mps
    return speed_mps is None or (known.lap, wish.laps or known.laps, speed_mps, limits) in _PACED


def wished_path(found: PathFile, speed_mps: float, laps: int, relative_to: str) -> PathFile:
    """Return a path with the speed, laps and placement that a request names; 0 and "" stand for the path's own.

    Raises
    ------
    GoalRejectedError
        The placement does not exist, the speed is too low or not finite, or all laps together are too long.
    """
    if relative_to not in ("", *_PLACEMENTS):
        raise bad_path(f"relative_to is {shortened(repr(relative_to))}, not one of {', '.join(_PLACEMENTS)}")
    if speed_mps != 0.0 and not (math.isfinite(speed_mps) and speed_mps >= SLOWEST_MPS):
        text = f"speed_mps is {speed_mps:g}, at least {SLOWEST_MPS:g}, or 0 for as fast as the limits allow"
        raise GoalRejectedError(Reason.BAD_SPEED, text)
    wished = replace(
        found,
        laps=laps or found.laps,
        placement=Placement(relative_to) if relative_to else found.placement,
        speed_mps=speed_mps or found.speed_mps,
    )
    try:
        check_laps(wished.lap, wished.laps)
    except PathError as error:
        raise bad_path(str(error)) from error
    return wished


def follow_task(task_id: str, path: PathFile, limits: Limits, pose: Pose2D | None) -> TaskRequest:
    """Return the task to follow a path, placed at the robot's pose if the path is relative to it.

    Parameters
    ----------
    task_id
        the client's id
    path
        the result of `wished_path`, or a path within the same limits
    limits
        limits of the motion along paths
    pose
        the robot's pose; None if it is not known

    Raises
    ------
    GoalRejectedError
        The limits do not allow the speed, or the path is relative to a pose that is not known.
    """
    lap, paced = _lap(path, pose), finished(_paced_in_parts(path, limits))
    return task.follow_path(
        task_id,
        lap,
        paced,
        laps=path.laps,
        name=path.name,
        shape_size_m=path.size_m,
        is_endless=path.is_endless,
        waypoints_m=_placed_points(path, pose),
    )


def bad_path(text: str) -> GoalRejectedError:
    """Return the refusal of a path."""
    return GoalRejectedError(Reason.BAD_PATH, text)


def _lap(path: PathFile, pose: Pose2D | None) -> Path:
    if path.placement is Placement.MAP:
        return path.lap
    if pose is None:
        raise GoalRejectedError(
            Reason.POSE_LOST,
            f"the path is relative to the robot's {path.placement.value}, and the robot has not reported yet; "
            "wait for its pose",
        )
    return placed(path.lap, path.placement, pose)


def _placed_points(path: PathFile, pose: Pose2D | None) -> Sequence[Point]:
    """Return the waypoints of a path in the fleet's frame."""
    if path.placement is Placement.MAP or pose is None:
        return path.waypoints_m
    frame = frame_of(path.placement, pose)
    poses = [frame.compose(Pose2D(x_m, y_m, 0.0)) for x_m, y_m in path.waypoints_m]
    return [(place.x_m, place.y_m) for place in poses]


def _paced_in_parts(path: PathFile, limits: Limits) -> Parts[Limits]:
    """Return limits with which a path has its mean speed; those of recent paths are cached.

    Raises
    ------
    GoalRejectedError
        The limits do not allow the speed.
    """
    if path.speed_mps is None:
        return limits
    key = (path.lap, path.laps, path.speed_mps, limits)
    found = _PACED.get(key)
    if found is None:
        seeking = seeking_limits(path.lap, limits, path.speed_mps, path.laps)
        try:
            found = yield from in_parts(seeking, _STEPS_OF_A_PART)
        except PathError as error:
            found = str(error)
        keep_latest(_PACED, key, found)
    if isinstance(found, str):
        raise GoalRejectedError(Reason.BAD_SPEED, found)
    return found


def _first_problems(text: str) -> str:
    """Return the first lines of a list of problems, as a text of 5000 characters may have a thousand."""
    lines = [line if len(line) <= _PROBLEM_MAX else f"{line[: _PROBLEM_MAX - 3]}..." for line in text.splitlines()]
    more = len(lines) - _PROBLEMS_MAX
    return "\n".join([*lines[:_PROBLEMS_MAX], *([f"and {more} more"] if more > 0 else [])])
