"""The pushes that undo overlaps: the linear complementarity problem of contacts."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SOFTNESS = 1e-9  # relative; makes pushes unique where several contact points could share a push
_BLOCK_ROUNDS = 8
_SINGLE_ROUNDS = 200
_TOLERANCE_M = 1e-9


def pushes(response: Array, gaps_m: Array) -> Array:
    """Return the smallest pushes that leave no gap negative; (c,).

    Pushes and the gaps `response @ pushes + gaps_m` are never negative, and only gaps of 0 have a push.

    Parameters
    ----------
    response
        (c, c), how much each push opens each gap; symmetric, positive semidefinite
    gaps_m
        (c,), the gaps without pushes

    Notes
    -----
    Block pivoting guesses which contacts push, and swaps all wrong guesses at once. If that cycles, Murty's rule swaps
    only the last wrong guess; this terminates for every positive definite matrix.
    """
    soft = response.copy()
    soft.flat[:: len(soft) + 1] += _SOFTNESS * np.diag(response) + 1e-15
    active = gaps_m < -_TOLERANCE_M
    push = np.zeros_like(gaps_m)
    for number in range(_BLOCK_ROUNDS + _SINGLE_ROUNDS):
        push = np.zeros_like(gaps_m)
        if active.any():
            push[active] = np.linalg.solve(soft[np.ix_(active, active)], -gaps_m[active])
        wrong = np.where(active, push < 0.0, soft @ push + gaps_m < -_TOLERANCE_M)
        if not wrong.any():
            break
        if number >= _BLOCK_ROUNDS:
            wrong[: int(np.flatnonzero(wrong)[-1])] = False
        active = active ^ wrong
    return np.maximum(push, 0.0)
