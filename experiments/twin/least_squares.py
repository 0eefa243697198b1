"""Gauss-Newton least squares for a few bounded numbers, with derivatives from finite differences."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_ROUNDS: Final = 15
_CLOSE: Final = 1e-3  # step, relative to the differences, below which the search ends


@dataclass(frozen=True, slots=True)
class Unknowns:
    """Numbers to find: start, differences for derivatives, prior standard deviations, and limits, shape (n,) each."""

    start: Array
    differences: Array
    priors: Array
    least: Array
    most: Array


@dataclass(frozen=True, slots=True)
class Solution:
    """Numbers (n,), normalized residuals (m,), their derivatives (m, n), and the covariance (n, n)."""

    numbers: Array
    residuals: Array
    slopes: Array
    inverse: Array

    @property
    def white_variances(self) -> Array:
        """Variances of the numbers for independent residuals."""
        freedom = max(len(self.residuals) - len(self.numbers), 1)
        variances: Array = float(self.residuals @ self.residuals) / freedom * np.diag(self.inverse)
        return variances

    def clustered_variances(self, sizes: list[int]) -> Array:
        """Return the sandwich estimate of the variances, for residuals that depend on each other within clusters."""
        edges = np.concatenate(([0], np.cumsum(sizes)))
        scores = np.array([self.slopes[a:b].T @ self.residuals[a:b] for a, b in pairwise(edges.tolist())])
        middle = scores.T @ scores * (len(sizes) / max(len(sizes) - 1, 1))
        variances: Array = np.diag(self.inverse @ middle @ self.inverse)
        return variances


def solved(residuals: Callable[[Array], Array], unknowns: Unknowns) -> Solution:
    """Return the numbers that minimize the sum of squares of normalized residuals."""
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
    values = residuals(numbers)
    slopes = np.empty((len(values), len(numbers)))
    for index, difference in enumerate(unknowns.differences):
        moved = numbers.copy()
        moved[index] += difference
        slopes[:, index] = (residuals(moved) - values) / difference
    return values, slopes
