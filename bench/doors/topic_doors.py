"""Doors of the topics to which programs have subscribed: messages, and bytes that are not messages."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.serialization import serialize_message
from type_description_interfaces.srv import GetTypeDescription

from bench.doors.door import ANSWER_S, DoorRow, Trace, chance_of
from bench.doors.requests.messages import message_class
from bench.doors.requests.odd_values import changed_bytes, pick
from bench.doors.ros_access import RosTools

_BATCH: Final = 100  # messages between two checks that the program still answers
_RAW: Final = 0.1  # share of messages that are changed byte by byte
_OURS: Final = ("/clock", "/parameter_events", "/tf", "/tf_static", "/rosout")


class TopicDoor:
    """All topics to which one program has subscribed.

    Parameters
    ----------
    name : name of the door
    program : the subscribing program
    tools : reach the program
    """

    def __init__(self, name: str, program: str, tools: RosTools) -> None:
        self.name = name
        self.programs: tuple[str, ...] = (program,)
        self.row = DoorRow(name)
        self.trace = Trace()
        self._ros = tools.ros
        self._tools = tools

    def targets(self) -> list[tuple[str, str]]:
        """Return names and types of the topics behind this door."""
        return [one for one in self._ros.topics(self.programs[0]) if one[0] not in _OURS]

    def run(self, first: int, duration_s: float) -> int:
        """See `Door.run`."""
        by_type: dict[str, list[str]] = {}
        for name, message_type in self.targets():
            by_type.setdefault(message_type, []).append(name)
        question = self._question()
        number, end_s = first, time.monotonic() + duration_s
        while by_type and time.monotonic() < end_s and not self._tools.has_ended():
            for _ in range(_BATCH):
                self._send(number, by_type)
                number += 1
            if not question():
                break
        self._ros.forget_publishers()
        return number

    def _send(self, number: int, by_type: dict[str, list[str]]) -> None:
        chance = chance_of(self._tools.seed, self.name, number)
        type_name = pick(chance, sorted(by_type))
        target = pick(chance, by_type[type_name])
        message_type = message_class(type_name)
        message = self._tools.messages.bad(message_type, chance)
        sent: Any = changed_bytes(serialize_message(message), chance) if chance.random() < _RAW else message
        self.trace.note(number, target, sent)
        with suppress(rclpy_implementation.RCLError):  # bytes that the middleware refuses as a message
            self._ros.publisher(target, message_type).publish(sent)
        self.row.requests += 1

    def _question(self) -> Callable[[], bool]:
        """Return a function that asks whether the program answers; without services it always does."""
        asking = "type_description_interfaces/srv/GetTypeDescription"
        names = [name for name, type_name in self._ros.services(self.programs[0]) if type_name == asking]

        def is_answering() -> bool:
            if not names or self._ros.call(names[0], GetTypeDescription, GetTypeDescription.Request(), ANSWER_S):
                return True
            if not self._tools.has_ended():
                self.row.unanswered += 1
                self.trace.faults.append(f"no answer from {names[0]} after {self.trace.last[-1]}")
            return False

        return is_answering
