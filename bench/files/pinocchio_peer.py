"""Compares poses and Jacobians of a body with Pinocchio's."""

import math
from typing import Any

import numpy as np

from body.description.robot_tree import Floats, JointKind
from body.kinematics.chain import KinematicChain
from body.kinematics.layout import BodyLayout, master_share

Peer = Any  # the module of Pinocchio, or one of its models


def largest_difference(
    peer: Peer, layout: BodyLayout, text: str, rng: np.random.Generator, configurations: int
) -> float:
    """Return the largest difference of a pose or a Jacobian of any link, seen from the root [m, rad, and per joint].

    Parameters
    ----------
    peer
        the module of Pinocchio
    layout
        the body's layout
    text
        its URDF
    rng
        draws the positions of the joints
    configurations
        number of random configurations
    """
    model = peer.buildModelFromXML(text)
    data = model.createData()
    chains = {link: KinematicChain(layout, layout.robot.root, link) for link in layout.robot.links}
    largest = 0.0
    for _ in range(configurations):
        at = rng.uniform(-2, 2, len(layout.coordinates))
        everything, shares = _in_its_numbers(peer, layout, model, at)
        peer.framesForwardKinematics(model, data, everything)
        for link, chain in chains.items():
            frame = model.getFrameId(link)
            pose, jacobian = chain.pose_and_jacobian(at)
            theirs = peer.computeFrameJacobian(model, data, everything, frame, peer.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            own = (theirs.reshape(6, -1) @ shares)[:, list(chain.motions)]
            for ours, other in ((pose, data.oMf[frame].homogeneous), (jacobian, own)):
                largest = max(largest, float(np.abs(ours - other).max(initial=0.0)))
    return largest


def _in_its_numbers(peer: Peer, layout: BodyLayout, model: Peer, at: Floats) -> tuple[Floats, Floats]:
    """Return Pinocchio's configuration, and the derivatives of its joints by our motions."""
    everything, shares = peer.neutral(model), np.zeros((model.nv, len(layout.motions)))
    for one in layout.robot.joints:
        if one.kind in (JointKind.FIXED, JointKind.FLOATING, JointKind.PLANAR):
            continue
        index = model.getJointId(one.name)
        value = 0.0
        for motion_index, motion in enumerate(layout.motions):
            factor, offset = master_share(layout.robot, one, motion.joint)
            shares[model.idx_vs[index], motion_index] = factor
            value += factor * at[motion.coordinates[0]] + (offset if factor else 0.0)
        is_circle = one.kind is JointKind.CONTINUOUS  # which Pinocchio represents by cosine and sine
        everything[model.idx_qs[index] : model.idx_qs[index] + 1 + is_circle] = (
            (math.cos(value), math.sin(value)) if is_circle else value
        )
    return everything, shares
