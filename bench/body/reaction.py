"""Measures how soon the coupler's command follows a jumping state."""

import time
from collections.abc import Iterator
from typing import Final

import numpy as np
from impedance_control_msgs.msg import PosRef, State

from bench.body.body_row import BodyRow
from body.body_client import BodyClient, joint_goal
from fleet.client.graph_client import GraphClient

JOINTS: Final = tuple(f"arm_j{index}" for index in range(7))
_PERIOD_S: Final = 0.01  # period of the commands
_STATE_S: Final = 0.005
_JUMP: Final = 0.5  # [rad]; far more than the lead, so that the reference reverses at once


class JumpingArm:
    """A node that reports a joint at two positions in turn, and notes when the reference starts to follow.

    Parameters
    ----------
    rng : source of the intervals
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._graph = GraphClient()
        self._states = self._graph.node.create_publisher(State, "arm/state", 10)
        self._graph.node.create_subscription(PosRef, "arm/posref", self._on_reference, 10)
        self._side = 1.0
        self._jumped_s: float | None = None
        self._reference: float | None = None
        self.reactions_s: list[float] = []

    def report(self, seconds: float) -> None:
        """Report the same state for a time."""
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            self._publish()
            self._graph.spin_until(lambda: False, _STATE_S)

    def jump(self) -> None:
        """Jump to the other side, and wait until the reference follows."""
        self._side, self._jumped_s = -self._side, time.monotonic()
        self.report(0.1 + self._rng.uniform(0.0, _PERIOD_S))

    def close(self) -> None:
        """Leave the ROS graph."""
        self._graph.close()

    def _publish(self) -> None:
        zeros = [0.0] * len(JOINTS)
        position = [self._side * _JUMP, *zeros[1:]]
        self._states.publish(State(position=position, velocity=zeros, effort=zeros))

    def _on_reference(self, message: PosRef) -> None:
        reference, before = message.position[0], self._reference
        self._reference = reference
        if self._jumped_s is not None and before is not None and (reference - before) * self._side > 0:
            self.reactions_s.append(time.monotonic() - self._jumped_s)
            self._jumped_s = None


def reaction_rows(body: BodyClient, jumps: int) -> Iterator[BodyRow]:
    """Yield the time from a state message to the first command that follows it.

    Parameters
    ----------
    body
        client of a coupler of the example's arm, at 100 Hz
    jumps
        number of jumps of the state
    """
    arm = JumpingArm(np.random.default_rng(6))
    body.add_re("JR", "JR0")
    body.set_params("JR0", {"joints": JOINTS, "weight": 1.0})
    arm.report(0.5)
    body.execute_action("JR0", joint_goal(dict.fromkeys(JOINTS, 0.0)), blocking=False)
    for _ in range(jumps):
        arm.jump()
    arm.close()
    p50, p99 = 1e3 * np.quantile(arm.reactions_s, [0.5, 0.99])
    text = f"{p50:.1f} ms, p99 {p99:.1f} ms, {len(arm.reactions_s)} of {jumps}"
    yield BodyRow("state message to command at 100 Hz", "p99 14 ms", text)
