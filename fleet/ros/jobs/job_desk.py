"""Serves requests about jobs one after the other, in parts, so that none of them delays a tick."""

from collections import deque
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from rclpy.task import Future

from fleet.reason import Explanation, Reason
from fleet.service.request_queue import Requests
from thymio_base.fence import Fence
from thymio_base.parts import Parts, WorkInParts
from thymio_base.ros.fenced_node import refusal

_DESK: Final = 0  # among the robots that have requests
_WAITING_MAX: Final = 500  # requests
_SHORT_AT_ONCE: Final = 5  # requests of a single part that are served in one turn

Answer: TypeAlias = Callable[[Any], object]


class JobDesk:
    """Keeps requests in order of arrival.

    Parameters
    ----------
    requests : gives turns, between those of robots
    fence : catches exceptions of requests
    """

    def __init__(self, requests: Requests, fence: Fence) -> None:
        self._requests: Final = requests
        self._fence: Final = fence
        self._waiting: Final[deque[tuple[WorkInParts[Any], Answer, Callable[[Exception], None]]]] = deque()

    def serve(self, service_type: Any, name: str, work: Parts[Any], refused: Callable[[Explanation], Any]) -> Any:
        """Return the response that a work makes: now, or as a future; `refused` makes one if too many wait."""
        future = Future()

        def fail(error: Exception) -> None:
            future.set_result(refusal(service_type, self._fence.note(name, error)))

        if not self.put(work, future.set_result, fail):
            return refused(self.flood)
        return future.result() if future.done() else future

    @property
    def flood(self) -> Explanation:
        """The explanation for a request that is refused because too many wait."""
        return Explanation(Reason.BUSY, f"{_WAITING_MAX} requests about jobs are already waiting; wait for each answer")

    def put(self, work: Parts[Any], answer: Answer, fail: Callable[[Exception], None]) -> bool:
        """Queue work for its turn, then pass on its result or exception; return False if too many wait."""
        if len(self._waiting) >= _WAITING_MAX:
            return False
        self._waiting.append((WorkInParts(work), answer, fail))
        if len(self._waiting) == 1:
            self._requests.put(_DESK, self._take_turn)
        return True

    def _take_turn(self) -> bool:
        """Serve a few short requests, or a part of a long one; return whether more is left."""
        for _ in range(_SHORT_AT_ONCE):
            if self._waiting and self._do_part():
                break
        return bool(self._waiting)

    def _do_part(self) -> bool:
        """Do a part of the first request; return whether another part of it is left."""
        work, answer, fail = self._waiting[0]
        try:
            if work.do_part():
                return True
        except Exception as error:
            self._waiting.popleft()
            fail(error)
            return False
        self._waiting.popleft()
        answer(work.result)
        return False
