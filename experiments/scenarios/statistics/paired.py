"""Paired comparisons of two samples: differences with confidence intervals, effect sizes, and p values."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import cast

import numpy as np
from numpy.typing import NDArray

from experiments.scenarios.statistics.sample_description import bootstrap_interval

Array = NDArray[np.float64]
SignedRank = Callable[[Array], float]


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The paired difference of two samples: the second minus the first.

    Parameters
    ----------
    low, high : 95 % bootstrap interval of the mean difference
    effect : matched-pairs rank-biserial correlation, from -1 (all lower) to 1 (all higher)
    d : mean difference over the standard deviation of differences (Cohen's d); None if the latter is 0
    p : two-sided p value of Wilcoxon's signed-rank test; None without scipy
    """

    n: int
    mean: float
    low: float
    high: float
    effect: float
    d: float | None
    p: float | None


def scipy_signed_rank() -> SignedRank | None:
    """Return Wilcoxon's signed-rank test; None without scipy."""
    try:
        return cast(SignedRank, resolve_name("experiments.scenarios.statistics.signed_rank:signed_rank_p"))
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "scipy":
            raise
        return None


def paired_difference(
    first: Sequence[float], second: Sequence[float], seed: int, signed_rank: SignedRank | None
) -> PairedDifference:
    """Return the difference of two samples, paired by index; there must be at least one pair."""
    differences = np.round(np.array(second, dtype=float) - np.array(first, dtype=float), 9)
    sd = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    low, high = bootstrap_interval(differences, seed)
    mean = float(differences.mean())
    return PairedDifference(
        n=len(differences),
        mean=round(mean, 6),
        low=round(low, 6),
        high=round(high, 6),
        effect=round(rank_biserial(differences), 6),
        d=round(mean / sd, 6) if sd > 0.0 else None,
        p=None if signed_rank is None else four_digits(signed_rank(differences)),
    )


def rank_biserial(differences: Array) -> float:
    """Return the matched-pairs rank-biserial correlation (Kerby, Comprehensive Psychology 3, 2014); 0 if all are 0."""
    nonzero = differences[differences != 0.0]
    if not len(nonzero):
        return 0.0
    ranks = _ranks(np.abs(nonzero))
    return float((ranks * np.sign(nonzero)).sum() / ranks.sum())


def mcnemar_p(only_first: int, only_second: int) -> float:
    """Return the two-sided p value of McNemar's exact test, from the numbers of pairs with one success."""
    count, least = only_first + only_second, min(only_first, only_second)
    tail = sum(math.comb(count, k) for k in range(least + 1))
    return four_digits(min(1.0, 2.0 * tail / 2**count))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p values corrected for multiple comparisons (Holm, Scandinavian Journal of Statistics 6, 1979)."""
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = four_digits(largest)
    return corrected


def four_digits(value: float) -> float:
    """Round a number to four significant digits."""
    return round(value, 3 - math.floor(math.log10(abs(value)))) if value else 0.0


def _ranks(values: Array) -> Array:
    """Return the ranks of values, starting at 1; equal values share their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means: Array = (ends - 0.5 * (counts - 1))[inverse]
    return means
