"""Keeps robots under a master control off duty for the dispatcher, if there is one."""

import time
from collections.abc import Sequence
from typing import Final

from rclpy.node import Node
from thymio_fleet_interfaces.srv import SetDuty

from fleet.calls.call import Call
from fleet.interface.names import DUTY_SERVICE

_AGAIN_S: Final = 10.0  # a dispatcher that starts later must be told


class OffDuty:
    """Asks again and again, as drivers come and go."""

    def __init__(self, node: Node, robot_ids: Sequence[int]) -> None:
        self._client: Final = node.create_client(SetDuty, DUTY_SERVICE)
        self._request: Final = SetDuty.Request(robots=list(robot_ids), duty="out")
        self._call = Call(self._client, self._request)
        self._called_s = time.monotonic()
        self.is_confirmed = False

    def advance(self) -> bool:
        """Continue; return True once, when a dispatcher first confirms."""
        self._call.advance()
        if time.monotonic() - self._called_s > _AGAIN_S:
            self._call, self._called_s = Call(self._client, self._request), time.monotonic()
        is_new = not self.is_confirmed and self._call.is_answered and bool(self._call.answer.success)
        self.is_confirmed = self.is_confirmed or is_new
        return is_new
