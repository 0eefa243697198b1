"""Walls: segments without thickness, and the border around the arena."""

import math

from simulator.outlines.outline import segment
from simulator.physics.bodies import BodyPiece, Pose

Ends = tuple[float, float, float, float]  # x1, y1, x2, y2 in metres


def wall(ends_m: Ends) -> tuple[BodyPiece, Pose]:
    """Return a wall as a body, and its pose."""
    x1, y1, x2, y2 = ends_m
    span = 0.5 * (x2 - x1), 0.5 * (y2 - y1)
    pose = 0.5 * (x1 + x2), 0.5 * (y1 + y2), math.atan2(span[1], span[0])
    return BodyPiece(segment(2.0 * math.hypot(*span)), span_m=span), pose


def border(width_m: float, height_m: float) -> list[Ends]:
    """Return the walls around the arena: below, on the right, above, on the left."""
    return [
        (0.0, 0.0, width_m, 0.0),
        (width_m, 0.0, width_m, height_m),
        (width_m, height_m, 0.0, height_m),
        (0.0, height_m, 0.0, 0.0),
    ]
