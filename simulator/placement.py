"""Where robots may start: inside of the arena, and clear of each other, of objects and of walls."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from aseba_link.settings import KeyPath, Problem
from simulator.bodies import Bodies, Piece, Pose
from simulator.contacts import OVERLAP_M, gap_m
from simulator.neighbours import Neighbours


@dataclass(frozen=True, slots=True)
class Placed:
    """A body, where it is, and which key says so."""

    key: KeyPath
    piece: Piece
    pose: Pose


def outside(places: Sequence[Placed], width_m: float, height_m: float) -> Iterator[Problem]:
    """Yield what stands in the arena's walls, or beyond them."""
    for place in places:
        vertices, _ = Bodies([place.piece]).placed(np.array([0]), np.array([place.pose]))
        radius_m = place.piece.outline.radius_m
        low, high = vertices[0].min(axis=0) - radius_m, vertices[0].max(axis=0) + radius_m
        if (low < -OVERLAP_M).any() or (high > np.array([width_m, height_m]) + OVERLAP_M).any():
            yield place.key, f"({place.pose[0]}, {place.pose[1]}) is not inside of the arena's walls"


def overlaps(robots: Sequence[Placed], others: Sequence[Placed]) -> Iterator[Problem]:
    """Yield the robots that overlap an earlier robot, or something else."""
    places = [*robots, *others]
    if not robots:
        return
    bodies = Bodies([place.piece for place in places])
    places_m = [number for place in places for number in place.pose]
    pairs = Neighbours(bodies, len(robots), [True] * len(places), 0.0).pairs(places_m)
    for first, second in (pair for pair in pairs if gap_m(bodies, places_m, [pair]) < -OVERLAP_M):
        late, early = (second, first) if second < len(robots) else (first, second)
        section, index = places[early].key[:2]
        yield places[late].key, f"{'stands in' if section == 'walls' else 'overlaps'} {section}[{index}]"
