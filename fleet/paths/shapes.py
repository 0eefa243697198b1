"""Named paths: those of Park 2024's experiments, and the curves that it left for future work.

All start at the origin of their own frame. Turns at ends of lines and at corners are to the left.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from fleet.errors import PathError
from fleet.geometry import Pose2D
from fleet.paths.parametric import curve_in_parts
from fleet.paths.path import Path
from fleet.paths.pieces import Arc
from fleet.paths.polyline import Point, polyline
from fleet.paths.shape_names import SHAPE_NAMES
from thymio_base.parts import Parts, finished

Array = NDArray[np.float64]

# from the launch file of apark2459/thymio-path-tracking, in metres from the start
STAR_M: tuple[Point, ...] = (
    (0.0, 0.0),
    (0.951, 0.619),
    (-0.182, 0.56),
    (-0.476, 1.655),
    (-0.77, 0.56),
    (-1.903, 0.619),
    (-0.952, 0.0),
    (-1.358, -1.059),
    (-0.476, -0.345),
    (0.406, -1.059),
)
STAR_WIDTH_M = 2.854


class Lemniscate:
    """Bernoulli's lemniscate x = a cos t / (1 + sin^2 t), y = a sin t cos t / (1 + sin^2 t), of width 2 a.

    Its length is 2.622057... times its width; its largest curvature, at both ends, is 6 / width. One round starts at
    the crossing.
    """

    def __init__(self, width_m: float) -> None:
        self._half_m = 0.5 * width_m

    @property
    def breaks(self) -> Sequence[float]:
        """One round, from the crossing through the crossing and back to it."""
        return -0.5 * math.pi, 0.5 * math.pi, 1.5 * math.pi

    def derivatives(self, u: Array) -> tuple[Array, Array, Array]:
        """Return place [m], first and second derivative by u, each of shape (len(u), 2)."""
        sine, cosine = np.sin(u), np.cos(u)
        below = 1.0 + sine**2
        place = np.stack([cosine, sine * cosine]) / below
        first = np.stack([-sine * (2.0 + cosine**2), 1.0 - 3.0 * sine**2]) / below**2
        second = cosine * np.stack([12.0 * sine**2 - sine**4 - 3.0, 2.0 * sine * (3.0 * sine**2 - 5.0)]) / below**3
        return self._half_m * place.T, self._half_m * first.T, self._half_m * second.T


def straight(length_m: float) -> Path:
    """Return the line ahead and back, with turns on the spot at both ends; it is closed."""
    return polyline(((0.0, 0.0), (length_m, 0.0)), is_closed=True)


def square(side_m: float) -> Path:
    """Return the square to the left, with turns on the spot; it is closed."""
    return polyline(((0.0, 0.0), (side_m, 0.0), (side_m, side_m), (0.0, side_m)), is_closed=True)


def star(width_m: float = STAR_WIDTH_M) -> Path:
    """Return the star of Park 2024, scaled to a width, with turns on the spot; it is closed."""
    scale = width_m / STAR_WIDTH_M
    return polyline([(scale * x_m, scale * y_m) for x_m, y_m in STAR_M], is_closed=True)


def circle(diameter_m: float) -> Path:
    """Return the circle to the left; it is closed."""
    return Path([Arc(Pose2D(0.0, 0.0, 0.0), math.pi * diameter_m, 2.0 / diameter_m)])


def eight(width_m: float) -> Path:
    """Return Bernoulli's lemniscate, first ahead and to the left; it is closed."""
    return finished(eight_in_parts(width_m))


def eight_in_parts(width_m: float) -> Parts[Path]:
    """Compute the path that `eight` returns; a large one takes several parts."""
    curve = yield from curve_in_parts(Lemniscate(width_m))
    return Path([curve]).moved(curve.start.inverse())


@dataclass(frozen=True, slots=True)
class Shape:
    """A named path: its builder, which may take several parts, and its default size."""

    build: Callable[[float], Parts[Path]]
    size_m: float


def _at_once(build: Callable[[float], Path]) -> Callable[[float], Parts[Path]]:
    """Return a builder with a single part."""

    def parts(size_m: float) -> Parts[Path]:
        yield from ()
        return build(size_m)

    return parts


_SHAPES = (
    Shape(_at_once(straight), 1.0),
    Shape(_at_once(square), 1.0),
    Shape(_at_once(star), STAR_WIDTH_M),
    Shape(_at_once(circle), 0.6),
    Shape(eight_in_parts, 1.0),
)
SHAPES: Mapping[str, Shape] = MappingProxyType(dict(zip(SHAPE_NAMES, _SHAPES, strict=True)))


def shape_path(name: str, size_m: float | None = None) -> Path:
    """Return the named path; `size_m` is its width, by default that of the experiments.

    Raises
    ------
    PathError
        There is no such path, or it cannot have that size.
    """
    return finished(shape_in_parts(name, size_m))


def shape_in_parts(name: str, size_m: float | None = None) -> Parts[Path]:
    """Compute the path that `shape_path` returns; a long curve takes several parts."""
    shape = SHAPES.get(name)
    if shape is None:
        raise PathError(f"there is no path {name!r}; there are {', '.join(SHAPES)}")
    size_m = shape.size_m if size_m is None else size_m
    if not (size_m > 0.0 and math.isfinite(size_m)):
        raise PathError(f"the path {name} cannot be {size_m:g} m wide")
    return (yield from shape.build(size_m))
