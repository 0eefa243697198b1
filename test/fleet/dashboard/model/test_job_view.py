from typing import Any

from fleet.dashboard.model.event_log import EventLog
from fleet.dashboard.model.job_view import JobsReport, JobView
from fleet.dashboard.model.published_state import PublishedState, Section
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import JobState

SECOND = 1_000_000_000
ROS_NS = 7_000 * SECOND  # the jobs' clock is another one


def job(job_id: str, state: JobState, **changes: Any) -> JobReport:
    usual = {"robot_id": 0, "place": -1, "priority": 5, "eta_s": -1.0, "progress": 0.0, "attempts": 0}
    texts = {"words": "transport A > B", "reason": "", "detail": "", "submitted_ns": ROS_NS - 4 * SECOND, "ended_ns": 0}
    return JobReport(job_id=job_id, state=state, **{**usual, **texts, **changes})


class Stage:
    def __init__(self) -> None:
        self.state = PublishedState()
        self.book = JobView(self.state, EventLog(self.state))

    def report(self, *jobs: JobReport, now_s: int = 10, trouble: str = "") -> None:
        self.book.on_report(JobsReport(jobs, (3,), trouble, ROS_NS + now_s * SECOND), now_s * SECOND)

    def entry(self, job_id: str) -> Any:
        return self.state.get(Section.JOBS, job_id)

    def events(self) -> list[tuple[str, str]]:
        found = [self.state.get(Section.EVENTS, key) for key in self.state.keys(Section.EVENTS)]
        return [(event["text"], event["severity"]) for event in found]


def test_job_is_shown_with_instants_on_the_dashboards_clock() -> None:
    stage = Stage()
    stage.report(job("first", JobState.EXECUTING, robot_id=2, eta_s=12.34, progress=0.5, submitted_ns=ROS_NS))
    assert stage.entry("first") == {
        "id": "first", "order": 0, "words": "transport A > B", "state": "executing", "robot": 2, "place": None,
        "priority": 5, "progress": 0.5, "eta_s": 12.3, "attempts": 0, "reason": "", "detail": "", "submitted_s": 0.0,
        "ended_s": None,
    }  # fmt: skip
    assert stage.state.get(Section.FLEET, "jobs") == {"off_duty": [3], "trouble": ""}


def test_instants_do_not_waver_with_the_messages_delay() -> None:
    stage = Stage()
    stage.report(job("first", JobState.QUEUED))
    before = stage.entry("first")["submitted_s"]
    stage.book.on_report(JobsReport((job("first", JobState.QUEUED),), (), "", ROS_NS + 11 * SECOND), 12 * SECOND)
    assert stage.entry("first")["submitted_s"] == before


def test_end_is_an_event_with_its_reason_and_jobs_that_are_left_out_go() -> None:
    stage = Stage()
    stage.report(job("first", JobState.EXECUTING, robot_id=2), job("second", JobState.QUEUED))
    ended_ns = ROS_NS + 19 * SECOND
    stage.report(job("first", JobState.ABORTED, reason="ATTEMPTS", ended_ns=ended_ns), now_s=20)
    assert (stage.entry("first")["reason"], stage.entry("first")["ended_s"]) == ("ATTEMPTS", 19.0)
    assert stage.entry("second") is None
    assert stage.events() == [("job first: transport A > B ABORTED", "error")]


def test_jobs_that_ended_before_the_dashboard_started_are_not_events() -> None:
    stage = Stage()
    stage.report(job("old", JobState.ABORTED, ended_ns=ROS_NS))
    stage.report(job("old", JobState.ABORTED, ended_ns=ROS_NS), job("new", JobState.QUEUED), now_s=11)
    assert stage.events() == [("job new: transport A > B queued", "info")]


def test_jobs_that_wait_for_a_person_and_a_failing_book_are_troubles() -> None:
    stage = Stage()
    stage.report(job("by_hand", JobState.HELD))
    assert stage.book.troubles() == {}
    stage.report(job("lost_load", JobState.HELD, reason="HELD_AT_RESTART"), trouble="disk is full")
    texts = {alarm_id: trouble.text for alarm_id, trouble in stage.book.troubles().items()}
    assert texts == {
        "fleet:job_held": "1 job waits for somebody to look, then to release or cancel: lost_load",
        "fleet:job_book": "jobs cannot be kept: disk is full",
    }


def test_jobs_held_by_stop_are_not_trouble() -> None:
    stage = Stage()
    stage.report(*(job(f"job_{n}", JobState.HELD, reason="STOPPED") for n in range(5)))
    assert stage.book.troubles() == {}


def test_alarm_names_few_of_many_jobs() -> None:
    stage = Stage()
    stage.report(*(job(f"job_{n}", JobState.HELD, reason="HELD_AT_RESTART") for n in range(5)))
    (trouble,) = stage.book.troubles().values()
    assert trouble.text.endswith("release or cancel: job_0, job_1, job_2 and 2 more")
    assert trouble.text.startswith("5 jobs wait")


def test_jobs_go_with_the_driver_that_accepts_them() -> None:
    stage = Stage()
    assert stage.state.get(Section.FLEET, "jobs") is None
    stage.report(job("first", JobState.QUEUED), trouble="disk is full")
    stage.book.on_server(is_there=False)
    assert (stage.entry("first"), stage.state.get(Section.FLEET, "jobs"), stage.book.troubles()) == (None, None, {})
    stage.book.on_server(is_there=True)
    assert stage.state.get(Section.FLEET, "jobs") == {"off_duty": [], "trouble": ""}
