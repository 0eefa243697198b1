"""Answers of ROS services: sent at once, or stored and retried, without ever waiting for the middleware."""

import heapq
import itertools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.task import Future

from thymio_base.fence import Fence

# A reply that was lost on the network is resent only while the history of the server's writer still holds it.
SERVICE_QOS: Final = QoSProfile(depth=64, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)

_FIRST_WAIT_NS: Final = 5_000_000
_LONGEST_WAIT_NS: Final = 500_000_000
_PATIENCE_NS: Final = 10_000_000_000
_LIMIT: Final = 256  # pending answers; beyond this, the oldest are dropped
_RETRIES_PER_STEP: Final = 8

Send: TypeAlias = Callable[[Any, Any], None]


@dataclass(order=True, slots=True)
class _PendingAnswer:
    """An answer whose client's reader is not matched yet."""

    due_ns: int
    number: int  # of answers due together, the older goes first
    wait_ns: int
    expires_ns: int
    send: Callable[[], None]

    def __post_init__(self) -> None:
        self.due_ns += self.wait_ns


class Answers:
    """Sends the answers of the services it covers, at once or as soon as their clients can receive them.

    While a client's reader is not matched, Fast DDS waits `max_blocking_time` (100 ms unless a profile says otherwise)
    and then drops the answer. The shipped profile (config/fastdds.xml) sets that time to 0; an answer that cannot be
    sent is kept here and retried after 5 ms, 10 ms and so on up to 0.5 s, for 10 s.

    A callback of a covered service may return a future of its response instead of the response.

    Parameters
    ----------
    clock_ns : a clock that never goes back [ns]
    fence : notes exceptions of requests that are answered after their callback

    Attributes
    ----------
    fence : the same fence, for the code that decides such requests
    """

    def __init__(self, clock_ns: Callable[[], int], fence: Fence | None = None) -> None:
        self.fence: Final = fence if fence is not None else Fence()
        self._clock_ns = clock_ns
        self._pending: list[_PendingAnswer] = []
        self._numbers = itertools.count()
        self.sent_again = 0  # number of answers sent by a retry
        self.dropped = 0  # number of answers whose clients could not be reached in time

    @property
    def waiting(self) -> int:
        """Number of pending answers."""
        return len(self._pending)

    def create_service(self, node: Node, service_type: Any, name: str, callback: Callable[[Any, Any], Any]) -> Any:
        """Return a new covered service; `callback` gets the request and an empty response."""
        service = node.create_service(service_type, name, callback, qos_profile=SERVICE_QOS)
        self._cover(service)
        return service

    def cover(self, node: Node) -> None:
        """Cover the services that a node creates itself, such as those of its parameters."""
        for service in node.services:
            if "send_response" not in vars(service):
                self._cover(service)

    def step(self) -> None:
        """Retry a few of the pending answers that are due."""
        now_ns = self._clock_ns()
        for _ in range(_RETRIES_PER_STEP):
            if not self._pending or self._pending[0].due_ns > now_ns:
                return
            self._try_again(heapq.heappop(self._pending), now_ns)

    def _cover(self, service: Any) -> None:
        service.send_response = partial(self._answer, service.send_response)

    def _answer(self, send: Send, response: Any, header: Any) -> None:
        if isinstance(response, Future):
            response.add_done_callback(lambda future: self._answer(send, future.result(), header))
        elif not _is_sent(partial(send, response, header)):
            now_ns = self._clock_ns()
            first = partial(send, response, header)
            self._add_pending(_PendingAnswer(now_ns, next(self._numbers), _FIRST_WAIT_NS, now_ns + _PATIENCE_NS, first))

    def _try_again(self, pending: _PendingAnswer, now_ns: int) -> None:
        if _is_sent(pending.send):
            self.sent_again += 1
        elif now_ns >= pending.expires_ns:
            self.dropped += 1
        else:
            wait_ns = min(2 * pending.wait_ns, _LONGEST_WAIT_NS)
            self._add_pending(_PendingAnswer(now_ns, pending.number, wait_ns, pending.expires_ns, pending.send))

    def _add_pending(self, answer: _PendingAnswer) -> None:
        heapq.heappush(self._pending, answer)
        if len(self._pending) > _LIMIT:
            self._pending.remove(min(self._pending, key=lambda pending: pending.number))
            heapq.heapify(self._pending)
            self.dropped += 1


def serve_unannounced(node: Node) -> None:
    """Serve requests that reached a node's services without the executor being notified.

    rmw_fastrtps counts the requests waiting at a new service before it starts to announce further requests; those that
    arrive in between are never announced (`set_on_new_request_callback` in its custom_service_info.hpp).
    """
    for service in node.services:
        request, header = service.handle.service_take_request(service.srv_type.Request)
        if request is not None:
            service.send_response(service.callback(request, service.srv_type.Response()), header)


def _is_sent(send: Callable[[], None]) -> bool:
    """Send an answer; return False if it must be retried, which rclpy reports as a warning."""
    with warnings.catch_warnings(record=True, action="always", category=RuntimeWarning) as caught:
        try:
            send()
        except rclpy_implementation.InvalidHandle:  # the service was destroyed, and its clients know
            return True
        except rclpy_implementation.RCLError:
            return False
    return not any("failed to send response" in str(warning.message) for warning in caught)
