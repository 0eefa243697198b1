"""The scenarios' connection to a server: `conformance.ros`, or in tests a server in memory on simulated time."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from conformance.record.run_record import ServerRecording


class ServerPort(Protocol):
    """Calls a server, receives its messages, and records everything."""

    recording: ServerRecording
    answers: dict[int, dict[str, Any]]  # by number of the call
    latest: dict[str, dict[str, Any]]  # the latest message of each topic

    def now_s(self) -> float:
        """Return the seconds since the start of the run."""
        ...

    def stamp_s(self) -> float:
        """Return the time for stamps of messages."""
        ...

    def wait(self, until: Callable[[], bool], timeout_s: float) -> bool:
        """Serve until a condition holds; return whether it does in time."""
        ...

    def call(self, service: str, request: Mapping[str, Any], label: str = "") -> int:
        """Call a service; return the number of the call."""
        ...

    def listen_late(self, topic: str, label: str, *, is_durable: bool) -> None:
        """Add a subscription, if durable with the latest message; its messages are recorded under the label."""
        ...

    def read_graph(self) -> None:
        """Record names, types and quality of service below the namespace."""
        ...

    def crowd(self, count: int) -> bool:
        """Add subscribers of the pose that never read, or with `count` 0 remove them; return False if impossible."""
        ...

    def run_hook(self, name: str, facts: Mapping[str, float] | None = None) -> bool:
        """Run a command of the set-up file, with facts in its environment; return whether it succeeded."""
        ...
