"""Alarms for what is wrong now, one for each robot and cause (a small subset of ISA-18.2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from fleet.client.robot_report import RobotReport
from fleet.dashboard.model.event_log import EventLog, LogEntry, LogEntryKind, Severity
from fleet.dashboard.model.published_state import PublishedState, Section
from thymio_base.palette import Tone

_RAISED_NS: Final = 1_000_000_000  # a shorter trouble does not raise an alarm
_CLEARED_NS: Final = 3_000_000_000  # a trouble that is gone for less may be back
_FORGOTTEN_NS: Final = 600_000_000_000  # a cleared alarm that nobody has acknowledged
_TARGETS: Final = ("tcp:", "ser:")


@dataclass(frozen=True, slots=True)
class Trouble:
    """A trouble of one robot or driver.

    Parameters
    ----------
    cause : a single word; a robot has at most one alarm for each cause
    target : the robot's target, if the text names one; pages can fold alarms with the same target
    """

    cause: str
    severity: Severity
    text: str
    robot_id: int | None = None
    target: str = ""

    @property
    def alarm_id(self) -> str:
        """The id of its alarm."""
        return f"{'fleet' if self.robot_id is None else self.robot_id}:{self.cause}"


@dataclass(slots=True)
class _RaisedAlarm:
    trouble: Trouble
    since_ns: int
    seen_ns: int
    is_raised: bool = False
    cleared_ns: int | None = None
    acknowledged_by: str = ""


class Alarms:
    """Raises an alarm when a trouble has lasted a second, and clears it when it has been gone for three.

    Parameters
    ----------
    state : gets the alarms
    log : gets an event for each alarm that is raised or cleared
    """

    def __init__(self, state: PublishedState, log: EventLog) -> None:
        self._state = state
        self._log = log
        self._alarms: dict[str, _RaisedAlarm] = {}

    def advance(self, troubles: Mapping[str, Trouble], now_ns: int) -> None:
        """Update the alarms with all present troubles, by alarm id."""
        for alarm_id, trouble in troubles.items():
            self._note(alarm_id, trouble, now_ns)
        for alarm_id, alarm in list(self._alarms.items()):
            if alarm_id not in troubles:
                self._note_absence(alarm_id, alarm, now_ns)

    def has(self, alarm_id: str) -> bool:
        """Whether there is such an alarm."""
        alarm = self._alarms.get(alarm_id)
        return alarm is not None and alarm.is_raised

    def acknowledge(self, alarm_id: str, by: str) -> None:
        """Note that somebody has seen an alarm that exists."""
        alarm = self._alarms[alarm_id]
        alarm.acknowledged_by = by
        self._publish(alarm_id, alarm)

    def _note(self, alarm_id: str, trouble: Trouble, now_ns: int) -> None:
        alarm = self._alarms.setdefault(alarm_id, _RaisedAlarm(trouble, now_ns, now_ns))
        alarm.trouble, alarm.seen_ns = trouble, now_ns
        is_again = alarm.cleared_ns is not None
        if is_again:
            alarm.since_ns, alarm.cleared_ns, alarm.acknowledged_by = now_ns, None, ""
        if is_again or (not alarm.is_raised and now_ns - alarm.since_ns >= _RAISED_NS):
            alarm.is_raised = True
            self._log.add(_event(trouble.severity, trouble.text, alarm_id, alarm), now_ns)
        self._publish(alarm_id, alarm)

    def _note_absence(self, alarm_id: str, alarm: _RaisedAlarm, now_ns: int) -> None:
        if not alarm.is_raised:
            del self._alarms[alarm_id]
            return
        if alarm.cleared_ns is None and now_ns - alarm.seen_ns >= _CLEARED_NS:
            alarm.cleared_ns = now_ns
            text = f"no longer: {alarm.trouble.text}"
            self._log.add(_event(Severity.INFO, text, alarm_id, alarm), now_ns)
        is_over = alarm.cleared_ns is not None and (
            bool(alarm.acknowledged_by) or now_ns - alarm.cleared_ns >= _FORGOTTEN_NS
        )
        if is_over:
            del self._alarms[alarm_id]
            self._state.remove(Section.ALARMS, alarm_id)
        else:
            self._publish(alarm_id, alarm)

    def _publish(self, alarm_id: str, alarm: _RaisedAlarm) -> None:
        if not alarm.is_raised:
            return
        trouble = alarm.trouble
        entry: dict[str, Any] = {
            "id": alarm_id,
            "robot": trouble.robot_id,
            "cause": trouble.cause,
            "severity": trouble.severity.value,
            "text": trouble.text,
            "raised_s": round(alarm.since_ns * 1e-9, 3),
            "cleared_s": None if alarm.cleared_ns is None else round(alarm.cleared_ns * 1e-9, 3),
            "acknowledged_by": alarm.acknowledged_by,
            "target": trouble.target,
        }
        self._state.put(Section.ALARMS, alarm_id, entry)


def _event(severity: Severity, text: str, alarm_id: str, alarm: _RaisedAlarm) -> LogEntry:
    return LogEntry(severity, LogEntryKind.ALARM, text, alarm.trouble.robot_id, subject=alarm_id)


def troubles_of(report: RobotReport) -> list[Trouble]:
    """Return what is wrong with a robot, the gravest first; a robot that only waits to be resumed has no trouble."""
    if not report.is_in_trouble:
        return []
    severity = Severity.WARNING if report.tone is Tone.WARNING else Severity.ERROR
    if report.word == "silent":
        return [_trouble("silent", severity, "its server has stopped publishing its status", report)]
    found = {trouble.cause: trouble for trouble in _parts(report, severity)}
    return list(found.values()) or [_trouble("other", severity, report.message or "in trouble", report)]


def _parts(report: RobotReport, severity: Severity) -> list[Trouble]:
    parts = (part for part in report.message.split("; ") if part and not part.startswith("stopped"))
    return [_trouble(_cause(part), severity, part, report) for part in parts]


_CAUSES: Final = {  # by how a part of a status's message begins
    "no link": "link",
    "no odometry": "link",
    "pose": "pose",
    "odometry only": "pose",
    "battery": "battery",
    "blocked": "blocked",
    "no progress": "stuck",
    "pushed": "pose",
}


def _cause(text: str) -> str:
    if "budget" in text:
        return "over_budget"
    return next((cause for beginning, cause in _CAUSES.items() if text.startswith(beginning)), "other")


def _trouble(cause: str, severity: Severity, text: str, report: RobotReport) -> Trouble:
    words = (word.rstrip(":,;") for word in text.split())
    target = next((word for word in words if word.startswith(_TARGETS)), "")
    return Trouble(cause, severity, text, report.robot_id, target)
