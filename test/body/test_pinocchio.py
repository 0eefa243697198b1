"""Poses and Jacobians agree with those of Pinocchio, for an arm, a hand whose joints mimic, and random trees."""

import numpy as np
import pytest

from bench.body.arm_loop import BODIES
from bench.files.pinocchio_peer import largest_difference
from body.description.urdf_reader import read_urdf
from body.kinematics.layout import BodyLayout
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
    assert largest_difference(pinocchio, layout, text, rng, configurations) < 1e-9


def test_arm_agrees() -> None:
    agree((BODIES / "arm.urdf").read_text(encoding="utf-8"), np.random.default_rng(1), 300)


def test_hand_whose_joints_mimic_agrees() -> None:
    agree(HAND, np.random.default_rng(2), 300)


@pytest.mark.parametrize("seed", range(100))
def test_random_tree_agrees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    agree(random_tree(rng), rng, 10)
