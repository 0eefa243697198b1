"""Parametric curves: measured by arc length, and converted to pieces of a path.

The arc length is the integral of the speed over the parameter, by Gauss and Legendre's rule with 8 nodes on intervals
that are halved until they are flat; the parameter at an arc length is found by Newton's method. Both are exact to
about 1e-12 of the length for curves that are smooth between the parametrisation's breaks.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fleet.errors import PathError
from fleet.paths.curve import Curve, curve_through
from thymio_base.parts import Parts, finished

Array = NDArray[np.float64]

KNOTS_MAX = 10_000  # of one curve: 50 m, less where bends are sharp; more would delay the fleet
SHARPEST_PER_M = 200.0  # a curve with more curvature, a radius below 5 mm, has a corner or a cusp
_SPACING_M = 0.005
_BEND_RAD = 0.2  # between two knots
_FINE = 256  # intervals of the parameter in all, ...
_FEWEST = 8  # ... and between two breaks
_NEWTON_STEPS = 6
_EXACT_M = 1e-13
_AT_ONCE = 500  # knots that are found in a part of the work: some 5 ms
# on [-1, 1], as numpy.polynomial.legendre.leggauss(8) gives them; importing that takes a tenth of a second
_HALF_NODES = (0.1834346424956498, 0.525532409916329, 0.7966664774136267, 0.9602898564975362)
_HALF_WEIGHTS = (0.3626837833783618, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763)
_NODES: Array = np.array([*(-node for node in reversed(_HALF_NODES)), *_HALF_NODES])
_WEIGHTS: Array = np.array([*reversed(_HALF_WEIGHTS), *_HALF_WEIGHTS])


class Parametrisation(Protocol):
    """A curve as a function of a parameter u."""

    @property
    def breaks(self) -> Sequence[float]:
        """Increasing parameters from the curve's start to its end; the curve is smooth between them."""

    def derivatives(self, u: Array) -> tuple[Array, Array, Array]:
        """Return place [m], first and second derivative by u, each of shape (len(u), 2)."""


def parametric_curve(parametrisation: Parametrisation) -> Curve:
    """Return the curve as a piece of a path.

    Raises
    ------
    PathError
        The curve is stationary at a parameter, or has a corner or a cusp.
    """
    return finished(curve_in_parts(parametrisation))


def curve_in_parts(parametrisation: Parametrisation) -> Parts[Curve]:
    """Compute a curve as `parametric_curve` does; a long curve takes several parts."""
    knots = _refined(parametrisation.breaks)
    found: list[Array] = []
    for first in range(0, len(knots) - 1, _AT_ONCE):
        yield
        some = knots[first : first + _AT_ONCE + 1]
        found.append(_arc_lengths(parametrisation, some[:-1], some[1:]))
    lengths_m = np.concatenate(found)
    yield
    sharpest_per_m = _sharpest_per_m(parametrisation, knots, lengths_m)
    _check(float(lengths_m.sum()), sharpest_per_m)
    travelled_m = np.concatenate([[0.0], np.cumsum(lengths_m)])
    length_m = float(travelled_m[-1])
    spacing_m = min(_SPACING_M, _BEND_RAD / sharpest_per_m) if sharpest_per_m > 0.0 else _SPACING_M
    count = max(2, math.ceil(length_m / spacing_m))
    if count > KNOTS_MAX:
        raise PathError(
            f"a curve of {length_m:.3g} m needs {count} knots, {1e3 * spacing_m:.2g} mm apart, at most {KNOTS_MAX}; "
            "make it shorter, or its bends wider"
        )
    requested_m = np.linspace(0.0, length_m, count + 1)
    found = []
    for first in range(0, count + 1, _AT_ONCE):
        yield
        found.append(_parameters_at(parametrisation, knots, travelled_m, requested_m[first : first + _AT_ONCE]))
    u = np.concatenate(found)
    yield
    places_m, rates, _ = parametrisation.derivatives(u)
    headings_rad = np.arctan2(rates[:, 1], rates[:, 0])
    return (yield from curve_through(places_m, headings_rad, _curvatures(parametrisation, u), length_m))


def _check(length_m: float, sharpest_per_m: float) -> None:
    if not (length_m > 0.0 and math.isfinite(length_m)):
        raise PathError(f"a curve cannot be {length_m:g} m long")
    if not sharpest_per_m <= SHARPEST_PER_M:
        raise PathError(f"a curve with a corner or a cusp: somewhere its curvature is {sharpest_per_m:.4g} 1/m")


def _refined(breaks: Sequence[float]) -> Array:
    """Return the breaks with even intervals between them."""
    count = max(_FEWEST, math.ceil(_FINE / (len(breaks) - 1)))
    parts = [np.linspace(low, high, count, endpoint=False) for low, high in pairwise(breaks)]
    return np.concatenate([*parts, [breaks[-1]]])


def _curvatures(parametrisation: Parametrisation, u: Array) -> Array:
    """Return x' y'' - y' x'' over the cube of the speed."""
    _, first, second = parametrisation.derivatives(u)
    speed3 = np.hypot(first[:, 0], first[:, 1]) ** 3
    with np.errstate(divide="ignore", invalid="ignore"):
        curvatures: Array = (first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) / speed3
    return np.where(np.isnan(curvatures), math.inf, curvatures)


def _sharpest_per_m(parametrisation: Parametrisation, knots: Array, lengths_m: Array) -> float:
    """Return the largest curvature at the knots, half-way, and averaged between knots, where a cusp may hide."""
    at_places = _curvatures(parametrisation, np.concatenate([knots, 0.5 * (knots[1:] + knots[:-1])]))
    _, rates, _ = parametrisation.derivatives(knots)
    turns_rad = np.diff(np.unwrap(np.arctan2(rates[:, 1], rates[:, 0])))
    with np.errstate(divide="ignore", invalid="ignore"):
        on_average = turns_rad / lengths_m
    return float(np.abs(np.concatenate([at_places, on_average])).max())


def _speeds(parametrisation: Parametrisation, u: Array) -> Array:
    _, first, _ = parametrisation.derivatives(u)
    return np.hypot(first[:, 0], first[:, 1])


def _arc_lengths(parametrisation: Parametrisation, low: Array, high: Array) -> Array:
    """Return the arc length of each interval of the parameter."""
    half = 0.5 * (high - low)
    u = 0.5 * (high + low)[:, None] + half[:, None] * _NODES
    lengths: Array = half * (_speeds(parametrisation, u.ravel()).reshape(u.shape) @ _WEIGHTS)
    return lengths


def _parameters_at(parametrisation: Parametrisation, knots: Array, travelled_m: Array, requested_m: Array) -> Array:
    """Return the parameters at arc lengths, given the arc lengths at the knots."""
    index = np.clip(np.searchsorted(travelled_m, requested_m, side="right") - 1, 0, len(knots) - 2)
    low, high = knots[index], knots[index + 1]
    share = (requested_m - travelled_m[index]) / (travelled_m[index + 1] - travelled_m[index])
    u: Array = low + share * (high - low)
    for _ in range(_NEWTON_STEPS):
        missing_m = requested_m - travelled_m[index] - _arc_lengths(parametrisation, low, u)
        if np.abs(missing_m).max() < _EXACT_M:
            break
        u = np.clip(u + missing_m / _speeds(parametrisation, u), low, high)
    return u
