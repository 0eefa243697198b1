"""Services and topic of jobs; they pass requests on to the dispatcher and decide nothing."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from rclpy.node import Node
from thymio_fleet_interfaces.msg import Job as JobMessage
from thymio_fleet_interfaces.msg import JobStates
from thymio_fleet_interfaces.srv import ChangeJobs, ListJobs, SetDuty, SubmitJobs

from fleet.dispatch.dispatcher import Dispatcher
from fleet.dispatch.duty import Duty
from fleet.dispatch.job import Job, JobState
from fleet.dispatch.job_report import JobReport
from fleet.errors import GoalRejectedError
from fleet.interface.job_messages import job_from_ros, job_state_to_ros, job_states_to_ros
from fleet.interface.names import CHANGE_JOBS_SERVICE, DUTY_SERVICE, JOBS_TOPIC, LIST_JOBS_SERVICE, SUBMIT_JOBS_SERVICE
from fleet.interface.quality import JOBS_QOS
from fleet.reason import Explanation, Reason
from fleet.robots.robot_status import TaskOutcome
from fleet.ros.jobs.perform_action import PerformAction
from fleet.settings.config import FleetConfig
from thymio_base.instant import Instant
from thymio_base.ros.answers import Answers
from thymio_base.ros.stamps import time_from_ros

_PATHS_MAX: Final = 10_000  # characters: reading more would delay a tick
_PERIOD_NS: Final = 500_000_000  # between two messages, at least
_REFRESH_NS: Final = 1_000_000_000  # of progress and times, while a job is performed
_LOGGED: Final = {JobState.EXECUTING, JobState.HELD, JobState.SUCCEEDED, JobState.CANCELED, JobState.ABORTED}
_SUBMITTED_MAX: Final = 200  # jobs of one request: checking them must not delay a tick


class JobsInterface:
    """Serves the jobs of one driver.

    Parameters
    ----------
    dispatcher : decides
    config : of the fleet; its stations are the places that jobs may name
    node : the driver's
    clock : returns the current time
    answers : sends the answers
    """

    def __init__(
        self, dispatcher: Dispatcher, config: FleetConfig, node: Node, clock: Callable[[], Instant], answers: Answers
    ) -> None:
        self._dispatcher = dispatcher
        self._stations = {station.name: station.pose for station in config.stations}
        self._frame = config.frame
        self._clock = clock
        self._told: object = None
        self._looked_ns = 0
        self._published_ns = 0
        self._log = node.get_logger()
        self._states: dict[str, JobState] = {}  # that were logged
        self._perform = PerformAction(
            dispatcher, self._read, node, clock, answers, result_timeout_s=config.tasks.result_timeout_s
        )
        self._publisher = node.create_publisher(JobStates, JOBS_TOPIC, JOBS_QOS)
        answers.create_service(node, SubmitJobs, SUBMIT_JOBS_SERVICE, self._on_submit)
        answers.create_service(node, ChangeJobs, CHANGE_JOBS_SERVICE, self._on_change)
        answers.create_service(node, ListJobs, LIST_JOBS_SERVICE, self._on_list)
        answers.create_service(node, SetDuty, DUTY_SERVICE, self._on_duty)

    def advance(self, outcomes: Iterable[TaskOutcome], now: Instant) -> None:
        """Let the dispatcher do its part of a tick, and tell what has changed."""
        self._dispatcher.advance(outcomes, now)
        if now.core_ns - self._looked_ns >= _PERIOD_NS:
            self._looked_ns = now.core_ns
            self._perform.step(now)
            self._publish(now)

    def resume(self, now: Instant) -> None:
        """Release the jobs that a stop of the fleet held."""
        self._dispatcher.resume(now)

    def close(self) -> None:
        """Let go of the book."""
        self._dispatcher.close()

    def _publish(self, now: Instant) -> None:
        reports = self._dispatcher.reports(now)
        self._log_changes(reports)
        told = ([_essence(report) for report in reports], self._dispatcher.duties, self._dispatcher.trouble)
        is_running = any(report.eta_s >= 0.0 for report in reports)
        is_due = is_running and now.core_ns - self._published_ns >= _REFRESH_NS
        if told != self._told or is_due:
            self._told, self._published_ns = told, now.core_ns
            duties, trouble = self._dispatcher.duties, self._dispatcher.trouble
            self._publisher.publish(job_states_to_ros(reports, duties, trouble, now.ros_ns, self._frame))

    def _log_changes(self, reports: Sequence[JobReport]) -> None:
        states = {report.job_id: report.state for report in reports}
        for report in reports:
            if report.state in _LOGGED and self._states.get(report.job_id, report.state) is not report.state:
                robot = f", robot {report.robot_id}" if report.robot_id else ""
                why = f": {report.reason} {report.detail}".rstrip() if report.reason else ""
                self._log.info(f"job {report.job_id!r} {report.state.value}{robot}{why}")
        self._states = states

    def _read(self, message: JobMessage) -> Job:
        return job_from_ros(message, self._stations)

    def _on_submit(self, request: SubmitJobs.Request, response: SubmitJobs.Response) -> SubmitJobs.Response:
        if len(request.jobs) > _SUBMITTED_MAX:
            text = f"a request has {len(request.jobs)} jobs, at most {_SUBMITTED_MAX}; send several requests"
            return _filled(response, ["BAD_JOB"] * len(request.jobs), [text] * len(request.jobs))
        if sum(len(job.path) for job in request.jobs) > _PATHS_MAX:
            text = f"the paths of a request have more than {_PATHS_MAX} characters; send several requests"
            return _filled(response, ["BAD_JOB"] * len(request.jobs), [text] * len(request.jobs))
        jobs: list[Job] = []
        unread: list[Explanation | None] = []
        for message in request.jobs:
            try:
                jobs.append(self._read(message))
                unread.append(None)
            except GoalRejectedError as error:
                unread.append(error.explanation)
        if any(unread):
            return _answer(response, unread)
        if request.estimate_only:
            found = self._dispatcher.objections(jobs)
            if not any(found):
                response.eta_s = self._dispatcher.estimate_s(jobs, self._clock())
            return _answer(response, found)
        return _answer(response, self._dispatcher.submit(jobs, self._clock()))

    def _on_change(self, request: ChangeJobs.Request, response: ChangeJobs.Response) -> ChangeJobs.Response:
        found = [self._change(job_id, request) for job_id in request.job_ids]
        response.success = not any(found)
        response.details = ["" if why is None else why.detail for why in found]
        return response

    def _change(self, job_id: str, request: ChangeJobs.Request) -> Explanation | None:
        dispatcher, now = self._dispatcher, self._clock()
        changes: dict[str, Callable[[], Explanation | None]] = {
            "cancel": lambda: dispatcher.cancel(job_id, now),
            "hold": lambda: dispatcher.hold(job_id, now),
            "release": lambda: dispatcher.release(job_id, now),
            "before": lambda: dispatcher.put_before(job_id, request.before, now),
            "priority": lambda: dispatcher.change(job_id, now, priority=request.priority),
            "robots": lambda: dispatcher.change(job_id, now, robots=tuple(request.robots)),
            "deadline": lambda: dispatcher.change(job_id, now, deadline_ns=time_from_ros(request.deadline)),
        }
        if request.change not in changes:
            return Explanation(Reason.BAD_JOB, f"change is {request.change!r}, not one of {', '.join(changes)}")
        return changes[request.change]()

    def _on_list(self, request: ListJobs.Request, response: ListJobs.Response) -> ListJobs.Response:
        now = self._clock()
        found = self._dispatcher.reports(now)
        if request.job_ids:
            named = (self._dispatcher.report(job_id, now) for job_id in request.job_ids)
            found = [report for report in named if report is not None]
        response.jobs = [
            job_state_to_ros(report)
            for report in found
            if (not request.states or report.state.value in request.states) and request.robot in (0, report.robot_id)
        ]
        return response

    def _on_duty(self, request: SetDuty.Request, response: SetDuty.Response) -> SetDuty.Response:
        duties = {duty.value: duty for duty in Duty}
        if request.duty not in duties:
            response.message = f"duty is {request.duty!r}, not one of {', '.join(duties)}"
            return response
        why = self._dispatcher.set_duty(request.robots, duties[request.duty], self._clock())
        response.success = why is None
        response.message = "" if why is None else why.detail
        return response


def _essence(report: JobReport) -> tuple[object, ...]:
    """Return what makes a new message necessary at once."""
    return (
        report.job_id,
        report.state,
        report.robot_id,
        report.place,
        report.priority,
        report.attempts,
        report.reason,
    )


def _answer(response: SubmitJobs.Response, found: Sequence[Explanation | None]) -> SubmitJobs.Response:
    reasons = ["" if why is None else why.reason.value for why in found]
    return _filled(response, reasons, ["" if why is None else why.detail for why in found])


def _filled(response: SubmitJobs.Response, reasons: list[str], details: list[str]) -> SubmitJobs.Response:
    response.accepted = not any(reasons)
    response.reasons, response.details = reasons, details
    if not response.eta_s:
        response.eta_s = [math.nan] * len(reasons)
    return response
