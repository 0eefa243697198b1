"""SIGINT and SIGTERM, remembered."""

import signal
from types import FrameType


class StopSignal:
    """Remembers that the program was told to end; made once, in the main thread, before ROS is started."""

    def __init__(self) -> None:
        self.came = False
        signal.signal(signal.SIGINT, self._note)
        signal.signal(signal.SIGTERM, self._note)

    def _note(self, _: int, __: FrameType | None) -> None:
        self.came = True
