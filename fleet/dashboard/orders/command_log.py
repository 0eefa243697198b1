"""Commands: who asked for what, and the outcome."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from fleet.dashboard.model.event_log import EventLog, LogEntry, LogEntryKind, Severity
from fleet.dashboard.model.published_state import PublishedState, Section
from fleet.dashboard.model.task_history import TaskHistory
from fleet.dashboard.orders.fleet_orders import Verb
from thymio_base.logs.audit_log import AuditEvent, AuditLog, Orderer

_KEPT: Final = 100


class CommandState(Enum):
    """The state of a command."""

    SENT = "sent"
    EXECUTING = "executing"  # an accepted goal
    DONE = "done"  # only of commands that are not goals
    SUCCEEDED = "succeeded"
    CANCELED = "canceled"
    ABORTED = "aborted"
    REJECTED = "rejected"
    FAILED = "failed"  # no server answered

    @property
    def is_final(self) -> bool:
        """Whether the command is over."""
        return self not in (CommandState.SENT, CommandState.EXECUTING)


@dataclass(frozen=True, slots=True)
class Person:
    """The sender of a command: a session's name, its role, and the address of its browser."""

    name: str
    role: str
    address: str

    def __str__(self) -> str:
        return f"{self.name} ({self.role})"

    @property
    def orderer(self) -> Orderer:
        """The person as the audit log names it."""
        return Orderer(self.name, self.role, self.address)


@dataclass(frozen=True, slots=True)
class CommandProgress:
    """The present state of a command; `reason` is one of the closed set, or ""."""

    command_id: str
    state: CommandState
    reason: str = ""
    text: str = ""
    task_id: str = ""


_SEVERITIES: Final = {
    CommandState.ABORTED: Severity.ERROR,
    CommandState.REJECTED: Severity.WARNING,
    CommandState.FAILED: Severity.ERROR,
}


class CommandLog:
    """All commands of the last while.

    Parameters
    ----------
    state : receives the commands
    log : receives an event for each command, and for each failure
    tasks : is told which command started a task
    audit : records each command, and its end
    """

    def __init__(self, state: PublishedState, log: EventLog, tasks: TaskHistory, audit: AuditLog) -> None:
        self._state = state
        self._log = log
        self._tasks = tasks
        self._audit = audit
        self._open: dict[str, tuple[Orderer, str, Mapping[str, object]]] = {}  # for the audit log, until they are over
        self._count = 0
        self.rejected: dict[str, int] = {}  # number of rejected goals, by reason

    def open(
        self, verb: Verb, robot_id: int | None, person: Person, what: str, now_ns: int, *, job_id: str = ""
    ) -> str:
        """Note a command, its text in `what`, and the job it submits; return the command's id."""
        self._count += 1
        command_id = f"c{self._count}"
        entry = {
            "id": command_id,
            "verb": verb.value,
            "what": what,
            "robot": robot_id,
            "by": str(person),
            "address": person.address,
            "time_s": round(now_ns * 1e-9, 3),
            "state": CommandState.SENT.value,
            "reason": "",
            "text": "",
            "task_id": "",
            "job_id": job_id,
            "ended_s": None,
        }
        self._state.put(Section.COMMANDS, command_id, entry)
        if self._count > _KEPT:
            self._state.remove(Section.COMMANDS, f"c{self._count - _KEPT}")
        facts = {"verb": verb.value, "robot": robot_id, "command": command_id}
        self._open[command_id] = person.orderer, what, facts
        self._audit.note(AuditEvent.ORDERED, person.orderer, what, **facts)
        text = what if robot_id is None else f"robot {robot_id}: {what}"
        self._log.add(LogEntry(Severity.NOTICE, LogEntryKind.COMMAND, text, robot_id, by=str(person)), now_ns)
        return command_id

    def entry(self, command_id: str) -> dict[str, Any] | None:
        """Return a command as pages show it, None if it is unknown."""
        entry: dict[str, Any] | None = self._state.get(Section.COMMANDS, command_id)
        return entry

    def progress(self, progress: CommandProgress, now_ns: int) -> None:
        """Note the state of a command."""
        if progress.state.is_final and progress.command_id in self._open:
            orderer, what, facts = self._open.pop(progress.command_id)
            self._audit.note(AuditEvent.ENDED, orderer, what, **facts, **_outcome(progress))
        entry = self.entry(progress.command_id)
        if entry is None:
            return
        is_task = progress.state not in (CommandState.REJECTED, CommandState.FAILED)
        if progress.task_id and is_task and not entry["task_id"]:
            self._tasks.note_command(progress.task_id, progress.command_id)
        is_over = progress.state.is_final
        changes = {
            "state": progress.state.value,
            "reason": progress.reason,
            "text": progress.text,
            "task_id": progress.task_id or entry["task_id"],
            "ended_s": round(now_ns * 1e-9, 3) if is_over else None,
        }
        self._state.put(Section.COMMANDS, progress.command_id, entry | changes, is_settled=is_over)
        if progress.state is CommandState.REJECTED:
            self.rejected[progress.reason] = self.rejected.get(progress.reason, 0) + 1
        if progress.state in _SEVERITIES and progress.state is not CommandState.ABORTED:
            text = f"{entry['what']}: {progress.state.value}"
            severity = _SEVERITIES[progress.state]
            happening = LogEntry(
                severity, LogEntryKind.COMMAND, text, entry["robot"], progress.reason, progress.text, entry["by"]
            )
            self._log.add(happening, now_ns)


def _outcome(progress: CommandProgress) -> dict[str, object]:
    """Return the end of a command for the audit log."""
    return {
        "outcome": progress.state.value,
        "reason": progress.reason,
        "text": progress.text,
        "task": progress.task_id,
    }
