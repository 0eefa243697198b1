"""Outlines of bodies on the floor: convex polygons, discs and segments, as arrays of equal shape."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio.robot_outline import OUTLINE_M

Array = NDArray[np.float64]

CORNERS = len(OUTLINE_M)  # of every outline: outlines with fewer repeat their last


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """A convex polygon, expanded by `radius_m` on all sides.

    `vertices_m` is (13, 2), counter-clockwise; `normals` is (13, 2), the outward unit normals of the edges from each
    vertex to the next. A disc is a polygon of a single point with a radius.
    """

    vertices_m: Array
    normals: Array
    radius_m: float = 0.0

    @property
    def reach_m(self) -> float:
        """Distance from the origin to the furthest point of the outline."""
        return float(np.linalg.norm(self.vertices_m, axis=1).max()) + self.radius_m


def thymio() -> Outline:
    """Return the Thymio's outline; its origin is the centre of the axle, x is forward."""
    return polygon(np.array(OUTLINE_M))


def box(length_m: float, width_m: float) -> Outline:
    """Return the outline of a rectangle about its centre; its length is along x."""
    return polygon(np.array(box_corners(length_m, width_m)))


def box_corners(length_m: float, width_m: float) -> list[tuple[float, float]]:
    """Return the corners (x, y) of a rectangle about its centre [m], counter-clockwise; its length is along x."""
    ahead_m, left_m = 0.5 * length_m, 0.5 * width_m
    return [(-ahead_m, -left_m), (ahead_m, -left_m), (ahead_m, left_m), (-ahead_m, left_m)]


def disc(radius_m: float) -> Outline:
    """Return the outline of a disc about its centre."""
    return Outline(np.zeros((CORNERS, 2)), np.tile((1.0, 0.0), (CORNERS, 1)), radius_m)


def segment(length_m: float) -> Outline:
    """Return the outline of a wall without thickness; it lies along x, with its centre at the origin."""
    half_m = 0.5 * length_m
    vertices = np.array([[-half_m, 0.0], [half_m, 0.0], [half_m, 0.0], [-half_m, 0.0]])
    return _padded(vertices, np.array([[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]))


def polygon(vertices_m: Array) -> Outline:
    """Return the outline of a convex polygon with at most 13 corners, counter-clockwise."""
    along = np.roll(vertices_m, -1, axis=0) - vertices_m
    normals = np.stack((along[:, 1], -along[:, 0]), axis=1)
    return _padded(vertices_m, normals / np.linalg.norm(normals, axis=1)[:, None])


def _padded(vertices_m: Array, normals: Array) -> Outline:
    """Repeat the last vertex: edges between its copies have zero length and the normal of the preceding edge."""
    spare = CORNERS - len(vertices_m)
    vertices = np.vstack((vertices_m, np.repeat(vertices_m[-1:], spare, axis=0)))
    return Outline(vertices, np.vstack((normals[:-1], np.repeat(normals[-2:-1], spare, axis=0), normals[-1:])))
