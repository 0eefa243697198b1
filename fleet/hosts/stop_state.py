"""Whether the fleet is stopped; drivers on several hosts agree on it, whatever the network does to their messages.

Each driver counts the stops requested from it. Resuming revokes all stops that a driver knows of; a stop requested on
the other side of a network partition still holds when the hosts are connected again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class StopState:
    """The number of stops requested from each driver, and of those revoked; by the drivers' tokens."""

    stops: Mapping[str, int] = field(default_factory=dict)
    resumed: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_stopped(self) -> bool:
        """Whether a stop is in force."""
        return any(count > self.resumed.get(token, 0) for token, count in self.stops.items())

    def after_stop(self, token: str) -> "StopState":
        """Return the state after another stop."""
        return StopState({**self.stops, token: self.stops.get(token, 0) + 1}, self.resumed)

    def after_resume(self) -> "StopState":
        """Return the state after a resume."""
        return StopState(self.stops, self.stops)

    def capped(self, token: str, count: int) -> "StopState":
        """Return the state with at most `count` stops requested from a driver, and as many revoked."""
        return StopState(_capped(self.stops, token, count), _capped(self.resumed, token, count))

    def merged_with(self, other: "StopState") -> "StopState":
        """Return the combined stops that two drivers know of."""
        return StopState(_joined(self.stops, other.stops), _joined(self.resumed, other.resumed))


def _joined(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {token: max(one.get(token, 0), other.get(token, 0)) for token in {**one, **other}}


def _capped(counts: Mapping[str, int], token: str, count: int) -> Mapping[str, int]:
    return {**counts, token: min(counts[token], count)} if token in counts else counts
