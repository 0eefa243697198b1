"""Poses and Jacobians agree with those of Pinocchio, for an arm, a hand whose joints mimic, and random trees."""

import math

import numpy as np
import pytest

from bench.body.arm_loop import BODIES
from body.description.robot_tree import Floats, JointKind
from body.description.urdf_reader import read_urdf
from body.kinematics.chain import KinematicChain
from body.kinematics.layout import BodyLayout, master_share
from harness.body.random_tree import random_tree
from harness.body.urdf_text import joint, robot

pinocchio = pytest.importorskip("pinocchio", reason="Pinocchio is a peer of our kinematics: pip install pin")

MIMIC = '<mimic joint="{}" multiplier="{}" offset="{}"/>'
HAND = robot(
    joint("knuckle", "palm", "near"),
    joint("middle", "near", "mid", variables=[], inside=MIMIC.format("knuckle", 0.8, 0.1)),
    joint("tip", "mid", "far", variables=[], inside=MIMIC.format("middle", 0.5, 0.0)),
    joint("thumb", "palm", "nail"),
    links=("palm", "near", "mid", "far", "nail"),
)


def agree(text: str, rng: np.random.Generator, configurations: int) -> None:
    """Compare all links of a body, seen from its root."""
    layout = BodyLayout(read_urdf(text))
    model = pinocchio.buildModelFromXML(text)
    data = model.createData()
    chains = {link: KinematicChain(layout, layout.robot.root, link) for link in layout.robot.links}
    for _ in range(configurations):
        at = rng.uniform(-2, 2, len(layout.coordinates))
        everything, shares = _pinocchios(layout, model, at)
        pinocchio.framesForwardKinematics(model, data, everything)
        for link, chain in chains.items():
            frame = model.getFrameId(link)
            pose, jacobian = chain.pose_and_jacobian(at)
            theirs = pinocchio.computeFrameJacobian(
                model, data, everything, frame, pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
            )
            np.testing.assert_allclose(pose, data.oMf[frame].homogeneous, atol=1e-9)
            np.testing.assert_allclose(jacobian, (theirs.reshape(6, -1) @ shares)[:, list(chain.motions)], atol=1e-9)


def _pinocchios(layout: BodyLayout, model: "pinocchio.Model", at: Floats) -> tuple[Floats, Floats]:
    """Return the configuration of all its joints, and how much each moves with each of our motions."""
    everything, shares = pinocchio.neutral(model), np.zeros((model.nv, len(layout.motions)))
    for one in layout.robot.joints:
        if one.kind is JointKind.FIXED:
            continue
        index = model.getJointId(one.name)
        value = 0.0
        for motion_index, motion in enumerate(layout.motions):
            factor, offset = master_share(layout.robot, one, motion.joint)
            shares[model.idx_vs[index], motion_index] = factor
            value += factor * at[motion.coordinates[0]] + (offset if factor else 0.0)
        is_circle = one.kind is JointKind.CONTINUOUS  # which has a cosine and a sine there
        everything[model.idx_qs[index] : model.idx_qs[index] + 1 + is_circle] = (
            (math.cos(value), math.sin(value)) if is_circle else value
        )
    return everything, shares


def test_arm_agrees() -> None:
    agree((BODIES / "arm.urdf").read_text(encoding="utf-8"), np.random.default_rng(1), 300)


def test_hand_whose_joints_mimic_agrees() -> None:
    agree(HAND, np.random.default_rng(2), 300)


@pytest.mark.parametrize("seed", range(100))
def test_random_tree_agrees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    agree(random_tree(rng), rng, 10)
