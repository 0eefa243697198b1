"""Metrics in the text format of Prometheus, from the dashboard's model."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from fleet.client.robot_report import RobotReport, number_of
from fleet.dashboard.model.driver_counts import host_labels
from fleet.dashboard.model.duration_counts import BUCKETS_S
from fleet.dashboard.model.fleet_picture import PicturedRobot
from fleet.dashboard.model.job_view import OPEN_STATES, JobView
from fleet.dashboard.model.story import Story
from thymio_base.palette import Tone

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_PREFIX: Final = "thymio_fleet"
_PROCESS: Final = {  # standard metrics of processes, under the names that all programs use
    "process_cpu_seconds_total": ("counter", "Processor time of the dashboard."),
    "process_resident_memory_bytes": ("gauge", "Memory of the dashboard."),
    "process_start_time_seconds": ("gauge", "When the dashboard started, since 1970."),
    "process_open_fds": ("gauge", "Open files of the dashboard."),
}
_GONE_S: Final = 300.0  # a silent robot or driver counts as down for this long, then as gone
_SILENT_WORDS: Final = ("silent", "waiting")
_LINK_STATES: Final = ("connected", "stale", "lost")
Labels = Mapping[str, str]


@dataclass(slots=True)
class DashboardCounts:
    """Counts of the dashboard's server."""

    browsers: int = 0
    skipped_frames: int = 0
    fenced: Mapping[str, int] = field(default_factory=dict)  # internal errors, by door
    process: Mapping[str, float] = field(default_factory=dict)  # from the operating system, by the names in `_PROCESS`


