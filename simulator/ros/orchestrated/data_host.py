"""What a data provider needs from an orchestrator, be it the conductor or that of ros2_def."""

from typing import Any, Protocol


class DataHost(Protocol):
    """Takes messages and time, and says when the next may come; each method raises ConductorError."""

    def begin(self) -> None:
        """Wait until each node has subscribed to its inputs and publishes its outputs."""

    def publish(self, topic: str, message_type: Any, message: Any) -> None:
        """Publish a message, or its bytes, once everybody has read the one before."""

    def set_time(self, now_ns: int) -> None:
        """Let time pass, once all timers that were due have been served."""

    def wait_for_state(self) -> None:
        """Wait until every callback has ended on which the data provider's state depends."""

    def wait_for_rest(self) -> None:
        """Wait until nothing runs, and nothing is expected."""
