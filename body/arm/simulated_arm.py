"""Simulated joints: they follow position references with a first-order lag, and measure applied torques."""

import math
from typing import Final

import numpy as np

from body.description.robot_tree import Floats

LAG_S: Final = 0.02  # time constant of a joint's position controller


class SimulatedArm:
    """A simulated arm that moves one time step per call.

    Parameters
    ----------
    positions : initial positions, shape (joints,) [rad or m]
    lower, upper, fastest : limits of each joint, shape (joints,)
    """

    def __init__(self, positions: Floats, lower: Floats, upper: Floats, fastest: Floats) -> None:
        self.positions = np.clip(positions, lower, upper)
        self.velocities = np.zeros(len(positions))
        self.torques = np.zeros(len(positions))
        self.references = self.positions.copy()
        self._lower, self._upper, self._fastest = lower, upper, fastest

    def step(self, elapsed_s: float) -> None:
        """Move towards the references: an exact first-order lag, within the limits of speed and position."""
        wanted = (self.references - self.positions) * -math.expm1(-elapsed_s / LAG_S)
        longest = self._fastest * elapsed_s
        way = np.minimum(np.maximum(wanted, -longest), longest)
        after = np.minimum(np.maximum(self.positions + way, self._lower), self._upper)
        self.velocities = (after - self.positions) / elapsed_s
        self.positions = after
