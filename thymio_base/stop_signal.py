"""Remembers SIGINT and SIGTERM."""

import signal
from types import FrameType


class StopSignal:
    """Remembers that the program was asked to stop; create it once, in the main thread, before ROS starts."""

    def __init__(self) -> None:
        self.is_requested = False
        signal.signal(signal.SIGINT, self._note)
        signal.signal(signal.SIGTERM, self._note)

    def _note(self, _: int, __: FrameType | None) -> None:
        self.is_requested = True
