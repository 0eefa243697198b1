"""Entries of the floor: obstacles, keep-out areas and the arena."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from aseba_link.thymio.robot_outline import OUTLINE_M
from fleet.floor.obstacles import BODY_RADIUS_M
from fleet.interface.seen_floor import Patch, Point, SceneFloor

_MARGIN_M: Final = 0.1
_STEP_M: Final = 0.5  # a map without walls grows in steps of this
_EMPTY: Final = [0.0, 0.0, 1.0, 1.0]


@dataclass(frozen=True, slots=True)
class FloorPicture:
    """Obstacles on the floor, with keep-out areas and the arena as (x_min, y_min, x_max, y_max)."""

    ground: SceneFloor = field(default_factory=SceneFloor)
    keep_out_m: tuple[tuple[Point, ...], ...] = ()
    arena_m: tuple[float, float, float, float] | None = None

    def with_ground(self, seen: SceneFloor) -> "FloorPicture":
        """Return the picture with the obstacles of a simulator added."""
        walls_m = tuple(dict.fromkeys((*self.ground.walls_m, *seen.walls_m)))
        ground = SceneFloor(walls_m, (*self.ground.patches, *seen.patches))
        return FloorPicture(ground, self.keep_out_m, self.arena_m)

    def points_m(self) -> Iterator[Point]:
        """Yield all corners."""
        for ends_m in self.ground.walls_m:
            yield from ends_m
        for corners_m in (*self.keep_out_m, *(patch.points_m for patch in self.ground.patches)):
            yield from corners_m
        if self.arena_m is not None:
            yield from (self.arena_m[:2], self.arena_m[2:])


def floor_entries(floor: FloorPicture, places_m: Iterable[Point]) -> dict[str, Any]:
    """Return the entries of the section `map`; without walls, robots and stations at `places_m` determine its size."""
    points = list(floor.points_m())
    if not floor.ground.walls_m and floor.arena_m is None:
        points += [(side(x_m), side(y_m)) for x_m, y_m in places_m for side in (_below, _above)]
    return {
        "bounds": _bounds(points),
        "arena": None if floor.arena_m is None else list(floor.arena_m),
        "walls": [[*start, *end] for start, end in floor.ground.walls_m],
        "patches": [*map(_patch, floor.ground.patches), *map(_keep_out, floor.keep_out_m)],
        "robot": {"outline": [list(corner) for corner in OUTLINE_M]},
        "body_radius_m": BODY_RADIUS_M,
    }


def _below(value_m: float) -> float:
    return math.floor(value_m / _STEP_M - 0.5) * _STEP_M


def _above(value_m: float) -> float:
    return math.ceil(value_m / _STEP_M + 0.5) * _STEP_M


def _bounds(points: Sequence[Point]) -> list[float]:
    if not points:
        return list(_EMPTY)
    xs, ys = zip(*points, strict=True)
    return [min(xs) - _MARGIN_M, min(ys) - _MARGIN_M, max(xs) + _MARGIN_M, max(ys) + _MARGIN_M]


def _patch(patch: Patch) -> dict[str, Any]:
    gray = round(patch.gray, 3)
    return {"material": patch.material.value, "points": _rounded(patch.points_m), "gray": gray, "name": patch.name}


def _keep_out(corners_m: Sequence[Point]) -> dict[str, Any]:
    return {"material": "keep_out", "points": _rounded(corners_m), "gray": 0.5, "name": ""}


def _rounded(points_m: Iterable[Point]) -> list[list[float]]:
    return [[round(x_m, 4), round(y_m, 4)] for x_m, y_m in points_m]
