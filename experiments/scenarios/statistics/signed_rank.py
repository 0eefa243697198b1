"""Wilcoxon's signed-rank test with scipy, an optional package: `pip install scipy`."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import PermutationMethod, wilcoxon

_MOST_EXACT = 50  # most pairs without ties for the exact test; above, the normal approximation is close
_MOST_TIED = 13  # most pairs with ties for which scipy tries all signs


def signed_rank_p(differences: NDArray[np.float64]) -> float:
    """Return the two-sided p value of paired differences; exact for few pairs, 1 if all differences are 0."""
    nonzero = differences[differences != 0.0]
    if not len(nonzero):
        return 1.0
    if len(np.unique(np.abs(nonzero))) < len(nonzero):
        method = PermutationMethod() if len(nonzero) <= _MOST_TIED else "asymptotic"
    else:
        method = "exact" if len(nonzero) <= _MOST_EXACT else "asymptotic"
    return float(wilcoxon(nonzero, method=method).pvalue)
