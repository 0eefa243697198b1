"""Edges of routes that turn between them."""

import math


def turned(start_m: tuple[float, float], *turns_deg: float) -> list[tuple[float, float]]:
    """Return a start and the ends of edges of 0.3 m, each turned from the one before; the first one from the x axis."""
    (x_m, y_m), heading_rad = start_m, 0.0
    points_m = [(x_m, y_m)]
    for turn_deg in turns_deg:
        heading_rad += math.radians(turn_deg)
        x_m, y_m = x_m + 0.3 * math.cos(heading_rad), y_m + 0.3 * math.sin(heading_rad)
        points_m.append((x_m, y_m))
    return points_m
