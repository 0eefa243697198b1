"""Queue of undecided requests: robots take turns within quotas, so a flood for one robot does not delay the others."""

from collections import deque
from collections.abc import Callable
from typing import Final, Protocol, TypeAlias

Decide: TypeAlias = Callable[[], object]  # decides a request, or a part of it: True if another part is left


class Requests(Protocol):
    """Decides the requests for robots, now or later."""

    @property
    def limit(self) -> int:
        """Largest number of waiting requests of one robot."""

    @property
    def may_wait(self) -> bool:
        """Whether a decision may take several ticks."""

    def put(self, robot_id: int, decide: Decide) -> bool:
        """Add a request; return False if too many requests of its robot are already waiting."""


class RequestQueue:
    """Keeps the requests of each robot in order of arrival.

    Parameters
    ----------
    limit : largest number of waiting requests of one robot, at least 1
    quota : number of requests of one robot that are decided between two calls of `refill`, at least 1
    """

    def __init__(self, limit: int, quota: int) -> None:
        self.limit: Final = limit
        self.may_wait: Final = True
        self._quota = quota
        self._waiting: dict[int, deque[Decide]] = {}  # no queue is empty
        self._turns: deque[int] = deque()  # the robots that have requests and may be served, in this order
        self._served: dict[int, int] = {}  # number of decided requests of each robot since the latest refill

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def put(self, robot_id: int, decide: Decide) -> bool:
        """Add a request; return False if too many requests of its robot are already waiting."""
        waiting = self._waiting.get(robot_id)
        if waiting is None:
            self._waiting[robot_id] = deque([decide])
            if self._served.get(robot_id, 0) < self._quota:
                self._turns.append(robot_id)
            return True
        if len(waiting) >= self.limit:
            return False
        waiting.append(decide)
        return True

    def refill(self) -> None:
        """Renew every robot's quota; call it in each tick."""
        self._turns += [robot_id for robot_id in self._waiting if self._served.get(robot_id, 0) >= self._quota]
        self._served.clear()

    def serve(self) -> bool:
        """Decide the next request, or a part of it; return False if no waiting request may be decided."""
        if not self._turns:
            return False
        robot_id = self._turns.popleft()
        waiting = self._waiting[robot_id]
        self._served[robot_id] = self._served.get(robot_id, 0) + 1
        decide, is_left = waiting.popleft(), False
        try:
            is_left = decide() is True
        finally:
            self._put_back(robot_id, decide if is_left else None)
        return True

    def _put_back(self, robot_id: int, decide: Decide | None) -> None:
        """Put an undecided request back as the first of its robot, and give the robot another turn."""
        waiting = self._waiting[robot_id]
        if decide is not None:
            waiting.appendleft(decide)
        if not waiting:
            del self._waiting[robot_id]
        elif self._served[robot_id] < self._quota:
            self._turns.append(robot_id)
