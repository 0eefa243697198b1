"""The path named by a user: a shape, or a file of waypoints or YAML."""

from pathlib import Path
from typing import Final

from fleet.errors import GoalRejectedError, PathError
from fleet.paths.placement import Placement
from fleet.paths.shapes import SHAPES
from fleet.settings.path_file import load_path_text, path_of_file
from fleet.work.path_wish import path_of_wish
from fleet.work.work import PathWish
from thymio_base.argument_types import suggestion
from thymio_base.texts.user_file import may_exist

_SHAPES: Final = ", ".join(SHAPES)


def named_path(
    name: str,
    size_m: float | None = None,
    speed_mps: float = 0.0,
    laps: int = 0,
    relative_to: str = "",
    *,
    is_endless: bool = False,
    folder: Path = Path(),
) -> PathWish:
    """Return the wish to follow a shape or the path in a file, checked as servers check it.

    Parameters
    ----------
    name
        name of a shape, or of a file
    size_m
        width of the shape; None for its usual width
    speed_mps, laps, relative_to
        as in `PathWish`; waypoints of a file start where the robot is unless `relative_to` says otherwise
    is_endless
        whether it is repeated until that is canceled
    folder
        folder of relative file names

    Raises
    ------
    PathError
        The path has problems; the message lists all of them, each with file and line if it has them.
    """
    text, waypoints_m = _content(name, size_m, folder)
    if waypoints_m and not relative_to:
        relative_to = Placement.POSITION.value
    wish = PathWish(text, speed_mps, laps, relative_to, waypoints_m, is_endless)
    try:
        path_of_wish(wish)
    except GoalRejectedError as error:
        raise PathError(f"{name}: {error.explanation.detail}") from error
    return wish


def _content(name: str, size_m: float | None, folder: Path) -> tuple[str, tuple[tuple[float, float], ...]]:
    """Return the text of a path, "" for a file of waypoints, and its waypoints [m]."""
    if name in SHAPES:
        return (name if size_m is None else f"{{shape: {name}, size_m: {size_m}}}"), ()
    if size_m is not None:
        raise PathError(f"a size is for {_SHAPES}; {name!r} has its own")
    file = folder / name
    if not file.suffix and not may_exist(file):
        advice = suggestion(name, SHAPES) or f"; there are {_SHAPES}, and files"
        raise PathError(f"there is no path {name!r}{advice}")
    text = load_path_text(file)
    waypoints_m = path_of_file(file, text).waypoints_m
    return ("", waypoints_m) if waypoints_m else (text, ())
