"""Objects on the floor, as the simulator shows them."""

from dataclasses import dataclass
from enum import Enum

Point = tuple[float, float]


class Material(Enum):
    """The kind of thing that a patch shows."""

    FLOOR = "floor"  # a mark on the floor, of some gray
    OBJECT = "object"  # is on the floor, and can be pushed
    FIXTURE = "fixture"  # never moves
    CHARGER = "charger"  # charges the robots on it


@dataclass(frozen=True, slots=True)
class Patch:
    """A filled polygon; `gray` is 0 for black and 1 for white, `name` is "" for none."""

    material: Material
    points_m: tuple[Point, ...]
    gray: float = 0.5
    name: str = ""


@dataclass(frozen=True, slots=True)
class SceneFloor:
    """Everything except robots: walls as pairs of ends, patches from the lowest to the highest."""

    walls_m: tuple[tuple[Point, Point], ...] = ()
    patches: tuple[Patch, ...] = ()
