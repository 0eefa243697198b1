"""Follows the fleet's jobs for pages: their states and outcomes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fleet.dashboard.model.alarms import Trouble
from fleet.dashboard.model.event_log import EventLog, LogEntry, LogEntryKind, Severity
from fleet.dashboard.model.published_state import PublishedState, Section
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import JobState
from fleet.reason import Reason
from thymio_base.number_text import count_text

_NAMED: Final = 3  # jobs in an alarm
OPEN_STATES: Final = (JobState.WAITING, JobState.QUEUED, JobState.HELD, JobState.ASSIGNED, JobState.EXECUTING)
_ENDS: Final = {
    JobState.SUCCEEDED: Severity.INFO,
    JobState.CANCELED: Severity.NOTICE,
    JobState.ABORTED: Severity.ERROR,
}


@dataclass(frozen=True, slots=True)
class JobsReport:
    """A driver's report of its jobs.

    Parameters
    ----------
    jobs : open jobs in order of submission, then the last ended ones
    off_duty : robots that do not take jobs
    trouble : why jobs cannot be kept; "" if they can
    stamp_ns : time of the report, on the clock of the jobs' instants
    """

    jobs: tuple[JobReport, ...]
    off_duty: tuple[int, ...]
    trouble: str
    stamp_ns: int


class JobView:
    """Follows the jobs of the fleet.

    Parameters
    ----------
    state : receives the jobs
    log : receives an event for each job that starts or ends
    """

    def __init__(self, state: PublishedState, log: EventLog) -> None:
        self._state = state
        self._log = log
        self._ahead_ns = 0  # offset of the jobs' clock ahead of the dashboard's
        self._is_served = False
        self._has_reported = False
        self._off_duty: tuple[int, ...] = ()
        self._trouble = ""
        self.ends: Counter[tuple[str, str]] = Counter()  # jobs by state and reason, since the dashboard started
        self._publish()

    @property
    def is_served(self) -> bool:
        """Whether a driver accepts jobs."""
        return self._is_served

    @property
    def is_kept(self) -> bool:
        """Whether the driver can keep jobs in its book."""
        return not self._trouble

    @property
    def off_duty(self) -> tuple[int, ...]:
        """The robots that do not take jobs."""
        return self._off_duty

    def open_jobs(self, state: JobState) -> list[Mapping[str, Any]]:
        """Return the entries of all jobs in an open state."""
        return [entry for entry in self._state.entries(Section.JOBS) if entry["state"] == state.value]

    def on_server(self, is_there: bool) -> None:
        """Note whether a driver accepts jobs; without one, all known jobs are outdated and removed."""
        if is_there is self._is_served:
            return
        self._is_served = is_there
        if not is_there:
            self._has_reported = False
            self._off_duty, self._trouble = (), ""
            self._keep(())
        self._publish()

    def on_report(self, report: JobsReport, now_ns: int) -> None:
        """Note a driver's report."""
        self._is_served = True
        self._ahead_ns = report.stamp_ns - now_ns
        self._off_duty, self._trouble = report.off_duty, report.trouble
        for order, job in enumerate(report.jobs):
            self._on_job(order, job, now_ns)
        self._keep([job.job_id for job in report.jobs])
        self._has_reported = True
        self._publish()

    def troubles(self) -> dict[str, Trouble]:
        """Return the troubles of jobs, by alarm id: jobs that wait for a person, and a failing book."""
        held = sorted(entry["id"] for entry in self._state.entries(Section.JOBS) if _needs_somebody(entry))
        found = []
        if held:
            count = count_text(len(held), "job")
            more = f" and {len(held) - _NAMED} more" if len(held) > _NAMED else ""
            waits = "waits" if len(held) == 1 else "wait"
            text = f"{count} {waits} for somebody to look, then to release or cancel: {', '.join(held[:_NAMED])}{more}"
            found.append(Trouble("job_held", Severity.WARNING, text))
        if self._trouble:
            found.append(Trouble("job_book", Severity.ERROR, f"jobs cannot be kept: {self._trouble}"))
        return {trouble.alarm_id: trouble for trouble in found}

    def entry(self, job: JobReport, now_ns: int) -> dict[str, Any]:
        """Return the entry of an unpublished job, as for published ones."""
        instants = {
            "submitted_s": self._instant(job.submitted_ns, now_ns),
            "ended_s": self._instant(job.ended_ns, now_ns) if job.state in _ENDS else None,
        }
        return _entry(0, job) | instants

    def _instant(self, instant_ns: int, now_ns: int) -> float:
        """Return an instant of jobs on the dashboard's clock [s]; ROS time may be simulated."""
        return round((now_ns - max(now_ns + self._ahead_ns - instant_ns, 0)) * 1e-9, 3)

    def _on_job(self, order: int, job: JobReport, now_ns: int) -> None:
        known = self._state.get(Section.JOBS, job.job_id)
        entry = _entry(order, job)
        entry["submitted_s"] = known["submitted_s"] if known else self._instant(job.submitted_ns, now_ns)
        is_new_end = job.state in _ENDS and (known is None or known["ended_s"] is None)
        if is_new_end:
            entry["ended_s"] = self._instant(job.ended_ns, now_ns)
        elif known is not None:
            entry["ended_s"] = known["ended_s"]
        self._state.put(Section.JOBS, job.job_id, entry)
        if self._has_reported:  # earlier ends are not news
            if is_new_end:
                self.ends[job.state.value, job.reason] += 1
            self._tell(job, known, now_ns)

    def _tell(self, job: JobReport, known: dict[str, Any] | None, now_ns: int) -> None:
        was = None if known is None else known["state"]
        if was == job.state.value or (job.state not in _ENDS and job.state is not JobState.HELD and was is not None):
            return
        severity = _ENDS.get(job.state, Severity.WARNING if job.reason else Severity.INFO)
        text = f"job {job.job_id}: {job.words} {job.state.value}"
        robot_id = job.robot_id or None
        happening = LogEntry(severity, LogEntryKind.JOB, text, robot_id, job.reason, job.detail, subject=job.job_id)
        self._log.add(happening, now_ns)

    def _keep(self, job_ids: Sequence[str]) -> None:
        for key in self._state.keys(Section.JOBS):
            if key not in job_ids:
                self._state.remove(Section.JOBS, key)

    def _publish(self) -> None:
        entry = {"off_duty": list(self._off_duty), "trouble": self._trouble} if self._is_served else None
        self._state.put(Section.FLEET, "jobs", entry)


def _needs_somebody(entry: Mapping[str, Any]) -> bool:
    """Whether a job is held until a person releases it; jobs held by STOP continue by themselves at resume."""
    return entry["state"] == JobState.HELD.value and entry["reason"] not in ("", Reason.STOPPED.value)


def _entry(order: int, job: JobReport) -> dict[str, Any]:
    return {
        "id": job.job_id,
        "order": order,
        "words": job.words,
        "state": job.state.value,
        "robot": job.robot_id or None,
        "place": job.place if job.place >= 0 else None,
        "priority": job.priority,
        "progress": round(job.progress, 3),
        "eta_s": round(job.eta_s, 1) if job.eta_s >= 0.0 else None,
        "attempts": job.attempts,
        "reason": job.reason,
        "detail": job.detail,
        "ended_s": None,
    }
