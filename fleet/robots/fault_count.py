"""Counts the internal errors of one robot's steps; a robot with several in a short time is out of service."""

from collections import deque
from typing import Final

_TOLERATED: Final = 4  # in the window; one bad message must not take a robot out of service
_WINDOW_NS: Final = 10_000_000_000


class FaultCount:
    """The internal errors of one robot.

    Attributes
    ----------
    text : the latest error, while the robot is out of service; "" while it is in service
    """

    def __init__(self) -> None:
        self.text = ""
        self._noted_ns: deque[int] = deque(maxlen=_TOLERATED + 1)

    def note(self, text: str, now_ns: int) -> None:
        """Note an error; exceeding the tolerated number within ten seconds takes the robot out of service."""
        self._noted_ns.append(now_ns)
        if len(self._noted_ns) > _TOLERATED and now_ns - self._noted_ns[0] <= _WINDOW_NS:
            self.text = text

    def clear(self) -> None:
        """Take the robot back into service."""
        self.text = ""
        self._noted_ns.clear()
