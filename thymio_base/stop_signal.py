"""Records SIGINT and SIGTERM."""

import signal
from types import FrameType


class StopSignal:
    """Records that SIGINT or SIGTERM has arrived; create it once, in the main thread, before ROS starts."""

    def __init__(self) -> None:
        self.is_requested = False
        signal.signal(signal.SIGINT, self._note)
        signal.signal(signal.SIGTERM, self._note)

    def _note(self, _: int, __: FrameType | None) -> None:
        self.is_requested = True
