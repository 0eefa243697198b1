"""Descriptive statistics with 95 % intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

CONFIDENCE: Final = 0.95
RESAMPLES: Final = 10_000
_BLOCK: Final = 1_000_000  # random numbers drawn at once
_DIGITS: Final = 6


@dataclass(frozen=True, slots=True)
class Description:
    """The descriptive statistics of a sample.

    Parameters
    ----------
    sd : sample standard deviation, with n - 1; None for a single value
    q1, q3 : quartiles, with linear interpolation, as for the median
    low, high : 95 % bootstrap interval of the mean
    """

    n: int
    mean: float
    sd: float | None
    median: float
    q1: float
    q3: float
    least: float
    largest: float
    low: float
    high: float


def describe(values: Sequence[float], seed: int) -> Description:
    """Return the description of a sample of at least one value; the seed is for the bootstrap."""
    sample = np.array(values, dtype=float)
    low, high = bootstrap_interval(sample, seed)
    q1, median, q3 = np.quantile(sample, (0.25, 0.5, 0.75)).tolist()
    return Description(
        n=len(sample),
        mean=_rounded(sample.mean()),
        sd=_rounded(sample.std(ddof=1)) if len(sample) > 1 else None,
        median=_rounded(median),
        q1=_rounded(q1),
        q3=_rounded(q3),
        least=_rounded(sample.min()),
        largest=_rounded(sample.max()),
        low=_rounded(low),
        high=_rounded(high),
    )


def bootstrap_interval(sample: Array, seed: int) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean.

    The percentile bootstrap (Efron and Tibshirani, An introduction to the bootstrap, 1993, 13.3) with 10 000 resamples;
    the same sample and seed give the same interval.
    """
    random = np.random.default_rng(seed)
    count = len(sample)
    rows = max(1, _BLOCK // count)
    means = [
        sample[random.integers(0, count, (min(rows, RESAMPLES - done), count))].mean(axis=1)
        for done in range(0, RESAMPLES, rows)
    ]
    tail = 0.5 * (1.0 - CONFIDENCE)
    low, high = np.quantile(np.concatenate(means), (tail, 1.0 - tail)).tolist()
    return low, high


def wilson_interval(successes: int, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a success rate (Wilson, J. Am. Stat. Assoc. 22, 1927); count is at least 1."""
    z2 = NormalDist().inv_cdf(0.5 * (1.0 + CONFIDENCE)) ** 2
    rate = successes / count
    middle = (rate + 0.5 * z2 / count) / (1.0 + z2 / count)
    half = math.sqrt(z2 * (rate * (1.0 - rate) / count + 0.25 * z2 / count**2)) / (1.0 + z2 / count)
    low = 0.0 if successes == 0 else middle - half
    high = 1.0 if successes == count else middle + half
    return _rounded(low), _rounded(high)


def _rounded(value: float) -> float:
    return round(float(value), _DIGITS)
