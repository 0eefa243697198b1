"""Queue of undecided requests: robots take turns within quotas, so a flood for one does not delay the others."""

from collections import deque
from collections.abc import Callable
from typing import Final, TypeAlias

Decide: TypeAlias = Callable[[], None]


class RequestQueue:
    """Keeps the requests of each robot in order of arrival.

    Parameters
    ----------
    limit : how many requests of one robot may wait, at least 1
    quota : how many requests of one robot are decided between two calls of `refill`, at least 1
    """

    def __init__(self, limit: int, quota: int) -> None:
        self.limit: Final = limit
        self.may_wait: Final = True
        self._quota = quota
        self._waiting: dict[int, deque[Decide]] = {}  # no queue is empty
        self._turns: deque[int] = deque()  # the robots that have requests and may be served, in this order
        self._served: dict[int, int] = {}  # how much of its quota a robot has used

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
        """Give every robot its quota again, as each tick does."""
        self._turns += [robot_id for robot_id in self._waiting if self._served.get(robot_id, 0) >= self._quota]
        self._served.clear()

    def serve(self) -> bool:
        """Decide the request whose turn it is; return False if no waiting request may be decided."""
        if not self._turns:
            return False
        robot_id = self._turns.popleft()
        waiting = self._waiting[robot_id]
        decide = waiting.popleft()
        self._served[robot_id] = self._served.get(robot_id, 0) + 1
        if not waiting:
            del self._waiting[robot_id]
        elif self._served[robot_id] < self._quota:
            self._turns.append(robot_id)
        decide()
        return True
