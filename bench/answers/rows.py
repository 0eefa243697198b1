"""The printed rows of counted answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Row:
    """The results of one kind of client in one case; values not measured are NaN, in JSON null."""

    case: str
    client: str
    goals: int
    unanswered: int
    without_end: int
    executed_twice: int
    pose_gap_max_ms: float
    ticks_late: float
    succeeded: int
    aborted: int
    rejected: int
    accepted_p99_ms: float
    accepted_max_ms: float
    crashes: int  # drivers and clients that ended with an error of their own
    turns: int  # kills, or hand-overs
    ready_after_kill_s: float
    attacks_hz: float  # messages sent by all hostile clients
    seconds: float
    load: float  # average of the last minute; above the number of cores, gaps may be the machine's
    reasons: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_clean(self) -> bool:
        """Whether every goal had its answer and its end, and was executed once."""
        return not (self.unanswered or self.without_end or self.executed_twice or self.crashes)
