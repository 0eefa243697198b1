"""Tracks the tasks of all robots: the present one of each, and the ends of earlier ones.

Our drivers publish their robots' tasks. Other servers publish only a status, from which legs and plan are guessed.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Final

from fleet.client.robot_report import RobotReport
from fleet.dashboard.model.duration_counts import DurationCounts
from fleet.dashboard.model.event_log import EventLog, LogEntry, LogEntryKind, Severity
from fleet.dashboard.model.published_state import PublishedState, Section
from fleet.tasks.task_report import LegReport, TaskReport
from fleet.work.kinds import KINDS, kind_named

_ENDED: Final = 200  # ended tasks still shown
_AWAITED: Final = 1000  # commands whose tasks have not started
_ENDS: Final = ("SUCCEEDED", "CANCELED", "ABORTED", "gone")
_SEVERITIES: Final = {
    "SUCCEEDED": Severity.INFO,
    "CANCELED": Severity.NOTICE,
    "ABORTED": Severity.ERROR,
    "gone": Severity.NOTICE,
}
_KINDS: Final = {kind.value: kind.public_name for kind in KINDS}
_WAITS: Final = 50  # kept for one task
_LAP: Final = re.compile(r"(?<=^follow )(\S+) \d+/\d+$")


@dataclass(slots=True)
class _Current:
    """The latest task of a robot, as last published."""

    key: str
    task_id: str
    entry: dict[str, Any]


class TaskHistory:
    """Follows the tasks of all robots.

    Parameters
    ----------
    state : receives the tasks
    log : receives an event for each start and end
    """

    def __init__(self, state: PublishedState, log: EventLog) -> None:
        self._state = state
        self._log = log
        self._current: dict[int, _Current] = {}
        self._reporting: set[int] = set()  # robots whose driver publishes `x/task`
        self._ended: dict[str, str] = {}  # the ends of ended tasks by key, oldest first
        self._commands: dict[str, str] = {}  # the command that started a task, by task id
        self.ends: dict[tuple[str, str, str], int] = {}  # number of ended tasks, by kind, end and reason
        self.durations: defaultdict[str, DurationCounts] = defaultdict(DurationCounts)  # by kind

    def note_command(self, task_id: str, command_id: str) -> None:
        """Note the command that sends a task; the task may already be running."""
        for current in self._current.values():
            if current.task_id == task_id:
                shown = self._state.get(Section.TASKS, current.key) or current.entry
                current.entry = shown | {"command": command_id}
                is_over = current.key in self._ended
                self._state.put(Section.TASKS, current.key, current.entry, is_settled=is_over)
                return
        self._commands[task_id] = command_id
        if len(self._commands) > _AWAITED:  # rejected goals never start
            del self._commands[next(iter(self._commands))]

    def on_task(self, robot_id: int, report: TaskReport, now_ns: int) -> None:
        """Process a message of `x/task`."""
        self._reporting.add(robot_id)
        if report.task_id:
            known = self._current.get(robot_id)
            if known is None and report.state in _ENDS:
                return  # it ended before the dashboard started
            self._set(robot_id, report.task_id, _reported(report), now_ns)

    def on_status(self, robot_id: int, report: RobotReport, now_ns: int) -> None:
        """Process a status: only progress if the driver publishes the task, otherwise the whole task."""
        task_id = report.values.get("assigned_task", "") if report.is_busy else ""
        self._correct(robot_id, report)
        current = self._current.get(robot_id)
        is_open = current is not None and current.entry["state"] not in _ENDS
        if is_open and current is not None and current.task_id != task_id:
            if robot_id not in self._reporting:
                self._set(robot_id, current.task_id, _end(report, current.task_id), now_ns)
        elif is_open and current is not None:
            waits = _waits(current.entry["waits"], _seconds(now_ns), is_waiting=report.is_waiting)
            self._set(robot_id, task_id, {"progress": report.progress, "eta_s": report.eta_s, "waits": waits}, now_ns)
        if task_id and robot_id not in self._reporting:
            self._set(robot_id, task_id, _guessed(report), now_ns)

    def forget(self, robot_id: int, now_ns: int) -> None:
        """Forget a robot that was dismissed; its open task counts as gone."""
        current = self._current.pop(robot_id, None)
        self._reporting.discard(robot_id)
        if current is not None and current.entry["state"] not in _ENDS:
            self._close(robot_id, current, current.entry | {"state": "gone"}, now_ns)

    def _set(self, robot_id: int, task_id: str, changes: dict[str, Any], now_ns: int) -> None:
        current = self._current.get(robot_id)
        if current is None or current.task_id != task_id:
            if current is not None and current.entry["state"] not in _ENDS:
                self._close(robot_id, current, current.entry | {"state": "gone"}, now_ns)
            current = self._open(robot_id, task_id, changes, now_ns)
        elif current.entry["state"] in _ENDS:
            return
        entry = current.entry | changes
        if entry["state"] in _ENDS:
            self._close(robot_id, current, entry, now_ns)
        else:
            current.entry = entry
            self._state.put(Section.TASKS, current.key, entry)

    def _correct(self, robot_id: int, report: RobotReport) -> None:
        """Learn from a status how a task ended, when its end was missed because the next task started at once."""
        task_id = report.values.get("last_task", "")
        if task_id and self._ended.get(key := f"{robot_id}/{task_id}") == "gone":
            end = _end(report, task_id)
            self._ended[key] = end["state"]
            self._state.put(Section.TASKS, key, self._state.get(Section.TASKS, key) | end, is_settled=True)

    def _open(self, robot_id: int, task_id: str, changes: dict[str, Any], now_ns: int) -> _Current:
        key = f"{robot_id}/{task_id}"
        command = self._commands.pop(task_id, None)
        entry = {**_EMPTY, "robot": robot_id, "id": task_id, "started_s": _seconds(now_ns), "command": command}
        current = self._current[robot_id] = _Current(key, task_id, entry)
        self._ended.pop(key, None)
        text = f"{changes.get('words') or task_id} started"
        self._log.add(LogEntry(Severity.INFO, LogEntryKind.TASK, text, robot_id, subject=task_id), now_ns)
        return current

    def _close(self, robot_id: int, current: _Current, entry: dict[str, Any], now_ns: int) -> None:
        end, reason = entry["state"], entry["reason"]
        progress = 1.0 if end == "SUCCEEDED" else entry["progress"]
        ended_s = _seconds(now_ns)
        waits = _waits(entry["waits"], ended_s, is_waiting=False)
        over = {"ended_s": ended_s, "plan": [], "eta_s": None, "progress": progress, "waits": waits}
        current.entry = entry | over
        self._state.put(Section.TASKS, current.key, current.entry, is_settled=True)
        self._ended[current.key] = end
        if len(self._ended) > _ENDED:
            oldest = next(iter(self._ended))
            del self._ended[oldest]
            self._state.remove(Section.TASKS, oldest)
        kind = entry["kind"]
        self.ends[kind, end, reason] = self.ends.get((kind, end, reason), 0) + 1
        self.durations[kind].add(current.entry["ended_s"] - entry["started_s"])
        if end == "SUCCEEDED" and self._is_of_a_job(current.task_id):
            return  # the job's own end is logged
        text = f"{entry['words'] or current.task_id} {end}"
        happening = LogEntry(
            _SEVERITIES[end], LogEntryKind.TASK, text, robot_id, reason, entry["detail"], subject=current.task_id
        )
        self._log.add(happening, now_ns)

    def _is_of_a_job(self, task_id: str) -> bool:
        """Whether a task is an attempt at a job: the first attempt has the job's id, the second ID#2."""
        return self._state.get(Section.JOBS, task_id.partition("#")[0]) is not None


