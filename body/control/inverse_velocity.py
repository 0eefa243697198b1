"""Joint velocities for a link's velocity, by weighted damped least squares that avoid the joints' limits."""

import math
from typing import Final

import numpy as np

from body.description.robot_tree import Floats

FREE_RANGE: Final = 0.6  # share of half a joint's range about its middle in which limits are not avoided
SINGULAR: Final = 0.02  # singular value below which a direction is damped


def solve(
    jacobian: Floats, velocity: Floats, task_weights: Floats, joint_weights: Floats, pull: Floats | None = None
) -> Floats:
    """Return the joint velocities by weighted damped least squares, shape (motions,).

    qdot = Wq V S+ U' Wx v with the singular values s of Wx J Wq, and s / (s^2 + SINGULAR^2 - s^2) in S+ for those below
    SINGULAR: damping of each direction by its own value (numerical filtering, Maciejewski and Klein 1988), so that a
    stationary joint does not slow down the others. If no value is below it, this is the least-norm solution,
    found without singular values in a fraction of the time. The pull is added as Wq (1 - V V') pull: V spans all
    directions in which the joints move the link's weighted axes, damped ones too, so the pull never moves the link.

    Parameters
    ----------
    jacobian
        Jacobian of the link, shape (6, motions)
    velocity
        desired velocity of the link, shape (6,) [m/s, rad/s]
    task_weights
        weights of the axes, shape (6,); 0 leaves an axis free
    joint_weights
        weights of the joints, shape (motions,); 0 keeps a joint stationary
    pull
        secondary joint velocities, followed as far as they do not move the link, shape (motions,)
    """
    return _Task(jacobian, velocity, task_weights, pull).solution(joint_weights)


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

    The first solution shows the direction of each joint; joints that approach a limit get less weight in the second.
    A third one also reduces the weights of joints that turned towards a limit only in the second: with full weight,
    they would run into it.

    Parameters
    ----------
    jacobian, velocity, task_weights, joint_weights, pull
        as in `solve`
    positions
        positions of the joints, shape (motions,)
    limits
        lower and upper limits, each of shape (motions,); infinite for none
    """
    task = _Task(jacobian, velocity, task_weights, pull)
    places, ends = positions.tolist(), (limits[0].tolist(), limits[1].tolist())
    solution, weights = task.solution(joint_weights), joint_weights
    avoiding = [1.0] * len(places)
    for _ in range(2):
        lighter = list(map(min, avoiding, limit_weights(places, solution.tolist(), ends)))
        if lighter == avoiding:
            break
        avoiding, weights = lighter, joint_weights * np.array(lighter)
        solution = task.solution(weights)
    return solution, weights


def limit_weights(
    positions: list[float], velocities: list[float], limits: tuple[list[float], list[float]]
) -> list[float]:
    """Return the weight of each joint: 1 away from its limits, 0 at one that it approaches.

    With x, the distance from the middle of the range divided by half the range: 1 for |x| < FREE_RANGE and for
    joints that move towards the middle, otherwise falling linearly to 0 at |x| = 1.

    Parameters
    ----------
    positions, velocities
        positions and velocities of the joints
    limits
        lower and upper limits of the joints
    """
    weights: list[float] = []
    for joint, velocity in enumerate(velocities):
        lower, upper = limits[0][joint], limits[1][joint]
        weight = 1.0
        if upper > lower and math.isfinite(upper - lower):
            x = (positions[joint] - (lower + upper) / 2) / ((upper - lower) / 2)
            if x * velocity > 0:
                weight = min(max(1 - (abs(x) - FREE_RANGE) / (1 - FREE_RANGE), 0.0), 1.0)
        weights.append(weight)
    return weights


class _Task:
    """The weighted axes of a link: their rows of the weighted Jacobian, and their desired velocities."""

    def __init__(self, jacobian: Floats, velocity: Floats, task_weights: Floats, pull: Floats | None) -> None:
        is_wanted = task_weights > 0
        weights = task_weights[is_wanted]
        self._jacobian = weights[:, None] * jacobian[is_wanted]
        self._velocity = weights * velocity[is_wanted]
        self._pull = np.zeros(jacobian.shape[1]) if pull is None else pull

    def solution(self, joint_weights: Floats) -> Floats:
        """Return the joint velocities, shape (motions,).

        All singular values of A exceed SINGULAR if A A' - SINGULAR^2 I has a Cholesky factor.
        """
        matrix = self._jacobian * joint_weights
        gram = matrix @ matrix.T
        try:
            np.linalg.cholesky(gram - SINGULAR**2 * np.eye(len(gram)))
        except np.linalg.LinAlgError:
            return joint_weights * (self._pull + self._damped(matrix))
        found = matrix.T @ np.linalg.solve(gram, self._velocity - matrix @ self._pull)
        return joint_weights * (self._pull + found)

    def _damped(self, matrix: Floats) -> Floats:
        u, s, vt = np.linalg.svd(matrix, full_matrices=False)
        wanted = s / np.maximum(s, SINGULAR) ** 2 * (u.T @ self._velocity)
        found: Floats = vt.T @ (wanted - vt @ self._pull)
        return found
