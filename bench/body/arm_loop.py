"""Reachers, coupler and a simulated arm in one loop, in simulated time."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from body.arm.simulated_arm import SimulatedArm
from body.coupling.coupler import Coupler
from body.description.robot_tree import Floats
from body.description.urdf_reader import read_urdf
from body.kinematics.layout import BodyLayout
from body.memory.body_board import BoardRow, BodyState
from body.reachers.reacher import Reacher

BODIES: Final = Path(__file__).parents[2] / "examples/bodies"
PERIOD_S: Final = 0.005

_STEP_S: Final = 0.001  # time step of the simulated joints


@cache
def example_body(name: str) -> BodyLayout:
    """Return the layout of a body of examples/bodies."""
    return BodyLayout(read_urdf((BODIES / f"{name}.urdf").read_text(encoding="utf-8")))


class ArmLoop:
    """An arm moved by reachers, one period at a time.

    Parameters
    ----------
    layout : the arm's layout
    reachers : reachers with their weights
    start : start positions of the joints, shape (motions,)
    """

    def __init__(self, layout: BodyLayout, reachers: Sequence[tuple[Reacher, float]], start: Floats) -> None:
        self._layout = layout
        self._reachers = reachers
        self.arm = SimulatedArm(start, layout.lower, layout.upper, layout.fastest)
        self._coupler = Coupler(layout, PERIOD_S)
        self.now_ns = 1
        self.values = np.zeros(len(layout.variables))  # the latest commands
        self.topics = frozenset[str]()
        self.deaf = False  # whether states no longer arrive
        self._state = BodyState(np.zeros(len(layout.variables)), np.zeros(len(layout.variables), dtype=np.int64))
        self._commands = [one.position_command for one in layout.motions]
        self._torques = [one.torque_command for one in layout.motions]
        self._torque_states = [layout.variable_index(f"{one.joint}/torque") for one in layout.motions]

    @property
    def state(self) -> BodyState:
        """The state of all variables, as the coupler knows it."""
        return self._state

    @property
    def references(self) -> Floats:
        """The latest position references, shape (motions,)."""
        return self.values[self._commands]

    def step(self) -> None:
        """Advance reachers, coupler and arm by one period."""
        self.now_ns += round(PERIOD_S * 1e9)
        if not self.deaf:
            self._measure()
        shares = [(one.step(self._state, self.now_ns), weight) for one, weight in self._reachers]
        rows = [BoardRow(self.now_ns, weight, share) for share, weight in shares]
        commands = self._coupler.step(self._state, rows, self.now_ns)
        self.topics = commands.topics
        if commands.topics:
            self.values = commands.values
            self.arm.references = commands.values[self._commands]
            self.arm.torques = commands.values[self._torques]
        for _ in range(round(PERIOD_S / _STEP_S)):
            self.arm.step(_STEP_S)

    def run(self, seconds: float) -> None:
        """Step for a simulated time."""
        for _ in range(round(seconds / PERIOD_S)):
            self.step()

    def _measure(self) -> None:
        values = self._state.values.copy()
        values[self._layout.coordinate_variables] = self.arm.positions
        for index, torque in zip(self._torque_states, self.arm.torques, strict=True):
            if index is not None:
                values[index] = torque
        self._state = BodyState(values, np.full(len(values), self.now_ns, dtype=np.int64))
