"""Estimates contact forces on the example's arm from noisy torques."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from bench.body.arm_loop import example_body
from body.control.contact import estimate_wrench, torques_of
from body.kinematics.chain import KinematicChain
from body.reachers.contact_chain import at_point

_LINKS: Final = ("arm_link_4", "arm_link_5", "arm_link_6", "hand_link")
_POINT: Final = np.array([0.02, 0.01, 0.05])  # in the frame of the link [m]
_LARGEST_CONDITION: Final = 10.0


@dataclass(frozen=True, slots=True)
class ForceEstimate:
    """One estimate in a well-conditioned configuration.

    Parameters
    ----------
    relative : error without noise, as a share of the force
    error_n : error with noise [N]
    covered : share of the axes whose error lies within 1.96 of the stated deviations
    """

    relative: float
    error_n: float
    covered: float


def estimates(count: int, noise_nm: float, seed: int) -> Iterator[ForceEstimate]:
    """Yield estimates of forces of 2 to 20 N on four links in random configurations."""
    rng = np.random.default_rng(seed)
    arm = example_body("arm")
    chains = [KinematicChain(arm, "robot-base", link) for link in _LINKS]
    found = 0
    while found < count:
        chain = chains[int(rng.integers(len(chains)))]
        jacobian = at_point(*chain.pose_and_jacobian(rng.uniform(arm.lower, arm.upper)), _POINT)
        if np.linalg.cond(jacobian[:3]) > _LARGEST_CONDITION:
            continue
        found += 1
        direction = rng.normal(size=3)
        force = direction / np.linalg.norm(direction) * rng.uniform(2, 20)
        torques = torques_of(jacobian, np.concatenate([force, np.zeros(3)]))
        noise = np.full(len(torques), noise_nm)
        exact = estimate_wrench(jacobian, torques, noise, has_torque=False).wrench[:3]
        noisy = estimate_wrench(jacobian, torques + rng.normal(0, noise), noise, has_torque=False)
        errors = noisy.wrench[:3] - force
        yield ForceEstimate(
            float(np.linalg.norm(exact - force) / np.linalg.norm(force)),
            float(np.linalg.norm(errors)),
            float((np.abs(errors) <= 1.96 * noisy.deviations[:3]).mean()),
        )
