"""Doors of the programs' services: ordinary ones, and those of actions and parameters."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from action_msgs.srv import CancelGoal
from numpy.random import Generator

from bench.doors.door import ANSWER_S, DoorRow, Trace, chance_of
from bench.doors.requests.messages import message_class
from bench.doors.requests.odd_values import pick
from bench.doors.requests.words import takes_long
from bench.doors.ros_access import RosTools

_OUTSTANDING: Final = 8  # a server of rclpy queues ten requests
_RESULTS: Final = 30  # requests for results of running goals; a server keeps 64 for each goal
_SPIN_S: Final = 0.002
_CHECK_EVERY: Final = 64  # requests
_SLOW: Final = {"rbc_msgs_srvs/srv/RbcL2Ctrl": 0.05}  # chosen with this probability, as each may start a process


@dataclass(frozen=True, slots=True)
class _Sent:
    """An unanswered request."""

    number: int
    target: str
    client: Any
    future: Any
    sent_s: float
    is_result: bool  # a request for a goal's result, answered when the goal ends


class ServiceDoor:
    """All services of one kind of one program.

    Parameters
    ----------
    name : name of the door
    program : the program with the services
    tools : reach the program
    is_ours : returns whether a service, by name and type, belongs to this door
    """

    def __init__(self, name: str, program: str, tools: RosTools, is_ours: Callable[[str, str], bool]) -> None:
        self.name = name
        self.programs: tuple[str, ...] = (program,)
        self.row = DoorRow(name)
        self.trace = Trace()
        self._ros = tools.ros
        self._tools = tools
        self._is_ours = is_ours
        self._sent: list[_Sent] = []

    def targets(self) -> list[tuple[str, str]]:
        """Return names and types of the services behind this door."""
        return [one for one in self._ros.services(self.programs[0]) if self._is_ours(*one)]

    def run(self, first: int, duration_s: float) -> int:
        """See `Door.run`."""
        by_type: dict[str, list[str]] = {}
        for name, service_type in self.targets():
            by_type.setdefault(service_type, []).append(name)
        number, end_s = first, time.monotonic() + duration_s
        self._sent = []
        while by_type and time.monotonic() < end_s:
            if number % _CHECK_EVERY == 0 and self._tools.has_ended():
                break
            self._send(number, by_type)
            number += 1
            self._reap()
            while len(self._waiting()) >= _OUTSTANDING and not self._is_stuck():
                self._ros.spin(_SPIN_S)
                self._reap()
            if self._is_stuck():
                break
        if not self._tools.has_ended():
            self._cancel_all(by_type.get("action_msgs/srv/CancelGoal", []))
            self._finish()
        return number

    def _waiting(self) -> list[_Sent]:
        return [one for one in self._sent if not one.is_result]

    def _is_stuck(self) -> bool:
        waiting = self._waiting()
        return bool(waiting) and time.monotonic() - waiting[0].sent_s > ANSWER_S

    def _send(self, number: int, by_type: dict[str, list[str]]) -> None:
        chance = chance_of(self._tools.seed, self.name, number)
        type_name = _chosen(sorted(by_type), chance)
        target = pick(chance, by_type[type_name])
        is_result = type_name.endswith("_GetResult")
        if is_result and len(self._sent) - len(self._waiting()) >= _RESULTS:
            return
        service_type = message_class(type_name)
        request = self._tools.messages.bad(service_type.Request, chance)
        if takes_long(request):
            return
        self.trace.note(number, target, request)
        client = self._ros.client(target, service_type)
        future = client.call_async(request)
        self._sent.append(_Sent(number, target, client, future, time.monotonic(), is_result))
        self.row.requests += 1
        self._ros.spin(0.0)

    def _reap(self) -> None:
        for one in self._sent:
            if one.future.done():
                self.row.count(is_accepted(one.future.result()))
        self._sent = [one for one in self._sent if not one.future.done()]

    def _cancel_all(self, services: Sequence[str]) -> None:
        """Cancel all goals, so that all results must arrive."""
        for name in services:
            self._ros.call(name, CancelGoal, CancelGoal.Request(), ANSWER_S)

    def _finish(self) -> None:
        """Wait for due answers; missing answers are faults, unless their service is gone."""
        self._ros.spin_until(lambda: all(one.future.done() for one in self._sent), ANSWER_S)
        self._reap()
        for one in self._sent:
            if self._ros.exists(one.target, one.client):
                self.row.unanswered += 1
                self.trace.faults.append(f"no answer: {one.number} {one.target}")


def is_parameters(_: str, type_name: str) -> bool:
    """Whether a service belongs to parameters."""
    return type_name.startswith(("rcl_interfaces/", "type_description_interfaces/"))


def is_action(name: str, _: str) -> bool:
    """Whether a service belongs to an action."""
    return "/_action/" in name


def is_plain(name: str, type_name: str) -> bool:
    """Whether a service belongs to neither actions nor parameters."""
    return not is_parameters(name, type_name) and not is_action(name, type_name)


def is_accepted(answer: Any) -> bool:
    """Whether an answer says that the request was carried out, by the fields of our types."""
    if hasattr(answer, "result") and hasattr(answer.result, "result"):
        return bool(answer.result.result == 1)
    if hasattr(answer, "return_code"):
        return bool(answer.return_code == 0)
    for field in ("accepted", "success", "status"):
        if hasattr(answer, field):
            return bool(getattr(answer, field))
    results = getattr(answer, "results", None) or [getattr(answer, "result", None)]
    return all(getattr(one, "successful", True) for one in results)


def _chosen(type_names: list[str], chance: Generator) -> str:
    """Return a random type; slow types are rare."""
    for _ in range(20):
        name = str(pick(chance, type_names))
        if chance.random() < _SLOW.get(name, 1.0):
            return name
    return name