_EMPTY: Final[dict[str, Any]] = {
    "kind": "",
    "words": "",
    "state": "executing",
    "reason": "",
    "detail": "",
    "legs": [],
    "leg": 0,
    "plan": [],
    "waits": [],  # for other robots: [since, until], in s; until is None while it waits
    "progress": None,
    "eta_s": None,
    "ended_s": None,
    "clients": [],
    "is_known": False,
}


def _waits(waits: list[list[float | None]], now_s: float, *, is_waiting: bool) -> list[list[float | None]]:
    """Return the updated waits of a task; the published list is not modified."""
    is_open = bool(waits) and waits[-1][1] is None
    if is_open and not is_waiting:
        return [*waits[:-1], [waits[-1][0], now_s]]
    if is_waiting and not is_open:
        return [*waits, [now_s, None]][-_WAITS:]
    return waits


def _reported(report: TaskReport) -> dict[str, Any]:
    return {
        "kind": _KINDS.get(report.kind, report.kind),
        "words": report.words,
        "state": report.state,
        "reason": report.reason,
        "detail": report.detail,
        "legs": [_leg(leg) for leg in report.legs],
        "leg": report.leg,
        "plan": [[round(x_m, 4), round(y_m, 4)] for x_m, y_m in report.plan_m],
        "progress": report.progress,
        "eta_s": report.eta_s,
        "clients": list(report.clients),
        "is_known": True,
    }


def _leg(leg: LegReport) -> dict[str, Any]:
    if leg.pose is None:
        return {"kind": leg.kind.value, "duration_s": leg.duration_s, "loads": leg.loads}
    return {"kind": leg.kind.value, "pose": [leg.pose.x_m, leg.pose.y_m, leg.pose.heading_rad]}


def _guessed(report: RobotReport) -> dict[str, Any]:
    """Return a task's fields as far as its robot's status gives them."""
    goals = report.poses("plan")
    words = _LAP.sub(r"\1", report.task)  # the text of a task must not change with its laps
    kind = kind_named(words.split(" ")[0])
    start = [] if report.pose is None or not goals else [[report.pose.x_m, report.pose.y_m]]
    return {
        "kind": "" if kind is None else kind.public_name,
        "words": words,
        "state": "canceling" if report.values.get("state") == "canceling" else "executing",
        "legs": [{"kind": "drive", "pose": list(goal)} for goal in goals if len(goal) == 3],
        "plan": start + [[x_m, y_m] for x_m, y_m, *_ in goals],
        "progress": report.progress,
        "eta_s": report.eta_s,
    }


def _end(report: RobotReport, task_id: str) -> dict[str, Any]:
    """Return how a task ended, from its robot's status."""
    values = report.values
    if values.get("last_task") != task_id:
        return {"state": "gone"}
    result, _, reason = values.get("last_result", "").partition(":")
    if result not in _ENDS:
        return {"state": "gone"}
    return {"state": result, "reason": reason, "detail": values.get("last_result_detail", "")}


def _seconds(now_ns: int) -> float:
    return round(now_ns * 1e-9, 3)
