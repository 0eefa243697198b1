"""A client on the ROS graph: spins, and calls services.

It loads rclpy and no message package, so that commands such as `stop` start fast.
"""

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, Final, TypeVar

import rclpy
from rclpy.client import Client
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter

from fleet.calls.call import ANSWER_S, Call
from fleet.client.local_fleet import LocalFleet, local_fleet
from fleet.errors import HOW_TO_START, NoServerError
from thymio_base.fast_dds import discovery_settings
from thymio_base.parts import Parts, WorkInParts
from thymio_base.ros.eventless_node import EventlessNode
from thymio_base.ros.executors import drain, retire, run_pending, spin_once
from thymio_base.ros.interrupt import interrupted_afterwards
from thymio_base.ros.ros_domain import ros_domain_id

Result = TypeVar("Result")

DISCOVERY_S = 5.0  # programs with the default of Fast DDS announce themselves every 3 s
_BUSY_S = 20.0  # further wait for a driver of this host that is very busy
_SLICE_S = 0.05  # longest wait for an event between two checks of the time
_POLL_S = 0.01  # between two checks of the graph for a server that is just being found
_PENDING_S = 1.0  # longest run of pending callbacks between two checks of the time
_SETTLE_S = 30.0  # a process may be suspended for seconds on a busy machine


