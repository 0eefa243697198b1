"""Moves a simulated robot for initPosition; a real robot cannot be moved."""

import time
from typing import Final

from rclpy.client import Client
from rclpy.node import Node

from fleet.calls.call import Call
from fleet.vda5050.order.order_machine import OrderMachine

_ANSWER_S: Final = 5.0


class RobotPlacing:
    """A client of the simulator, in steps that never wait."""

    def __init__(self, node: Node, node_id: int | None) -> None:
        self._node: Final = node  # is served
        self._client: Client | None = None
        self._node_id: Final = node_id  # of the robot; None if its configuration leaves that open
        self._call: Call | None = None
        self._called_s = 0.0

    def advance(self, machine: OrderMachine) -> None:
        """Ask the simulator for the pose that a machine wants, and report the result to the machine."""
        pose = machine.wanted_pose
        if pose is None:
            return
        # most connectors never send these messages
        from simulation_interfaces.srv import SetEntityState  # noqa: PLC0415

        from fleet.calls.placing import PLACING_SERVICE, placing_request, simulator_refusal  # noqa: PLC0415

        if self._call is None:
            self._client = self._client or self._node.create_client(SetEntityState, PLACING_SERVICE)
            self._call = Call(self._client, placing_request(f"thymio_{self._node_id}", pose))
            self._called_s = time.monotonic()
        self._call.advance()
        if (answer := self._call.answer) is not None:
            self._end(machine, simulator_refusal(answer))
        elif time.monotonic() - self._called_s > _ANSWER_S:
            self._end(machine, "no simulator answers, and real robots cannot be put somewhere")

    def _end(self, machine: OrderMachine, trouble: str) -> None:
        self._call = None
        machine.on_position(trouble)
