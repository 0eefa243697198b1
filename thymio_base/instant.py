"""An instant on two clocks."""

from dataclasses import dataclass
from typing import Final


@dataclass(init=False, unsafe_hash=True, slots=True)
class Instant:
    """The same instant on the core's clock, which never jumps, and on the ROS clock, which stamps messages."""

    core_ns: Final[int]
    ros_ns: Final[int]

    def __init__(self, core_ns: int, ros_ns: int) -> None:
        self.core_ns = core_ns
        self.ros_ns = ros_ns

    def to_core(self, ros_stamp_ns: int) -> int:
        """Return a ROS stamp on the core's clock; a zero stamp means now."""
        return self.core_ns - (self.ros_ns - ros_stamp_ns) if ros_stamp_ns else self.core_ns

    def to_ros(self, core_stamp_ns: int) -> int:
        """Return a core stamp on the ROS clock; instants before that clock's zero become zero."""
        return max(self.ros_ns - (self.core_ns - core_stamp_ns), 0)


class ForwardClock:
    """A clock that follows another clock, and pauses when that clock is set back."""

    def __init__(self) -> None:
        self._latest_ns = 0
        self._ahead_ns = 0

    def follow(self, now_ns: int) -> int:
        """Return this clock's time when the other clock shows `now_ns`."""
        self._ahead_ns += max(self._latest_ns - now_ns, 0)
        self._latest_ns = now_ns
        return now_ns + self._ahead_ns
