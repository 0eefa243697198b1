"""Smooth curves through points: cubic splines by chord length, twice continuously differentiable.

Between two points each coordinate is a cubic polynomial of a parameter that grows by the distance between the points
(de Boor, A Practical Guide to Splines, 1978, chapter IV). At the ends of an open curve the second derivative is 0
(natural spline); a closed curve continues as it started (periodic spline). Curvature is continuous, its slope is not.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fleet.errors import PathError
from fleet.paths.curve import Curve
from fleet.paths.parametric import curve_in_parts
from fleet.paths.polyline import NEAREST_M, Point
from thymio_base.parts import Parts, finished

Array = NDArray[np.float64]


class CubicSpline:
    """A cubic spline.

    Parameters
    ----------
    points_m : shape (n, 2), n >= 2; a closed spline starts and ends with the same point, and n >= 4
    parameters : increasing, shape (n,)
    """

    def __init__(self, points_m: Array, parameters: Array, is_closed: bool) -> None:
        self._points_m = points_m
        self._parameters = parameters
        steps = np.diff(parameters)
        self._seconds = (_periodic if is_closed else _natural)(steps, np.diff(points_m, axis=0) / steps[:, None])

    @property
    def breaks(self) -> Sequence[float]:
        """Parameters of the points."""
        breaks: list[float] = self._parameters.tolist()
        return breaks

    def derivatives(self, u: Array) -> tuple[Array, Array, Array]:
        """Return place [m], first and second derivative by u, each of shape (len(u), 2)."""
        index = np.clip(np.searchsorted(self._parameters, u, side="right") - 1, 0, len(self._parameters) - 2)
        step = (self._parameters[index + 1] - self._parameters[index])[:, None]
        past = (u - self._parameters[index])[:, None]
        left = step - past
        low, high = self._seconds[index], self._seconds[index + 1]
        from_m = self._points_m[index] / step - low * step / 6.0
        to_m = self._points_m[index + 1] / step - high * step / 6.0
        return (
            (low * left**3 + high * past**3) / (6.0 * step) + from_m * left + to_m * past,
            (high * past**2 - low * left**2) / (2.0 * step) - from_m + to_m,
            (low * left + high * past) / step,
        )


def spline_through(points_m: Sequence[Point], is_closed: bool) -> Curve:
    """Return the spline through points in order; a closed one returns to the first point, which is given once.

    Raises
    ------
    PathError
        There are too few points, two consecutive points coincide, or the spline has a cusp.
    """
    return finished(spline_in_parts(points_m, is_closed))


def spline_in_parts(points_m: Sequence[Point], is_closed: bool) -> Parts[Curve]:
    """Compute a spline as `spline_through` does; a long one takes several parts."""
    fewest = 3 if is_closed else 2
    if len(points_m) < fewest:
        raise PathError(f"a {'closed' if is_closed else 'open'} spline needs {fewest} points, not {len(points_m)}")
    points = np.array([*points_m, points_m[0]] if is_closed else points_m, dtype=np.float64)
    chords_m = np.hypot(*np.diff(points, axis=0).T)
    for index, chord_m in enumerate(chords_m):
        if not chord_m >= NEAREST_M:
            raise PathError(f"points {index} and {(index + 1) % len(points_m)} are {chord_m:.3g} m apart")
    spline = CubicSpline(points, np.concatenate([[0.0], np.cumsum(chords_m)]), is_closed)
    yield
    return (yield from curve_in_parts(spline))


def sampled_curve(
    function: Callable[[float], Point], from_u: float, to_u: float, samples: int = 400, is_closed: bool = False
) -> Curve:
    """Return the curve of a parametric function, as the spline through `samples` of its points.

    The spline is off by about (5 / 384) h^4 times the function's fourth derivative, where h is the parameter's step; a
    closed curve ends at `to_u` where it started, and the function is not evaluated there.
    """
    places_u = np.linspace(from_u, to_u, samples, endpoint=not is_closed)
    return spline_through([function(float(u)) for u in places_u], is_closed)


def _natural(steps: Array, slopes: Array) -> Array:
    """Return the second derivatives at the points of an open spline, by Thomas's algorithm, shape (n, 2)."""
    seconds = np.zeros((len(steps) + 1, 2))
    if len(steps) < 2:
        return seconds
    seconds[1:-1] = _solved(steps[1:-1], 2.0 * (steps[:-1] + steps[1:]), 6.0 * np.diff(slopes, axis=0))
    return seconds


def _periodic(steps: Array, slopes: Array) -> Array:
    """Return the second derivatives at the points of a closed spline, shape (n, 2); the last repeats the first.

    The matrix is tridiagonal except for two corners, which form a matrix of rank 1 (Sherman-Morrison formula).
    """
    before, corner = np.roll(steps, 1), float(steps[-1])
    diagonal = 2.0 * (before + steps)
    right = 6.0 * (slopes - np.roll(slopes, 1, axis=0))
    change = np.zeros(len(steps))
    change[0], change[-1] = -diagonal[0], corner
    weights = np.zeros(len(steps))
    weights[0], weights[-1] = 1.0, -corner / diagonal[0]
    diagonal[-1] += corner**2 / diagonal[0]
    diagonal[0] *= 2.0
    both = _solved(steps[:-1], diagonal, np.column_stack([right, change]))
    plain, correction = both[:, :2], both[:, 2]
    seconds = plain - np.outer(correction, weights @ plain) / (1.0 + weights @ correction)
    return np.concatenate([seconds, seconds[:1]])


def _solved(beside: Array, diagonal: Array, right: Array) -> Array:
    """Return the solution of a symmetric tridiagonal system; `beside` is above and below the diagonal."""
    off, pivots = beside.tolist(), diagonal.tolist()  # reading single numbers from lists is ten times as fast
    shares: list[float] = []
    for row in range(1, len(pivots)):
        shares.append(off[row - 1] / pivots[row - 1])
        pivots[row] -= shares[-1] * off[row - 1]
    return np.column_stack([_substituted(column.tolist(), off, pivots, shares) for column in right.T])


def _substituted(values: list[float], off: list[float], pivots: list[float], shares: list[float]) -> list[float]:
    """Return the solution for one right side, given the pivots of the elimination."""
    for row, share in enumerate(shares):
        values[row + 1] -= share * values[row]
    values[-1] /= pivots[-1]
    for row in reversed(range(len(values) - 1)):
        values[row] = (values[row] - off[row] * values[row + 1]) / pivots[row]
    return values
