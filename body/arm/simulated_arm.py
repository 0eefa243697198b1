"""Joints that follow position references with a first-order lag, and feel torques that are applied to them."""

import math
from typing import Final

import numpy as np

from body.description.robot_tree import Floats

LAG_S: Final = 0.02  # time constant of a joint's position controller


class SimulatedArm:
    """Joints that move one step at a time.

    Parameters
    ----------
    positions : at the start, shape (joints,) [rad or m]
    lower, upper, fastest : limits of each joint, shape (joints,)
    """

    def __init__(self, positions: Floats, lower: Floats, upper: Floats, fastest: Floats) -> None:
        self.positions = np.clip(positions, lower, upper)
        self.velocities = np.zeros(len(positions))
        self.torques = np.zeros(len(positions))
        self.references = self.positions.copy()
        self._lower, self._upper, self._fastest = lower, upper, fastest

    def step(self, elapsed_s: float) -> None:
        """Move for a time, towards the references: exactly as a first-order lag, but never faster than the limits."""
        wanted = (self.references - self.positions) * -math.expm1(-elapsed_s / LAG_S)
        longest = self._fastest * elapsed_s
        way = np.minimum(np.maximum(wanted, -longest), longest)
        after = np.minimum(np.maximum(self.positions + way, self._lower), self._upper)
        self.velocities = (after - self.positions) / elapsed_s
        self.positions = after
