"""The printed rows of counted answers, as JSON and as a table."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from rich.box import MARKDOWN
from rich.table import Table

_TABLE_COLUMNS = (
    "case",
    "client",
    "goals",
    "unanswered",
    "without_end",
    "executed_twice",
    "pose_gap_max_ms",
    "ticks_late",
    "succeeded",
    "aborted",
    "rejected",
    "accepted_p99_ms",
    "crashes",
    "turns",
    "ready_after_kill_s",
    "attacks_hz",
    "seconds",
    "load",
)


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

    def json(self) -> str:
        """Return the row as a line of JSON."""
        return json.dumps({key: None if value != value else value for key, value in asdict(self).items()})  # noqa: PLR0124  only NaN is so


def table(rows: Sequence[Row]) -> Table:
    """Return a line for each row, in Markdown."""
    result = Table(box=MARKDOWN)
    for name in _TABLE_COLUMNS:
        result.add_column(name, justify="left" if name in ("case", "client") else "right")
    for row in rows:
        values = asdict(row)
        result.add_row(*(_text(values[name]) for name in _TABLE_COLUMNS))
    return result


def _text(value: float | str) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.3g}" if value < 100.0 else f"{value:.0f}"
    return str(value)