class GraphClient:
    """A node for one thread, in its own context; nothing happens unless it spins.

    Operations that wait are works in parts, which never block: several can proceed while the client spins. `finish`
    runs a single one.

    Parameters
    ----------
    advance : called whenever events have been served

    Attributes
    ----------
    domain_id : the ROS domain; the environment may change after the creation
    """

    def __init__(self, advance: Callable[[], None] | None = None) -> None:
        self._advance = advance
        self.domain_id: Final = ros_domain_id()
        self._network: Final = discovery_settings()
        self._context = rclpy.Context()
        self._context.init(initialize_logging=False)  # otherwise each command would leave a log file behind
        self.node = self.create_node(f"thymio_fleet_client_{uuid.uuid4().hex[:8]}")
        self._executor = EventsExecutor(context=self._context)
        self._executor.add_node(self.node)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.remove_node(self.node)
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()

    def create_node(self, name: str) -> Node:
        """Return a further node without default entities; no executor serves it."""
        return EventlessNode(
            name,
            context=self._context,
            start_parameter_services=False,
            enable_rosout=False,
            parameter_overrides=[Parameter("start_type_description_service", value=False)],
        )

    def spin_until(self, condition: Callable[[], bool], timeout_s: float, slice_s: float = _SLICE_S) -> bool:
        """Serve callbacks until a condition holds, checked at least every `slice_s`; return whether it does."""
        deadline_s = time.monotonic() + timeout_s
        while not condition():
            remaining_s = deadline_s - time.monotonic()
            if remaining_s <= 0.0:
                return False
            self.serve(min(slice_s, remaining_s))
        return True

    def finish(self, parts: Parts[Result]) -> Result:
        """Serve callbacks until a work in parts is over; return its result."""
        with closing(parts):
            work = WorkInParts(parts)
            while work.do_part():
                self.serve(_POLL_S)
        return work.result

    def serve(self, timeout_s: float) -> None:
        """Wait for an event, and serve all callbacks that are pending then."""
        with interrupted_afterwards():
            spin_once(self._executor, timeout_s)
            run_pending(self._executor, _PENDING_S)
        if self._advance is not None:
            self._advance()

    def spin_until_found(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Serve callbacks until the graph meets a condition that no event announces; return whether it does."""
        return self.spin_until(condition, timeout_s, _POLL_S)

    def spin_until_served(
        self,
        condition: Callable[[], bool],
        timeout_s: float = DISCOVERY_S,
        is_promised: Callable[[LocalFleet], bool] = LocalFleet.is_busy,
    ) -> bool:
        """Serve callbacks until a condition holds that drivers bring about; return whether it does."""
        return self.finish(self.served_in_parts(condition, timeout_s, is_promised))

    def served_in_parts(
        self,
        condition: Callable[[], bool],
        timeout_s: float = DISCOVERY_S,
        is_promised: Callable[[LocalFleet], bool] = LocalFleet.is_busy,
    ) -> Parts[bool]:
        """Wait for a condition that drivers bring about; return whether it holds.

        On a busy machine drivers are found late: the wait is longer if the drivers of this host, asked without ROS,
        promise the condition.
        """
        if (yield from until(condition, timeout_s)):
            return True
        return is_promised(self.local_fleet()) and (yield from until(condition, _BUSY_S))

    def local_fleet(self) -> LocalFleet:
        """Return what the drivers of this host know, without ROS."""
        return local_fleet(self.domain_id, network=self._network)

    def poll(self) -> None:
        """Serve all pending callbacks, without waiting for events: for programs with a loop of their own."""
        run_pending(self._executor, _PENDING_S)
        if self._advance is not None:
            self._advance()

    def open_node(self) -> Node:
        """Return another node, served until it is retired."""
        node = self.create_node(f"{self.node.get_name()}_{uuid.uuid4().hex[:8]}")
        self._executor.add_node(node)
        return node

    def retire(self, node: Node) -> None:
        """Remove a node from the graph at one of the next polls: its queued events need its entities."""
        retire(self._executor, node)

    def has_service(self, name: str, timeout_s: float = DISCOVERY_S) -> bool:
        """Whether a service has a server, or gets one in time."""
        return self.spin_until_served(lambda: self.node.count_services(name) > 0, timeout_s)

    def settle(self) -> None:
        """Wait until the executor listens to every entity; earlier answers may never be announced."""
        with interrupted_afterwards():
            run_pending(self._executor, _SETTLE_S)

    def call(
        self,
        service_type: Any,
        name: str,
        request: Any,
        timeout_s: float = DISCOVERY_S,
        repeat_s: float = ANSWER_S,
    ) -> Any:
        """Return the answer of a service; the request is repeated every `repeat_s` until it is answered.

        Raises
        ------
        NoServerError
            The service has no server, or does not answer.
        """
        return self.finish(self.call_in_parts(service_type, name, request, timeout_s, repeat_s))

    def call_in_parts(
        self,
        service_type: Any,
        name: str,
        request: Any,
        timeout_s: float = DISCOVERY_S,
        repeat_s: float = ANSWER_S,
    ) -> Parts[Any]:
        """Call a service, as `call` does.

        Raises
        ------
        NoServerError
            The service has no server, or does not answer.
        """
        with self.visit() as node:
            client = node.create_client(service_type, name)
            self.settle()
            if not (yield from self.served_in_parts(client.service_is_ready, timeout_s)):
                raise NoServerError(f"no server for {name}; {HOW_TO_START}")
            answers = yield from self.call_all_in_parts([client], request, timeout_s, repeat_s)
        if answers is None:
            raise NoServerError(f"{name} does not answer within {timeout_s:g} s")
        return answers[0]

    def call_all_in_parts(
        self, clients: Sequence[Client], request: Any, timeout_s: float, repeat_s: float = ANSWER_S
    ) -> Parts[list[Any] | None]:
        """Return the answers of services, repeating unanswered requests; None if any does not answer."""
        calls = [Call(client, request, repeat_s) for client in clients]

        def are_answered() -> bool:
            for call in calls:
                call.advance()
            return all(call.is_answered for call in calls)

        return [call.answer for call in calls] if (yield from self.served_in_parts(are_answered, timeout_s)) else None

    @contextmanager
    def visit(self) -> Iterator[Node]:
        """Yield a temporary node, and remove it from the graph afterwards."""
        node = self.open_node()
        try:
            yield node
        finally:
            self.retire(node)
            with interrupted_afterwards():
                drain(self._executor, _SETTLE_S)


def until(condition: Callable[[], bool], timeout_s: float) -> Parts[bool]:
    """Wait until a condition holds; return whether it does."""
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() >= deadline_s:
            return False
        yield
    return True
