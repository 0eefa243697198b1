"""Reads a path from a file: YAML as defined by fleet/settings/path.schema.json, or waypoints in a table or list.

Waypoints are closed if they end within a millimetre of their start; everything else has YAML's defaults.
"""

import math
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from fleet.errors import PathError
from fleet.geometry import Pose2D
from fleet.paths.fitted_path import fitted_path
from fleet.paths.path import Path, Piece
from fleet.paths.pieces import Arc, Line, Turn
from fleet.paths.placement import Placement
from fleet.paths.polyline import NEAREST_M, Point, rounded_polyline, there_and_back
from fleet.paths.shapes import SHAPES, shape_in_parts
from fleet.paths.spline import spline_in_parts
from fleet.settings.path_limits import check_laps, check_length, check_text, check_waypoint_count
from fleet.settings.waypoint_file import Waypoints, read_waypoints, waypoints_of_text
from thymio_base.errors import SettingsError
from thymio_base.parts import Parts, finished
from thymio_base.settings_file import Problem, load_text, settings_in_parts
from thymio_base.texts.json_text import shipped_schema

CORNER_M: Final = 0.01  # default rounding of corners between waypoints
_KINDS = ("shape", "waypoints_m", "pieces")
_OWNERS = {  # keys that are valid only with one of these
    "size_m": "shape",
    "corner_radius_m": "waypoints_m",
    "corner_m": "waypoints_m",
    "closed": "waypoints_m",
    "back_and_forth": "waypoints_m",
}


@dataclass(frozen=True, slots=True)
class PathFile:
    """The contents of a file: one lap, how often to drive it, and how fast (None: as fast as allowed).

    `name` and `size_m` are those of the shape, "" and None for other paths. `waypoints_m` come from a table or list,
    and a goal holds them unchanged; `notes` say what was ignored there. `is_endless`: driven until that is canceled,
    which no file can request.
    """

    lap: Path
    laps: int
    placement: Placement
    speed_mps: float | None
    name: str = ""
    size_m: float | None = None
    waypoints_m: tuple[Point, ...] = ()
    notes: tuple[str, ...] = ()
    is_endless: bool = False

    @property
    def path(self) -> Path:
        """All laps."""
        return self.lap.repeated(self.laps)


def load_path(file: pathlib.Path) -> PathFile:
    """Return the path in a file: a table or list of waypoints, or a path in YAML.

    Corners between waypoints are rounded by at most `CORNER_M` unless the file specifies that.

    Raises
    ------
    PathError
        The file cannot be read or has problems; the message lists all of them, each with file and line.
    """
    return path_of_file(file, load_path_text(file))


def load_path_text(file: pathlib.Path) -> str:
    """Return the content of a path file.

    Raises
    ------
    PathError
        The file cannot be read; the message says why.
    """
    try:
        return load_text(file)
    except SettingsError as error:
        raise PathError(str(error)) from error


def path_of_file(file: pathlib.Path, text: str) -> PathFile:
    """Return the path in the content of a file, as `load_path` does.

    Raises
    ------
    PathError
        The content has problems; the message lists all of them, each with file and line.
    """
    waypoints = read_waypoints(file, text)
    if waypoints is not None:
        return finished(_path_file_in_parts(waypoints, str(file), CORNER_M))
    try:
        check_text(text)
    except PathError as error:
        raise PathError(f"{file}: {error}") from error
    return finished(_yaml_in_parts(text, str(file), CORNER_M))


def read_path(text: str, source: str) -> PathFile:
    """Return the path in the text of a YAML file, through a list of waypoints, or of a named shape.

    Raises
    ------
    PathError
        The text has problems; the message lists all of them, each with `source` and line.
    """
    return finished(read_path_in_parts(text, source))


def read_path_in_parts(text: str, source: str, corner_m: float = CORNER_M) -> Parts[PathFile]:
    """Read a path as `read_path` does, in parts that are short even for the longest text.

    `corner_m` is by how much corners between waypoints are rounded unless the text specifies that.
    """
    name = text.strip()
    if name.isidentifier():
        return (yield from _yaml_in_parts(f"shape: {name}", source, corner_m))
    waypoints = waypoints_of_text(text, source)
    yield
    if waypoints is None:
        return (yield from _yaml_in_parts(text, source, corner_m))
    return (yield from _path_file_in_parts(waypoints, source, corner_m))


def path_through_in_parts(points_m: Sequence[Point], corner_m: float) -> Parts[Path]:
    """Return the path through waypoints, with corners rounded by at most `corner_m`, in parts.

    It is closed if it ends within 1 mm of its start.

    Raises
    ------
    PathError
        There are fewer than two different waypoints, too many, or they are too far apart.
    """
    check_waypoint_count(len(points_m))
    check_length(points_m)
    is_closed = len(points_m) > 2 and math.dist(points_m[0], points_m[-1]) < NEAREST_M
    return (yield from fitted_path(points_m[:-1] if is_closed else points_m, is_closed, corner_m))


def path_schema() -> dict[str, Any]:
    """Return the JSON Schema of path files."""
    return shipped_schema("fleet.settings", "path.schema.json")


def _yaml_in_parts(text: str, source: str, corner_m: float) -> Parts[PathFile]:
    built = _BuiltLap(corner_m)
    try:
        values = yield from settings_in_parts(text, source, path_schema(), built.problems, may_have_aliases=False)
    except SettingsError as error:
        raise PathError(str(error)) from error
    name, placement = values.get("shape") or "", Placement(values["relative_to"])
    size_m = values.get("size_m") or SHAPES[name].size_m if name else None
    return PathFile(built.lap(), values["laps"], placement, values.get("speed_mps"), name, size_m)