class _Text:
    """The lines of all metrics.

    Values are written in full: rounded to six digits, a large count would not change while it grows.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, name: str, kind: str, help_text: str, samples: Iterable[tuple[Labels, float | None]]) -> None:
        """Append one metric; only finite values count, and the last of samples with the same labels."""
        self.add_plain(f"{_PREFIX}_{name}", kind, help_text, samples)

    def add_plain(self, name: str, kind: str, help_text: str, samples: Iterable[tuple[Labels, float | None]]) -> None:
        """Append one metric under a standard name, without our prefix."""
        values = {_labels(labels): value for labels, value in samples if value is not None and math.isfinite(value)}
        self.lines += [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"]
        self.lines += [f"{name}{labels} {_number(value)}" for labels, value in values.items()]


def metrics_text(
    story: Story, rejected: Mapping[str, int], counts: DashboardCounts, about: Mapping[str, Any], now_ns: int
) -> str:
    """Return all metrics; `rejected` are goals by reason, `about` has the version and the ROS distribution."""
    text = _Text()
    info = {"version": str(about.get("version", "")), "distro": str(about.get("distro", ""))}
    text.add("info", "gauge", "The running program.", [(info, 1.0)])
    text.add("stopped", "gauge", "Whether the fleet is stopped.", [({}, float(story.is_stopped))])
    _add_robots(text, story, now_ns)
    _add_tasks(text, story, rejected)
    if story.jobs.is_served:
        _add_jobs(text, story.jobs, now_ns)
    _add_drivers(text, story, now_ns)
    _add_fenced(text, story, counts.fenced, now_ns)
    text.add("dashboard_clients", "gauge", "Connected pages.", [({}, counts.browsers)])
    skipped = float(counts.skipped_frames)
    text.add("dashboard_frames_skipped_total", "counter", "Frames that slow pages were not sent.", [({}, skipped)])
    for name, value in counts.process.items():
        text.add_plain(name, *_PROCESS[name], [({}, value)])
    return "\n".join([*text.lines, ""])


def _add_robots(text: _Text, story: Story, now_ns: int) -> None:
    known = [({"robot": str(robot.robot_id)}, robot.report) for robot in _known_robots(story, now_ns)]
    ups = [(label, float(report.word != "waiting" and report.tone is not Tone.LOST)) for label, report in known]
    text.add("robot_up", "gauge", "Whether its state is known and it has a link.", ups)
    robots = [(label, report) for label, report in known if report.word not in _SILENT_WORDS]

    def add(name: str, help_text: str, values: Iterable[float | None]) -> None:
        labels = [label for label, _ in robots]
        text.add(f"robot_{name}", "gauge", help_text, zip(labels, values, strict=True))

    reports = [report for _, report in robots]
    add("level", "0 OK, 1 WARN, 2 ERROR.", (None if one.level is None else one.level.value for one in reports))
    add("busy", "Whether it performs a task.", (float(one.is_busy) for one in reports))
    add("battery_ratio", "Its charge.", (_ratio(one) for one in reports))
    ages_s = (number_of(one.values, "pose_age_s") for one in reports)
    add("pose_age_seconds", "Age of its latest measured pose.", ages_s)
    errors_mm = [number_of(one.values, "cross_track_mm") for one in reports]
    metres = (None if error_mm is None else 1e-3 * error_mm for error_mm in errors_mm)
    add("cross_track_error_meters", "Where its reference is, to its left positive.", metres)
    states = [
        ({**label, "state": state}, float(report.values.get("link") == state))
        for label, report in robots
        for state in _LINK_STATES
    ]
    words = [({**label, "activity": report.word}, 1.0) for label, report in robots]
    text.add("robot_activity", "gauge", "1 for what it does.", words)
    text.add("robot_link_state", "gauge", "1 for the state of its link.", states)


def _known_robots(story: Story, now_ns: int) -> list[PicturedRobot]:
    """Return robots that are present, and recently silent robots whose driver did not sign off."""
    claimed = {robot_id for driver in story.drivers(now_ns) for robot_id in driver.serves}
    return [
        robot
        for robot in story.picture
        if robot.report.word != "silent"
        or ((robot.robot_id in claimed or not robot.host) and (robot.report.age_s or 0.0) <= _GONE_S)
    ]


def _add_tasks(text: _Text, story: Story, rejected: Mapping[str, int]) -> None:
    ends = [
        ({"kind": kind, "result": result, "reason": reason}, float(count))
        for (kind, result, reason), count in story.tasks.ends.items()
    ]
    text.add("tasks_total", "counter", "Tasks that ended, since the dashboard started.", ends)
    goals = [({"reason": reason}, float(count)) for reason, count in rejected.items()]
    text.add("goals_rejected_total", "counter", "Goals of the dashboard that were rejected.", goals)
    name = f"{_PREFIX}_task_duration_seconds"
    text.lines += [f"# HELP {name} From acceptance to the end.", f"# TYPE {name} histogram"]
    for kind, counts in story.tasks.durations.items():
        for limit_s, found in zip(BUCKETS_S, counts.at_most, strict=True):
            text.lines.append(f"{name}_bucket{_labels({'kind': kind, 'le': f'{limit_s:g}'})} {found}")
        text.lines.append(f"{name}_bucket{_labels({'kind': kind, 'le': '+Inf'})} {counts.count}")
        text.lines += [
            f"{name}_sum{_labels({'kind': kind})} {_number(counts.total_s)}",
            f"{name}_count{_labels({'kind': kind})} {counts.count}",
        ]


def _add_jobs(text: _Text, jobs: JobView, now_ns: int) -> None:
    opened = {state.value: jobs.open_jobs(state) for state in OPEN_STATES}
    counts = [({"state": state}, float(len(entries))) for state, entries in opened.items()]
    text.add("jobs", "gauge", "Jobs that have not ended, by state.", counts)
    oldest = [
        ({"state": state}, round(now_ns * 1e-9 - min(entry["submitted_s"] for entry in entries), 3))
        for state, entries in opened.items()
        if entries
    ]
    text.add("job_oldest_age_seconds", "gauge", "Time since the submission of the oldest job in a state.", oldest)
    ends = [({"state": state, "reason": reason}, float(count)) for (state, reason), count in jobs.ends.items()]
    text.add("jobs_ended_total", "counter", "Jobs that ended, since the dashboard started.", ends)
    text.add("job_book_up", "gauge", "Whether jobs can be kept.", [({}, float(jobs.is_kept))])
    text.add("robots_off_duty", "gauge", "Robots that take no jobs.", [({}, float(len(jobs.off_duty)))])


def _add_drivers(text: _Text, story: Story, now_ns: int) -> None:
    drivers = [driver for driver in story.drivers(now_ns) if driver.age_s <= _GONE_S]
    hosts = host_labels(drivers)
    ups = [({"host": hosts[one.token]}, float(not one.is_silent)) for one in drivers if one.token in hosts]
    text.add("driver_up", "gauge", "Whether it announces itself.", ups)
    counts = story.counts.current(drivers, now_ns)
    for key, name, help_text in (
        ("ticks", "driver_ticks_total", "Ticks since its start."),
        ("tick_overruns", "driver_tick_overruns_total", "Ticks that started late, or not at all."),
        ("commands", "driver_commands_total", "Events sent to robots."),
        ("dropped_messages", "link_dropped_messages_total", "Messages that could not be read."),
    ):
        text.add(name, "counter", help_text, [({"host": one.host}, one.numbers.get(key)) for one in counts])
    targets = [
        ({"host": one.host, "target": target}, float(is_up)) for one in counts for target, is_up in one.targets.items()
    ]
    text.add("link_up", "gauge", "Whether a target is connected.", targets)


def _add_fenced(text: _Text, story: Story, doors: Mapping[str, int], now_ns: int) -> None:
    own: list[tuple[Labels, float | None]] = [
        ({"program": "dashboard", "door": door}, float(count)) for door, count in doors.items()
    ]
    drivers = [
        ({"program": "multi_thymio_driver", "host": one.host}, one.numbers.get("internal_errors"))
        for one in story.counts.current(story.drivers(now_ns), now_ns)
    ]
    text.add("fenced_total", "counter", "Internal errors that were caught, see the program's log.", [*own, *drivers])


def _ratio(report: RobotReport) -> float | None:
    percent = number_of(report.values, "battery_pct")
    return None if percent is None or percent < 0.0 else percent / 100.0


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(value)  # an int has no is_integer in Python 3.11


def _labels(labels: Labels) -> str:
    parts = (f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{','.join(parts)}}}" if labels else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
