"""What a data provider needs from its orchestrator, either the conductor or that of ros2_def."""

from typing import Any, Protocol


class DataHost(Protocol):
    """Accepts messages and time, and decides when more may follow; each method raises ConductorError."""

    def begin(self) -> None:
        """Wait until every node subscribes to its inputs and publishes its outputs."""

    def publish(self, topic: str, message_type: Any, message: Any) -> None:
        """Publish a message, or its bytes, once all readers have processed the previous message."""

    def set_time(self, now_ns: int) -> None:
        """Advance time once all due timers have been served."""

    def wait_for_state(self) -> None:
        """Wait until every callback that affects the data provider's state has ended."""

    def wait_for_rest(self) -> None:
        """Wait until no callback is running or expected."""
