"""Joint velocities for a velocity of a link: weighted damped least squares that spare joints near their limits."""

from typing import Final

import numpy as np

from body.description.robot_tree import Floats

FREE_RANGE: Final = 0.6  # of half a joint's range, from its middle; within it, limits are not avoided
SINGULAR: Final = 0.02  # directions with a smaller singular value are damped


def solve(
    jacobian: Floats, velocity: Floats, task_weights: Floats, joint_weights: Floats, pull: Floats | None = None
) -> Floats:
    """Return joint velocities of weighted damped least squares, shape (motions,).

    qdot = Wq V S+ U' Wx v with the singular values s of Wx J Wq, and s / (s^2 + SINGULAR^2 - s^2) in S+ for those below
    SINGULAR: damping of each direction by its own value (numerical filtering, Maciejewski and Klein 1988), so that a
    joint that stands does not slow down the others. The pull is added as Wq (1 - V V') pull: V has all directions in
    which the joints move the link's weighted axes, damped ones too, so that the pull never moves the link.

    Parameters
    ----------
    jacobian
        shape (6, motions)
    velocity
        of the link, shape (6,) [m/s, rad/s]
    task_weights
        of the axes, shape (6,); 0 leaves an axis free
    joint_weights
        shape (motions,); 0 lets a joint stand
    pull
        velocities that are wanted where the link does not care, shape (motions,)
    """
    rest = np.zeros(jacobian.shape[1]) if pull is None else pull
    used = task_weights > 0
    weighted = task_weights[used, None] * jacobian[used] * joint_weights
    u, s, vt = np.linalg.svd(weighted, full_matrices=False)
    if not s.size:
        return joint_weights * rest
    inverted = s / np.maximum(s, SINGULAR) ** 2
    wanted = inverted * (u.T @ (task_weights[used] * velocity[used]))
    result: Floats = joint_weights * (rest + vt.T @ (wanted - vt @ rest))
    return result


def solve_within_limits(
    jacobian: Floats,
    velocity: Floats,
    task_weights: Floats,
    joint_weights: Floats,
    *,
    positions: Floats,
    limits: tuple[Floats, Floats],
    pull: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Return joint velocities that avoid the joints' limits, and the weights of the last solution.

    The first solution shows where each joint goes; those that approach a limit get less weight in the second one.
    Where a joint turned towards its limit only then, a third solution has its weight, too: without it, a joint with
    full weight runs into the limit that it left in the first solution.

    Parameters
    ----------
    jacobian, velocity, task_weights, joint_weights, pull
        as in `solve`
    positions
        of the joints, shape (motions,)
    limits
        lower and upper ones, each of shape (motions,); infinite for none
    """
    solution = solve(jacobian, velocity, task_weights, joint_weights, pull)
    avoiding = np.ones(len(positions))
    for _ in range(2):
        approaching = limit_weights(positions, solution, limits)
        lighter = np.minimum(avoiding, approaching)
        if np.array_equal(lighter, avoiding):
            break
        avoiding = lighter
        solution = solve(jacobian, velocity, task_weights, joint_weights * avoiding, pull)
    return solution, joint_weights * avoiding


def limit_weights(positions: Floats, velocities: Floats, limits: tuple[Floats, Floats]) -> Floats:
    """Return the weight of each joint: 1 away from its limits, 0 at one that it approaches, shape (motions,).

    With x, the distance from the middle of the range over half the range: 1 for |x| < FREE_RANGE and for joints that
    move to the middle, else falling linearly to 0 at |x| = 1.

    Parameters
    ----------
    positions, velocities
        of the joints, shape (motions,)
    limits
        lower and upper ones, each of shape (motions,)
    """
    lower, upper = limits
    bounded = np.isfinite(lower) & np.isfinite(upper) & (upper > lower)
    low, high = np.where(bounded, lower, -1.0), np.where(bounded, upper, 1.0)
    middle, half = (low + high) / 2, (high - low) / 2
    x = np.where(bounded, (positions - middle) / half, 0.0)
    falling = np.clip(1 - (np.abs(x) - FREE_RANGE) / (1 - FREE_RANGE), 0.0, 1.0)
    return np.where(x * velocities > 0, falling, 1.0)
