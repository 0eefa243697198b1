"""What stands on the floor, as pages show it."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from aseba_link.thymio.robot_outline import OUTLINE_M
from fleet.floor.obstacles import BODY_RADIUS_M

Point = tuple[float, float]
_MARGIN_M: Final = 0.1
_STEP_M: Final = 0.5  # in which a map without walls grows
_EMPTY: Final = [0.0, 0.0, 1.0, 1.0]


@dataclass(frozen=True, slots=True)
class FloorPatch:
    """A filled polygon; `gray` is 0 for black and 1 for white, `name` is "" for none."""

    material: str
    points_m: tuple[Point, ...]
    gray: float = 0.5
    name: str = ""


@dataclass(frozen=True, slots=True)
class FloorPicture:
    """Walls as (x1, y1, x2, y2), patches from the lowest to the highest, the arena as (x_min, y_min, x_max, y_max)."""

    walls_m: tuple[tuple[float, float, float, float], ...] = ()
    patches: tuple[FloorPatch, ...] = ()
    arena_m: tuple[float, float, float, float] | None = None

    def joined(self, other: "FloorPicture") -> "FloorPicture":
        """Return both together: this one's arena, or the other's."""
        walls = tuple(dict.fromkeys((*self.walls_m, *other.walls_m)))
        return FloorPicture(walls, (*self.patches, *other.patches), self.arena_m or other.arena_m)

    def points_m(self) -> Iterator[Point]:
        """Yield all corners."""
        for x1_m, y1_m, x2_m, y2_m in self.walls_m + ((self.arena_m,) if self.arena_m else ()):
            yield from ((x1_m, y1_m), (x2_m, y2_m))
        for patch in self.patches:
            yield from patch.points_m


def floor_entries(floor: FloorPicture, places_m: Iterable[Point]) -> dict[str, Any]:
    """Return the entries of the section `map`; without walls, robots and stations at `places_m` say how large it is."""
    points = list(floor.points_m())
    if not floor.walls_m and floor.arena_m is None:
        points += [(side(x_m), side(y_m)) for x_m, y_m in places_m for side in (_below, _above)]
    return {
        "bounds": _bounds(points),
        "arena": None if floor.arena_m is None else list(floor.arena_m),
        "walls": [list(wall) for wall in floor.walls_m],
        "patches": [_patch(patch) for patch in floor.patches],
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


def _patch(patch: FloorPatch) -> dict[str, Any]:
    points = [[round(x_m, 4), round(y_m, 4)] for x_m, y_m in patch.points_m]
    return {"material": patch.material, "points": points, "gray": round(patch.gray, 3), "name": patch.name}
