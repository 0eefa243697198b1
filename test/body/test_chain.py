"""Poses and Jacobians of chains agree with differences, with closed forms, and with Pinocchio."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from body.description.robot_tree import Floats
from body.description.rotation import (
    quaternion_from_rotation,
    rotation_from_quaternion,
    rotation_from_rpy,
    rotation_vector,
)
from body.description.urdf_reader import read_urdf
from body.errors import ReacherError
from body.kinematics.chain import KinematicChain
from body.kinematics.layout import BodyLayout
from harness.body.random_tree import random_tree
from harness.body.urdf_text import joint, robot, variable

STEP = 1e-6
angles = st.floats(-math.pi, math.pi)


def layout(text: str) -> BodyLayout:
    return BodyLayout(read_urdf(text))


def by_differences(chain: KinematicChain, at: Floats, motions: Floats) -> Floats:
    """Return the Jacobian from differences; column k of `motions` is how motion k changes the coordinates."""
    columns = []
    for direction in motions.T:
        before, after = chain.pose(at - STEP * direction), chain.pose(at + STEP * direction)
        turn = rotation_vector(after[:3, :3] @ before[:3, :3].T)
        columns.append(np.concatenate([after[:3, 3] - before[:3, 3], turn]) / (2 * STEP))
    return np.array(columns).T


@given(st.integers(0, 10_000))
def test_jacobian_is_the_derivative_of_the_pose_in_any_tree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    made = layout(random_tree(rng))
    base, end = rng.choice(made.robot.links, 2)
    chain = KinematicChain(made, str(base), str(end))
    at = rng.uniform(-1.5, 1.5, len(made.coordinates))
    every = np.eye(len(made.coordinates))[:, [made.motions[one].coordinates[0] for one in chain.motions]]
    pose, jacobian = chain.pose_and_jacobian(at)
    np.testing.assert_allclose(pose, chain.pose(at), atol=1e-12)
    np.testing.assert_allclose(jacobian, by_differences(chain, at, every).reshape(6, -1), atol=1e-6)


@given(st.floats(-3, 3), st.floats(-3, 3), angles)
def test_drive_moves_a_point_ahead_of_its_axle_forward_and_sideways(x: float, y: float, heading: float) -> None:
    states = [variable(name, "state", index=index) for index, name in enumerate(("x", "y", "yaw"))]
    commands = [variable(name, "cmd", index=index) for index, name in enumerate(("v_ref", "w_ref"))]
    text = robot(
        joint("base", "map", "robot", kind="planar", variables=[*states, *commands], limit="").replace(
            '<origin xyz="1 0 0"/>', ""
        ),
        joint("nose", "robot", "tip", kind="fixed", variables=[], limit=""),
        links=("map", "robot", "tip"),
    )
    pose, jacobian = KinematicChain(layout(text), "map", "tip").pose_and_jacobian(np.array([x, y, heading]))
    c, s = math.cos(heading), math.sin(heading)
    np.testing.assert_allclose(pose[:2, 3], (x + c, y + s), atol=1e-12)
    np.testing.assert_allclose(jacobian[:, 0], (c, s, 0, 0, 0, 0), atol=1e-12)
    np.testing.assert_allclose(jacobian[:, 1], (-s, c, 0, 0, 0, 1), atol=1e-12)


def test_omnidirectional_base_moves_sideways() -> None:
    states = [variable(name, "state", index=index) for index, name in enumerate(("x", "y", "yaw"))]
    commands = [variable(name, "cmd", index=index) for index, name in enumerate(("vx_ref", "vy_ref", "w_ref"))]
    text = robot(joint("base", "a", "b", kind="planar", variables=[*states, *commands], limit=""))
    jacobian = KinematicChain(layout(text), "a", "b").pose_and_jacobian(np.array([0.0, 0.0, math.pi / 2]))[1]
    np.testing.assert_allclose(jacobian[:3], [[0, -1, 0], [1, 0, 0], [0, 0, 0]], atol=1e-12)


def test_mimic_joint_moves_with_its_master() -> None:
    text = robot(
        joint("k", "a", "b"),
        joint("l", "b", "c", variables=[], inside='<mimic joint="k" multiplier="-2" offset="0.5"/>'),
        links="abc",
    )
    made = layout(text)
    chain = KinematicChain(made, "a", "c")
    pose, jacobian = chain.pose_and_jacobian(np.array([0.3]))
    assert len(chain.motions) == 1
    assert rotation_vector(pose[:3, :3])[2] == pytest.approx(0.3 - 0.6 + 0.5)
    assert jacobian[5, 0] == pytest.approx(-1.0)


def test_limits_of_a_master_keep_its_mimics_inside_theirs() -> None:
    text = robot(
        joint("k", "a", "b"),
        joint(
            "l", "b", "c", variables=[], inside='<mimic joint="k" multiplier="-2" offset="0.5"/>',
            limit='<limit lower="-1" upper="2" velocity="1" effort="1"/>',
        ),
        links="abc",
    )  # fmt: skip
    (motion,) = layout(text).motions
    assert (motion.limits.lower, motion.limits.upper) == (pytest.approx(-0.75), pytest.approx(0.75))
    assert motion.limits.velocity == pytest.approx(0.5)


def test_base_may_be_any_link() -> None:
    text = robot(joint("j", "a", "b"), joint("k", "a", "c"), links="abc")
    made = layout(text)
    at = np.array([0.4, -0.7])
    there, back = KinematicChain(made, "b", "c").pose(at), KinematicChain(made, "c", "b").pose(at)
    np.testing.assert_allclose(there @ back, np.eye(4), atol=1e-12)
    assert KinematicChain(made, "b", "c").joints == ("j", "k")


def test_unknown_link_is_named() -> None:
    with pytest.raises(ReacherError, match="no link 'hand'; the robot has a, b"):
        KinematicChain(layout(robot(joint("j", "a", "b"))), "a", "hand")


@given(angles, angles, angles)
def test_rotation_survives_its_quaternion(roll: float, pitch: float, yaw: float) -> None:
    rotation = rotation_from_rpy(roll, pitch, yaw)
    np.testing.assert_allclose(rotation_from_quaternion(*quaternion_from_rotation(rotation)), rotation, atol=1e-9)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)


@given(st.floats(0.0, math.pi - 1e-3), st.tuples(*[st.floats(0.1, 1.0)] * 3))
def test_rotation_vector_is_axis_times_angle(angle: float, direction: tuple[float, float, float]) -> None:
    axis = np.array(direction) / np.linalg.norm(direction)
    x, y, z = axis * math.sin(angle / 2)
    rotation = rotation_from_quaternion(x, y, z, math.cos(angle / 2))
    np.testing.assert_allclose(rotation_vector(rotation), axis * angle, atol=1e-7)


def test_quaternion_of_length_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="not an orientation"):
        rotation_from_quaternion(0.0, 0.0, 0.0, 0.0)
