"""Nonlinear least squares of a few numbers within limits, by Gauss and Newton, with derivatives by differences."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_ROUNDS: Final = 15
_CLOSE: Final = 1e-3  # of a difference; smaller steps end the search


@dataclass(frozen=True, slots=True)
class Unknowns:
    """Numbers to find: where to start, differences for derivatives, prior deviations, limits; each (n,)."""

    start: Array
    differences: Array
    priors: Array
    least: Array
    most: Array


@dataclass(frozen=True, slots=True)
class Solution:
    """The numbers (n,), the residuals there (m,) in their deviations, their derivatives (m, n), and the covariance."""

    numbers: Array
    residuals: Array
    slopes: Array
    inverse: Array

    @property
    def white_variances(self) -> Array:
        """Variances of the numbers if residuals are independent."""
        freedom = max(len(self.residuals) - len(self.numbers), 1)
        variances: Array = float(self.residuals @ self.residuals) / freedom * np.diag(self.inverse)
        return variances

    def clustered_variances(self, sizes: list[int]) -> Array:
        """Return variances if residuals depend on each other within clusters of these sizes: the sandwich estimator."""
        edges = np.concatenate(([0], np.cumsum(sizes)))
        scores = np.array([self.slopes[a:b].T @ self.residuals[a:b] for a, b in pairwise(edges.tolist())])
        middle = scores.T @ scores * (len(sizes) / max(len(sizes) - 1, 1))
        variances: Array = np.diag(self.inverse @ middle @ self.inverse)
        return variances


def solved(residuals: Callable[[Array], Array], unknowns: Unknowns) -> Solution:
    """Return the numbers with the least squares of residuals, which count in units of their deviation."""
    weights = np.diag(unknowns.priors**-2.0)
    numbers = unknowns.start.copy()
    for _ in range(_ROUNDS):
        values, slopes = _linear(residuals, numbers, unknowns)
        pull = unknowns.priors**-2.0 * (numbers - unknowns.start)
        step = np.linalg.solve(slopes.T @ slopes + weights, slopes.T @ values + pull)
        after = np.clip(numbers - step, unknowns.least, unknowns.most)
        is_done = bool(np.all(abs(after - numbers) < _CLOSE * unknowns.differences))
        numbers = after
        if is_done:
            break
    values, slopes = _linear(residuals, numbers, unknowns)
    return Solution(numbers, values, slopes, np.linalg.inv(slopes.T @ slopes + weights))


def _linear(residuals: Callable[[Array], Array], numbers: Array, unknowns: Unknowns) -> tuple[Array, Array]:
    """Return the residuals, and their derivatives."""
    values = residuals(numbers)
    slopes = np.empty((len(values), len(numbers)))
    for index, difference in enumerate(unknowns.differences):
        moved = numbers.copy()
        moved[index] += difference
        slopes[:, index] = (residuals(moved) - values) / difference
    return values, slopes
