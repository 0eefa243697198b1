"""Wilcoxon's signed-rank test by scipy, an extra: `pip install scipy`."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import PermutationMethod, wilcoxon

_MOST_EXACT = 50  # pairs without ties; the normal approximation is close from there on
_MOST_TIED = 13  # pairs with ties, of which scipy tries all signs


def signed_rank_p(differences: NDArray[np.float64]) -> float:
    """Return the two-sided p value of paired differences; exact for few pairs without ties, 1 if all are 0."""
    nonzero = differences[differences != 0.0]
    if not len(nonzero):
        return 1.0
    if len(np.unique(np.abs(nonzero))) < len(nonzero):
        method = PermutationMethod() if len(nonzero) <= _MOST_TIED else "asymptotic"
    else:
        method = "exact" if len(nonzero) <= _MOST_EXACT else "asymptotic"
    return float(wilcoxon(nonzero, method=method).pvalue)
