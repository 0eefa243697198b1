"""The joints that feel a contact, and the Jacobian at its point."""

import numpy as np

from body.description.robot_tree import Floats
from body.kinematics.chain import KinematicChain
from body.kinematics.layout import BodyLayout


def torque_motions(layout: BodyLayout, chain: KinematicChain) -> list[int]:
    """Return the motions of a chain that have a torque command."""
    return [one for one in chain.motions if layout.motions[one].torque_command >= 0]


def at_point(pose: Floats, jacobian: Floats, point: Floats) -> Floats:
    """Return a link's Jacobian at a point fixed to the link, shape (6, motions).

    Parameters
    ----------
    pose
        pose of the link, shape (4, 4)
    jacobian
        Jacobian at the link's origin, shape (6, motions)
    point
        point in the link's frame, shape (3,) [m]
    """
    x, y, z = pose[:3, :3] @ point
    shifted = jacobian.copy()
    shifted[:3] += np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]]) @ jacobian[3:]  # angular velocity x arm
    return shifted
