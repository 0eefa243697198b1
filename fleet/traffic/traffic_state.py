"""The state of a robot in traffic, as traffic reports it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class TrafficPhase(Enum):
    """The state of a robot in traffic; the value is what status shows."""

    FREE = "free"  # it drives, or has nowhere to go
    PLANNING = "planning"  # its way is being planned
    WAITING = "waiting"  # it lets others pass
    BLOCKED = "blocked"  # there is no way at present
    GIVING_WAY = "giving_way"  # it has no task, and steps aside for others


@dataclass(frozen=True, slots=True)
class TrafficState:
    """The state of a robot in traffic, and the robots that cause it.

    Parameters
    ----------
    going : its phase
    waiting_for : the robots that it lets pass
    hosts : hosts of those among them that other drivers serve
    blocked_by : what blocks its way, human-readable; "" unless it is blocked
    blocked_s : how long it has been blocked
    gives_up_s : time until its task is aborted as blocked; None unless it is blocked
    """

    going: TrafficPhase = TrafficPhase.FREE
    waiting_for: tuple[int, ...] = ()
    hosts: Mapping[int, str] = field(default_factory=dict)
    blocked_by: str = ""
    blocked_s: float = 0.0
    gives_up_s: float | None = None

    @property
    def waiting_text(self) -> str:
        """The robots that it lets pass, with the hosts of neighbours: `3 7@bench`."""
        ids = self.waiting_for
        return " ".join(
            f"{robot_id}@{self.hosts[robot_id]}" if robot_id in self.hosts else str(robot_id) for robot_id in ids
        )


ALONE = TrafficState()
