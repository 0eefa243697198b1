"""The log of events, which the timeline shows."""

import json
import math
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from fleet.dashboard.model.history import PackedLog
from fleet.dashboard.model.published_state import PublishedState, Section
from thymio_base.texts.json_text import own_json

_PUBLISHED: Final = 500  # events that a page gets by itself


class Severity(Enum):
    """How much an event or an alarm matters."""

    INFO = "info"  # as intended
    NOTICE = "notice"  # caused by a person
    WARNING = "warning"  # someone should take a look
    ERROR = "error"  # something cannot continue


class LogEntryKind(Enum):
    """What an event is about."""

    TASK = "task"
    JOB = "job"
    ALARM = "alarm"
    COMMAND = "command"
    ROBOT = "robot"  # it appeared, or was dismissed
    FLEET = "fleet"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One event.

    Parameters
    ----------
    robot_id : the robot concerned; None for events of no single robot
    reason, detail : why it happened, where known
    by : the person who caused it; "" for none
    subject : the id of the task, job or alarm that it is about; "" for other events
    """

    severity: Severity
    kind: LogEntryKind
    text: str
    robot_id: int | None = None
    reason: str = ""
    detail: str = ""
    by: str = ""
    subject: str = ""


class EventLog:
    """The events of the last half hour, numbered from 1.

    Parameters
    ----------
    state : receives the latest events
    """

    def __init__(self, state: PublishedState) -> None:
        self._state = state
        self.records: Final = PackedLog()
        self._count = 0
        self._first = 0  # the first number shown of an earlier run

    def add(self, happening: LogEntry, now_ns: int) -> None:
        """Note an event."""
        self._count += 1
        time_s = round(now_ns * 1e-9, 3)
        entry = _entry(self._count, time_s, happening)
        self.records.add(time_s, json.dumps(entry).encode())
        self._state.put(Section.EVENTS, str(self._count), entry, is_settled=True)
        if self._count > _PUBLISHED:
            self._state.remove(Section.EVENTS, str(self._count - _PUBLISHED))

    def take_up(self) -> None:
        """Show an earlier run's events from the records, and continue their numbers."""
        found = [own_json(record) for _, record in self.records.between(-math.inf, math.inf)]
        for entry in found[-_PUBLISHED:]:
            self._state.put(Section.EVENTS, str(entry["number"]), entry, is_settled=True)
            self._first = min(self._first or entry["number"], entry["number"])
        self._count = max((entry["number"] for entry in found), default=self._count)

    @property
    def first_number(self) -> int:
        """The number of the first event that pages get; 1 if there is none."""
        return max(self._first, self._count - _PUBLISHED + 1, 1)

    @property
    def last_number(self) -> int:
        """The number of the latest event; 0 if there is none."""
        return self._count

    def since(self, number: int, limit: int) -> list[dict[str, Any]]:
        """Return up to `limit` events after a number, from those that pages get."""
        first = max(number + 1, self.first_number)
        numbers = map(str, range(first, min(first + limit, self._count + 1)))
        found = (self._state.get(Section.EVENTS, one) for one in numbers)
        return [{"subject": "", **entry} for entry in found if entry is not None]

    def between(self, from_s: float, to_s: float, limit: int) -> list[dict[str, Any]]:
        """Return the latest `limit` events of an interval, oldest first."""
        found = [record for _, record in self.records.between(from_s, to_s)]
        return [own_json(record) for record in found[-limit:]]


def _entry(number: int, time_s: float, happening: LogEntry) -> dict[str, Any]:
    return {
        "number": number,
        "time_s": time_s,
        "severity": happening.severity.value,
        "kind": happening.kind.value,
        "robot": happening.robot_id,
        "text": happening.text,
        "reason": happening.reason,
        "detail": happening.detail,
        "by": happening.by,
        "subject": happening.subject,
    }
