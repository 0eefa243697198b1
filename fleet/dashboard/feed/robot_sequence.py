"""Gets the order in which the simulator publishes its robots, from its service `get_entities`."""

import re
from collections.abc import Sequence
from typing import Final

from rclpy.node import Node
from simulation_interfaces.srv import GetEntities

from thymio_base.texts.decimal_text import whole_number

_SERVICE: Final = "/simulator/get_entities"
_NAME: Final = re.compile(r"^thymio_([1-9][0-9]{0,9})$")
_REPEAT_NS: Final = 2_000_000_000  # robots may have come and gone
_SOON_NS: Final = 200_000_000  # ... while the order is not known


class RobotSequence:
    """The node ids of all simulated robots, in the order of the simulator's tables.

    Parameters
    ----------
    node : owns the client, and has no executor

    Attributes
    ----------
    node_ids : None while they are not known
    """

    def __init__(self, node: Node) -> None:
        self.node_ids: tuple[int, ...] | None = None
        self._client = node.create_client(GetEntities, _SERVICE)
        self._asked_ns = -_REPEAT_NS
        self._is_awaited = False  # whether an answer is pending

    @property
    def has_server(self) -> bool:
        """Whether a simulator can be asked."""
        return bool(self._client.service_is_ready())

    def forget(self) -> None:
        """Ask again, as the known order contradicts what was seen."""
        self.node_ids = None

    def advance(self, now_ns: int) -> None:
        """Take an answer, and ask again if due, without waiting."""
        is_due = now_ns - self._asked_ns >= (_SOON_NS if self.node_ids is None else _REPEAT_NS)
        if not (self._is_awaited or is_due):
            return
        handle = self._client.handle
        with handle:
            header, answer = handle.take_response(GetEntities.Response)
            if header is not None:
                self.node_ids, self._is_awaited = node_ids_of(answer.entities), False
            if is_due:
                self._asked_ns, self._is_awaited = now_ns, True
                handle.send_request(GetEntities.Request())


def node_ids_of(entities: Sequence[str]) -> tuple[int, ...]:
    """Return the node ids of the robots among the entities; objects have other names."""
    return tuple(whole_number(match.group(1)) for match in map(_NAME.match, entities) if match)
