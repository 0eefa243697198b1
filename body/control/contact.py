"""Contact forces and joint torques: the torques that a wrench causes, and the wrench estimated from torques."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from body.description.robot_tree import Floats

PRIOR_N: Final = 1e3  # prior standard deviation of an unknown force, or of an unknown torque in Nm
UNFELT_N: Final = 100.0  # axes with a larger standard deviation are estimated as 0


@dataclass(frozen=True, slots=True)
class WrenchEstimate:
    """An estimated wrench.

    Parameters
    ----------
    wrench : force and torque in the axes of the Jacobian, shape (6,) [N, Nm]
    deviations : standard deviation of each, shape (6,)
    """

    wrench: Floats
    deviations: Floats


def torques_of(jacobian: Floats, wrench: Floats) -> Floats:
    """Return the joint torques that a wrench at the Jacobian's point causes: J' w, shape (motions,).

    Parameters
    ----------
    jacobian
        Jacobian at the point of contact, shape (6, motions)
    wrench
        force and torque at that point, shape (6,) [N, Nm]
    """
    result: Floats = jacobian.T @ wrench
    return result


def estimate_wrench(jacobian: Floats, torques: Floats, noise_nm: Floats, *, has_torque: bool) -> WrenchEstimate:
    """Return the wrench that best explains the joint torques.

    The Bayesian estimate with the prior deviation PRIOR_N: covariance P = (J R^-1 J' + 1 / PRIOR^2)^-1 and wrench
    P J R^-1 tau, with the torques' covariance R. Axes that the joints cannot feel keep the prior's deviation.

    Parameters
    ----------
    jacobian
        Jacobian at the point of contact, of the joints that feel it, shape (6, motions)
    torques
        external torques, shape (motions,) [Nm]
    noise_nm
        standard deviation of each torque, shape (motions,)
    has_torque
        whether the contact can transmit a torque; otherwise it is a pure force
    """
    rows = 6 if has_torque else 3
    used = jacobian[:rows]
    informed = used / noise_nm**2
    values, axes = np.linalg.eigh(informed @ used.T)
    variances = 1 / (np.maximum(values, 0.0) + PRIOR_N**-2)
    along = variances * (axes.T @ (informed @ torques))
    along[np.sqrt(variances) > UNFELT_N] = 0.0
    wrench, deviations = np.zeros(6), np.zeros(6)
    wrench[:rows] = axes @ along
    deviations[:rows] = np.sqrt((axes**2) @ variances)
    return WrenchEstimate(wrench, deviations)
