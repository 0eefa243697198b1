"""Intersections of rays with outlines, in plain numbers.

Each ray of a sensor is tested against the bodies one by one; few bodies are near, so most tests end with the first
comparisons.
"""

import math
from typing import Final

from simulator.outlines.outline import Outline

_ROUNDING_M: Final = 1e-9  # walls have no thickness
_PARALLEL: Final = 1e-12
_NOWHERE_M: Final = math.inf


class Corner:
    """A corner of a polygon and the normal of the edge after it; inside the polygon normal . point < offset."""

    def __init__(self, x_m: float, y_m: float, normal_x: float, normal_y: float) -> None:
        self.x_m = x_m
        self.y_m = y_m
        self.normal_x = normal_x
        self.normal_y = normal_y
        self.offset_m = x_m * normal_x + y_m * normal_y


class Obstacle:
    """A body in its own frame: a disc or a polygon.

    `corners` are counter-clockwise; a disc has a single corner, its centre, and a radius.

    Parameters
    ----------
    outline : shape of the body
    gray : reflectance in infrared, from 0 (black) to 1 (white)
    is_visible : whether it is high enough for rays to hit it
    """

    def __init__(self, outline: Outline, gray: float = 1.0, is_visible: bool = True) -> None:
        self.gray = gray
        self.is_visible = is_visible
        self.reach_m: float = outline.reach_m  # distance of the furthest point from the origin
        self.radius_m: float = outline.radius_m
        self.corners = _corners(outline)

    def distance_m(self, x_m: float, y_m: float, along_x: float, along_y: float, within_m: float) -> float:
        """Return the distance along a ray: 0 from inside, infinite if the ray misses the body or is too short.

        Parameters
        ----------
        x_m, y_m
            origin of the ray, in this body's frame
        along_x, along_y
            direction of the ray, a unit vector
        within_m
            length of the ray
        """
        aside_m = x_m * along_y - y_m * along_x
        ahead_m = -(x_m * along_x + y_m * along_y)
        extent_m = self.reach_m + _ROUNDING_M
        if abs(aside_m) > extent_m or ahead_m < -extent_m or ahead_m > within_m + extent_m:
            return _NOWHERE_M
        if self.radius_m > 0.0:
            return self._to_disc(ahead_m, aside_m, within_m)
        return self._to_polygon(x_m, y_m, along_x, along_y, within_m)

    def _to_disc(self, ahead_m: float, aside_m: float, within_m: float) -> float:
        """Solve the quadratic equation of ray and circle."""
        half_chord_m2 = self.radius_m * self.radius_m - aside_m * aside_m
        if half_chord_m2 <= 0.0:
            return _NOWHERE_M
        half_chord_m = math.sqrt(half_chord_m2)
        if ahead_m + half_chord_m < 0.0 or ahead_m - half_chord_m > within_m:
            return _NOWHERE_M
        return max(ahead_m - half_chord_m, 0.0)

    def _to_polygon(self, x_m: float, y_m: float, along_x: float, along_y: float, within_m: float) -> float:
        """Clip the ray by the half-planes: it is inside between the last entry and the first exit."""
        enter_m, leave_m = 0.0, within_m + _ROUNDING_M
        for corner in self.corners:
            depth_m = corner.offset_m - (x_m * corner.normal_x + y_m * corner.normal_y)
            along = along_x * corner.normal_x + along_y * corner.normal_y
            if abs(along) < _PARALLEL:
                if depth_m < 0.0:
                    return _NOWHERE_M
            elif along < 0.0:
                enter_m = max(enter_m, depth_m / along)
            else:
                leave_m = min(leave_m, depth_m / along + _ROUNDING_M)
            if enter_m > leave_m:
                return _NOWHERE_M
        return enter_m


class View:
    """An obstacle in the frame of an observer.

    Parameters
    ----------
    obstacle : the observed body
    x_m, y_m, heading_rad : its pose in that frame
    """

    def __init__(self, obstacle: Obstacle, x_m: float, y_m: float, heading_rad: float) -> None:
        self._obstacle = obstacle
        self._x_m = x_m
        self._y_m = y_m
        self._cosine = math.cos(heading_rad)
        self._sine = math.sin(heading_rad)

    def distance_m(self, x_m: float, y_m: float, along_x: float, along_y: float, within_m: float) -> float:
        """Return `Obstacle.distance_m` for a ray in the observer's frame."""
        cosine, sine = self._cosine, self._sine
        from_x, from_y = x_m - self._x_m, y_m - self._y_m
        return self._obstacle.distance_m(
            cosine * from_x + sine * from_y,
            cosine * from_y - sine * from_x,
            cosine * along_x + sine * along_y,
            cosine * along_y - sine * along_x,
            within_m,
        )


def _corners(outline: Outline) -> list[Corner]:
    """Return the corners of an outline, without the copies that pad it."""
    corners: list[Corner] = []
    for (x_m, y_m), (normal_x, normal_y) in zip(outline.vertices_m.tolist(), outline.normals.tolist(), strict=True):
        if not corners or (corners[-1].normal_x, corners[-1].normal_y) != (normal_x, normal_y):
            corners.append(Corner(x_m, y_m, normal_x, normal_y))
    return corners
