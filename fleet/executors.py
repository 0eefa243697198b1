"""What serves the entities of ROS: an executor that is told of events, or one that waits for all entities anew."""

from enum import Enum

from rclpy.executors import Executor, SingleThreadedExecutor

try:
    from rclpy.experimental import EventsExecutor
except ImportError:  # distributions before Jazzy
    EventsExecutor = None


class ExecutorKind(Enum):
    """Which executor."""

    EVENTS = "events"  # woken by what has come; its cost does not depend on how many entities there are
    WAITING = "waiting"  # makes a set of all entities each time it waits; rclpy's old one, which works everywhere

    def __str__(self) -> str:
        return self.value


def create_executor(kind: ExecutorKind | None = None) -> Executor:
    """Return an executor of a kind; of the one that costs less, where that is there, if `kind` is None.

    Drive it by `spin_once` with a timeout: `spin` of the one for events waits for ever in some builds of rclpy.

    Raises
    ------
    RuntimeError
        This rclpy has no executor of that kind.
    """
    if kind is ExecutorKind.WAITING or (kind is None and EventsExecutor is None):
        return SingleThreadedExecutor()
    if EventsExecutor is None:
        raise RuntimeError("this rclpy has no EventsExecutor")
    return EventsExecutor()
