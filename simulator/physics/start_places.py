"""Checks start places: inside the arena, and clear of robots, objects and walls."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from simulator.outlines.manifold import placed
from simulator.outlines.rays import Obstacle
from simulator.physics.bodies import Bodies, BodyPiece, Pose
from simulator.physics.contacts import OVERLAP_M, gap_m
from simulator.physics.neighbours import Neighbours
from thymio_base.settings_file import Problem
from thymio_base.texts.yaml_text import KeyPath


@dataclass(frozen=True, slots=True)
class Placed:
    """A body, its place, and the configuration key that defines it."""

    key: KeyPath
    piece: BodyPiece
    pose: Pose


def outside(places: Sequence[Placed], width_m: float, height_m: float) -> Iterator[Problem]:
    """Yield the bodies that are not fully inside the arena."""
    for place in places:
        if not is_inside(place, width_m, height_m):
            yield place.key, f"({place.pose[0]:g}, {place.pose[1]:g}) is not inside the arena's walls"


def is_inside(place: Placed, width_m: float, height_m: float) -> bool:
    """Whether a body is fully inside the arena."""
    corners = placed(Obstacle(place.piece.outline), list(place.pose), 0)
    most_m = place.piece.outline.radius_m - OVERLAP_M  # beyond a corner, less the allowed overlap
    x_m, y_m = [corner.x_m for corner in corners], [corner.y_m for corner in corners]
    return min(*x_m, *y_m) >= most_m and max(x_m) <= width_m - most_m and max(y_m) <= height_m - most_m


def moved_inside(place: Placed, width_m: float, height_m: float) -> Pose:
    """Return the nearest pose fully inside the arena for a body that fits into it."""
    corners = placed(Obstacle(place.piece.outline), list(place.pose), 0)
    radius_m = place.piece.outline.radius_m
    x_m = _shift_m([corner.x_m for corner in corners], radius_m, width_m - radius_m)
    y_m = _shift_m([corner.y_m for corner in corners], radius_m, height_m - radius_m)
    return place.pose[0] + x_m, place.pose[1] + y_m, place.pose[2]


def _shift_m(corners_m: Sequence[float], least_m: float, most_m: float) -> float:
    """Return the shift that brings corners within limits."""
    return max(0.0, least_m - min(corners_m)) or min(0.0, most_m - max(corners_m))


def overlaps(robots: Sequence[Placed], others: Sequence[Placed]) -> Iterator[Problem]:
    """Yield the robots that overlap an earlier robot or another body."""
    for late, early in overlapping_pairs(robots, others):
        section, index = early.key[:2]
        yield late.key, f"{'stands in' if section == 'walls' else 'overlaps'} {section}[{index}]"


def overlapping_pairs(robots: Sequence[Placed], others: Sequence[Placed]) -> Iterator[tuple[Placed, Placed]]:
    """Yield each robot paired with the earlier robots and the other bodies that it overlaps."""
    places = [*robots, *others]
    if not robots:
        return
    bodies = Bodies([place.piece for place in places])
    places_m = [number for place in places for number in place.pose]
    pairs = Neighbours(bodies, len(robots), [True] * len(places), 0.0).pairs(places_m)
    for first, second in (pair for pair in pairs if gap_m(bodies, places_m, [pair]) < -OVERLAP_M):
        late, early = (second, first) if second < len(robots) else (first, second)
        yield places[late], places[early]