class _BuiltLap:
    """Builds the path of a file once, while looking for problems; `corner_m` is the default rounding."""

    def __init__(self, corner_m: float) -> None:
        self._corner_m = corner_m
        self._lap: Path | None = None

    def lap(self) -> Path:
        """Return the path, which had no problems."""
        if self._lap is None:
            raise ValueError("no path was built")
        return self._lap

    def problems(self, values: dict[str, Any]) -> Parts[list[Problem]]:
        """Return problems that the schema cannot detect."""
        kind, *others = [kind for kind in _KINDS if values.get(kind)] or [""]
        if not kind:
            return [((), f"nothing defines the path; give one of {', '.join(_KINDS)}")]
        flaws = list(_flaws(kind, values))
        yield
        return [*_contradictions(kind, others, values), *(flaws or (yield from self._unbuildable(kind, values)))]

    def _unbuildable(self, kind: str, values: Mapping[str, Any]) -> Parts[list[Problem]]:
        """Build the path; return why it cannot be built, or not be repeated."""
        if isinstance(values[kind], list) and None in values[kind]:
            return []
        try:
            self._lap = yield from _built({"corner_m": self._corner_m, **values})
        except PathError as error:
            return [((kind,), str(error))]
        try:
            check_laps(self._lap, values["laps"])
        except PathError as error:
            return [(("laps" if values["laps"] > 1 else kind,), str(error))]
        return []


def _contradictions(kind: str, others: Sequence[str], values: Mapping[str, Any]) -> Iterator[Problem]:
    for other in others:
        yield (other,), f"{kind} already defines the path"
    for key, owner in _OWNERS.items():
        if values.get(key) and kind != owner:
            yield (key,), f"is valid only with {owner}, not with {kind}"
    for key in ("corner_radius_m", "corner_m"):
        if values.get(key) and values["curve"] == "spline":
            yield (key,), "a spline has no corners"
    if values.get("corner_radius_m") and values.get("corner_m"):
        yield ("corner_m",), "corner_radius_m already says how corners are rounded"
    if values["closed"] and values["back_and_forth"]:
        yield ("back_and_forth",), "the path is already closed"


def _flaws(kind: str, values: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield problems of single waypoints or pieces."""
    if kind == "waypoints_m":
        for index, (before, after) in enumerate(pairwise(values[kind]), start=1):
            if before and after and math.dist(before, after) < NEAREST_M:
                yield (kind, index), f"[{after[0]:g}, {after[1]:g}] is the same as the waypoint before it"
    for index, piece in enumerate(values[kind]) if kind == "pieces" else ():
        try:
            if piece is not None:
                _piece(piece, Pose2D(0.0, 0.0, 0.0))
        except PathError as error:
            yield (kind, index), str(error)


def _built(values: Mapping[str, Any]) -> Parts[Path]:
    if values.get("waypoints_m"):
        return (yield from _through([(x_m, y_m) for x_m, y_m in values["waypoints_m"]], values))
    start = Pose2D(values["start"]["x_m"], values["start"]["y_m"], values["start"]["heading_rad"])
    if values.get("shape"):
        return (yield from shape_in_parts(values["shape"], values.get("size_m"))).moved(start)
    pieces: list[Piece] = []
    for piece in values["pieces"]:
        pieces.append(_piece(piece, pieces[-1].end if pieces else start))
    return Path(pieces)


def _through(points_m: Sequence[Point], values: Mapping[str, Any]) -> Parts[Path]:
    if not values["back_and_forth"]:
        return (yield from _one_way(points_m, values, values["closed"]))
    there = yield from _one_way(points_m, values, is_closed=False)
    return there_and_back(there, (yield from _one_way(points_m[::-1], values, is_closed=False)))


def _one_way(points_m: Sequence[Point], values: Mapping[str, Any], is_closed: bool) -> Parts[Path]:
    if values["curve"] == "spline":
        return Path([(yield from spline_in_parts(points_m, is_closed))])
    if "corner_radius_m" in values:
        return rounded_polyline(points_m, is_closed, values["corner_radius_m"])
    check_length(points_m)
    return (yield from fitted_path(points_m, is_closed, values["corner_m"]))


def _piece(values: Mapping[str, float], start: Pose2D) -> Piece:
    match sorted(values):
        case ["line_m"]:
            return Line(start, abs(values["line_m"]), is_backward=values["line_m"] < 0.0)
        case ["turn_rad"]:
            return Turn(start, values["turn_rad"])
        case ["arc_rad", "radius_m"]:
            return _arc(start, values["arc_rad"], values["radius_m"])
    raise PathError(f"a piece is line_m, or arc_rad and radius_m, or turn_rad, not {' and '.join(values)}")


def _arc(start: Pose2D, turn_rad: float, radius_m: float) -> Arc:
    if turn_rad == 0.0 or radius_m == 0.0:
        raise PathError(f"an arc cannot turn by {turn_rad:g} rad with a radius of {radius_m:g} m")
    return Arc(start, abs(turn_rad * radius_m), math.copysign(1.0 / radius_m, turn_rad), is_backward=radius_m < 0.0)


def _path_file_in_parts(waypoints: Waypoints, source: str, corner_m: float) -> Parts[PathFile]:
    points_m = waypoints.points_m
    try:
        path = yield from path_through_in_parts(points_m, corner_m)
        check_laps(path, 1)
    except PathError as error:
        raise PathError(f"{source}: {error}") from error
    return PathFile(path, 1, Placement.POSITION, None, waypoints_m=points_m, notes=waypoints.notes)
