"""Finds the places and times of contacts in a run."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.scenarios.run.recorder import Recording
from simulator.outlines.outline import box_corners, thymio
from simulator.physics.objects import ObjectConfig, ObjectShape
from simulator.world.config import WorldConfig
from thymio_base.drawing.floor_drawing import placed

Array = NDArray[np.float64]

_SAME_M = 0.02  # contacts within this distance share a mark
_DISC_CORNERS = 32


@dataclass(frozen=True, slots=True)
class ContactMark:
    """A place where a robot touched a robot, an object or a wall, and the time of the first contact there."""

    time_s: float
    x_m: float
    y_m: float


def contact_marks(recording: Recording, world: WorldConfig) -> list[ContactMark]:
    """Return the marks of a run's contacts in order of time."""
    marks: list[ContactMark] = []
    for row in np.flatnonzero(np.any(np.diff(recording.contacts, axis=0) > 0, axis=1)).tolist():
        for mark in _marks_of_row(recording, world, row + 1):
            if all(math.dist((mark.x_m, mark.y_m), (other.x_m, other.y_m)) > _SAME_M for other in marks):
                marks.append(mark)
    return marks


def object_outline_m(config: ObjectConfig) -> list[tuple[float, float]]:
    """Return the corners of an object in its own frame; a cylinder is approximated by a polygon."""
    if config.shape is ObjectShape.BOX:
        return box_corners(config.length_m, config.width_m)
    angles = [math.tau * index / _DISC_CORNERS for index in range(_DISC_CORNERS)]
    return [(config.radius_m * math.cos(angle), config.radius_m * math.sin(angle)) for angle in angles]


def _marks_of_row(recording: Recording, world: WorldConfig, row: int) -> Iterator[ContactMark]:
    """Yield the contacts that began between the previous row and a row."""
    bodies = _bodies(recording.movers[row], world)
    for column, index in enumerate(recording.indices):
        if recording.contacts[row, column] > recording.contacts[row - 1, column]:
            others = [body for other, body in enumerate(bodies) if other != index]
            x_m, y_m = min((_closest(bodies[index], other) for other in others), key=lambda found: found[0])[1].tolist()
            yield ContactMark(float(recording.times_s[row]), x_m, y_m)


def _bodies(poses: Array, world: WorldConfig) -> list[Array]:
    outlines: list[Sequence[Sequence[float]]] = [thymio().vertices_m.tolist() for _ in world.robots]
    outlines += [object_outline_m(config) for config in world.objects]
    bodies = [np.array(placed(outline, pose)) for outline, pose in zip(outlines, poses.tolist(), strict=True)]
    return [*bodies, *(np.array(ends, dtype=float).reshape(2, 2) for ends in world.walls_m)]


def _closest(one: Array, other: Array) -> tuple[float, Array]:
    """Return the distance of two polygons that do not overlap, and the closest point on one of them."""
    return min((_closest_on_edges(one, other), _closest_on_edges(other, one)), key=lambda found: found[0])


def _closest_on_edges(corners: Array, polygon: Array) -> tuple[float, Array]:
    """Return the least distance of any corner from the edges of a polygon, and the point on the edge."""
    along = np.roll(polygon, -1, axis=0) - polygon
    offsets = corners[:, None] - polygon
    lengths_m2 = np.maximum((along**2).sum(axis=1), 1e-18)
    shares = np.clip((offsets * along).sum(axis=2) / lengths_m2, 0.0, 1.0)
    points = polygon + shares[..., None] * along
    distances_m = np.linalg.norm(corners[:, None] - points, axis=2)
    corner, edge = np.unravel_index(int(distances_m.argmin()), distances_m.shape)
    return float(distances_m[corner, edge]), points[corner, edge]
