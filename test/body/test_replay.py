"""Coupler and reachers have no hidden inputs: the same states and times give the same commands, bit for bit."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from bench.body.arm_loop import ArmLoop, example_body
from body.control.joint_pid import PidGains
from body.kinematics.chain import KinematicChain
from body.reachers.joint_reacher import JointReacher, JointSettings
from body.reachers.reacher import Reacher
from body.reachers.sim_contact_reacher import Contact, SimContactReacher
from body.reachers.vector_field_reacher import FieldSettings, PoseGoal, VectorFieldReacher

BENT = np.array([0.3, 0.5, -0.2, 0.9, 0.1, -0.6, 0.4])
SECONDS = 5.0


def digest() -> str:
    """Return the SHA-256 of all commands while three reachers share an arm."""
    arm = example_body("arm")
    field, joints, contact = VectorFieldReacher(arm), JointReacher(arm), SimContactReacher(arm)
    field.configure(FieldSettings("robot-base", "hand_link", posture=tuple(BENT)))
    joints.configure(JointSettings(("arm_j2", "arm_j6"), PidGains(2.0, 0.1, 0.0), 0.005))
    contact.configure("robot-base")
    members: list[tuple[Reacher, float]] = [(field, 1.0), (joints, 0.3), (contact, 1.0)]
    loop = ArmLoop(arm, members, BENT)
    hand = KinematicChain(arm, "robot-base", "hand_link")
    field.start(PoseGoal(hand.pose(BENT + 0.4), np.zeros(6)), loop.now_ns)
    joints.start({"arm_j2": 0.5, "arm_j6": -0.5}, loop.now_ns)
    contact.start(Contact("hand_link", np.zeros(3), np.array([5.0, 0, 0, 0, 0, 0.3]), 2.0), loop.now_ns)
    commands = hashlib.sha256()
    while loop.now_ns < SECONDS * 1e9:
        loop.step()
        commands.update(loop.values.tobytes())
    return commands.hexdigest()


@pytest.mark.slow
def test_programs_of_their_own_give_the_same_commands() -> None:
    digests = set()
    for seed in ("1", "2"):
        code = "import sys; sys.path[:0] = ['test/body']; from test_replay import digest; print(digest())"
        environment = os.environ | {"PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True, timeout=120
        )
        digests.add(done.stdout)
    assert len(digests) == 1
