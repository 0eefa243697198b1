"""Counts the results of goals, from the events of clients, watcher and drivers; no ROS here."""

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import pairwise
from pathlib import Path

_STARTED = re.compile(r"task '([^']+)' accepted\s*$")
_OVER = re.compile(r"task '([^']+)' (?:SUCCEEDED|CANCELED|ABORTED)")


class EventKind(StrEnum):
    """The kind of an event."""

    SENT = "sent"  # a client sent a goal
    ACCEPTED = "accepted"  # ... received its acceptance
    REJECTED = "rejected"  # ... received its rejection
    ENDED = "ended"  # ... received its result; `detail` is the state
    GAVE_UP = "gave_up"  # ... received nothing before its deadline
    NO_SERVER = "no_server"  # ... found no action server
    POSE = "pose"  # the watcher received a robot's pose
    IDLE = "idle"  # ... a status; `detail` is "yes" for a robot that accepts tasks
    OVERRUNS = "overruns"  # ... the number of late ticks that the driver reported, in `detail`
    SERVES = "serves"  # ... the robots that a driver serves, in `detail`; its token is the `task`
    ATTACKS = "attacks"  # a hostile client's number of sent messages, in `detail`


@dataclass(frozen=True, slots=True)
class GoalEvent:
    """An event at an instant of time.monotonic(), which all processes of a machine share."""

    at_s: float
    what: EventKind
    robot: int = 0
    task: str = ""
    detail: str = ""
    reason: str = ""

    def line(self) -> str:
        """Return the event as a line of JSON."""
        return json.dumps({key: value for key, value in asdict(self).items() if value})

    def write(self) -> None:
        """Write the event to the standard output in one piece: other processes may write to the same file."""
        sys.stdout.write(self.line() + "\n")
        sys.stdout.flush()

    @classmethod
    def from_line(cls, line: str) -> "GoalEvent":
        """Return the event of a line of JSON."""
        values = json.loads(line)
        return cls(**{**values, "what": EventKind(values["what"])})


class EventFile:
    """A file to which another process appends events."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0
        self.events: list[GoalEvent] = []
        self._of: dict[EventKind, list[GoalEvent]] = defaultdict(list)

    def of(self, what: EventKind) -> list[GoalEvent]:
        """Read new events; return all of one kind, without parsing the many others."""
        self.update()
        return self._of[what]

    def update(self) -> list[GoalEvent]:
        """Read the events appended since the last call; return all."""
        with self._path.open("rb") as file:
            file.seek(self._read)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]  # the last line may still be written
        self._read += len(whole)
        for line in whole.decode().splitlines():
            if line.startswith("{"):
                event = GoalEvent.from_line(line)
                self.events.append(event)
                self._of[event.what].append(event)
        return self.events


@dataclass(frozen=True, slots=True)
class Counts:
    """The results of one client's goals."""

    goals: int
    unanswered: int  # never accepted, rejected or ended
    without_end: int  # accepted, but never ended
    executed_twice: int  # accepted more than once, or ended more than once, by drivers
    succeeded: int
    aborted: int
    rejected: int
    accepts_s: tuple[float, ...]  # from sending a goal until its acceptance is received
    reasons: Mapping[str, int]  # of aborted goals


def count(events: Iterable[GoalEvent], driver_log: str) -> Counts:
    """Return the results of all goals that a client sent; goals of a client that died lack events."""
    goals: dict[str, dict[EventKind, GoalEvent]] = {}
    for event in events:
        if event.task and event.what is not EventKind.SERVES:
            goals.setdefault(event.task, {}).setdefault(event.what, event)
    sent = {task: reports for task, reports in goals.items() if EventKind.SENT in reports}
    ends = [reports[EventKind.ENDED] for reports in sent.values() if EventKind.ENDED in reports]
    answered = {EventKind.ACCEPTED, EventKind.REJECTED, EventKind.ENDED}
    return Counts(
        goals=len(sent),
        unanswered=sum(not answered & reports.keys() for reports in sent.values()),
        without_end=sum(EventKind.ACCEPTED in reports and EventKind.ENDED not in reports for reports in sent.values()),
        executed_twice=len(repeated(driver_log) & sent.keys()),
        succeeded=sum(end.detail == "SUCCEEDED" for end in ends),
        aborted=sum(end.detail == "ABORTED" for end in ends),
        rejected=sum(EventKind.REJECTED in reports for reports in sent.values()),
        accepts_s=tuple(
            reports[EventKind.ACCEPTED].at_s - reports[EventKind.SENT].at_s
            for reports in sent.values()
            if EventKind.ACCEPTED in reports
        ),
        reasons=dict(Counter(end.reason for end in ends if end.detail == "ABORTED" and end.reason)),
    )


def repeated(driver_log: str) -> set[str]:
    """Return the tasks that drivers accepted more than once, or ended more than once."""
    return {
        task
        for pattern in (_STARTED, _OVER)
        for task, times in Counter(_named(pattern, driver_log)).items()
        if times > 1
    }


def _named(pattern: re.Pattern[str], log: str) -> Iterator[str]:
    return (match.group(1) for match in map(pattern.search, log.splitlines()) if match)


def largest_gap_s(events: Iterable[GoalEvent], robots: Sequence[int], start_s: float, end_s: float) -> float:
    """Return the longest time without a pose of any one of the robots."""
    arrivals = {robot: [start_s] for robot in robots}
    for event in events:
        if event.what is EventKind.POSE and event.robot in arrivals and start_s <= event.at_s <= end_s:
            arrivals[event.robot].append(event.at_s)
    times = [[*of_robot, end_s] for of_robot in arrivals.values()]
    return max(after - before for of_robot in times for before, after in pairwise(of_robot))


def late_ticks(events: Iterable[GoalEvent], start_s: float) -> int:
    """Return the number of late ticks since an instant; a count that decreases is from a restarted driver."""
    late, last = 0, 0
    for event in events:
        if event.what is EventKind.OVERRUNS:
            now = int(event.detail)
            if event.at_s >= start_s:
                late += now - last if now >= last else now
            last = now
    return late


def rate_hz(events: Sequence[GoalEvent]) -> float:
    """Return the rate at which a hostile client sent messages, 0 with fewer than two reports."""
    if len(events) < 2:
        return 0.0
    return (int(events[-1].detail) - int(events[0].detail)) / (events[-1].at_s - events[0].at_s)


def idle_robots(events: Iterable[GoalEvent]) -> set[int]:
    """Return the robots that accept tasks, by the last status of each."""
    latest = {event.robot: event.detail for event in events if event.what is EventKind.IDLE}
    return {robot for robot, is_idle in latest.items() if is_idle == "yes"}


def first_accepted_s(events: Iterable[GoalEvent], since_s: float) -> float | None:
    """Return the delay from an instant until the first goal was accepted, None if none was."""
    times = [event.at_s - since_s for event in events if event.what is EventKind.ACCEPTED and event.at_s >= since_s]
    return min(times, default=None)


def serving(events: Iterable[GoalEvent], since_s: float = 0.0) -> dict[str, set[int]]:
    """Return the robots that each driver serves, by its token, as reported since an instant."""
    reports = [event for event in events if event.what is EventKind.SERVES and event.at_s >= since_s]
    return {event.task: {int(robot) for robot in event.detail.split()} for event in reports}
