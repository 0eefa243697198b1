"""Services and topic of jobs; they pass requests on to the dispatcher and decide nothing."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rclpy.node import Node
from rclpy.task import Future
from thymio_fleet_interfaces.msg import Job as JobMessage
from thymio_fleet_interfaces.msg import JobStates
from thymio_fleet_interfaces.srv import ChangeJobs, ListJobs, SetDuty, SubmitJobs

from fleet.dispatch.dispatcher import Dispatcher
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.duty import Duty
from fleet.dispatch.records.job import Job, JobState
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
_REPORTS_A_TICK: Final = 200  # of jobs: more would delay a tick
_SUBMITTED_MAX: Final = 200  # jobs of one request: checking them must not delay a tick


@dataclass(slots=True)
class JobsHost:
    """Which drivers give jobs.

    Parameters
    ----------
    name : the host of the one that does
    standby : hosts of those that would if it died
    obstacle : why the book of jobs cannot be used, "" if it can
    """

    name: str = ""
    standby: Sequence[str] = ()
    obstacle: str = ""


class JobsInterface:
    """Serves the jobs of one driver.

    Parameters
    ----------
    dispatcher : decides; None until the book can be used
    config : of the fleet; its stations are the places that jobs may name
    node : the driver's
    clock : returns the current time
    answers : sends the answers
    """

    def __init__(
        self,
        dispatcher: Dispatcher | None,
        config: FleetConfig,
        node: Node,
        clock: Callable[[], Instant],
        answers: Answers,
    ) -> None:
        self._dispatcher = dispatcher
        self.host = JobsHost()
        self._stations = {station.name: station.pose for station in config.stations}
        self._frame = config.frame
        self._clock = clock
        self._told: object = None
        self._looked_ns = 0
        self._published_ns = 0
        self._parts: Iterator[list[JobReport]] | None = None  # that are not collected yet
        self._reports: list[JobReport] = []
        self._collects = False
        self._log = node.get_logger()
        self._states: dict[str, JobState] = {}  # that were logged
        self._perform = PerformAction(
            lambda: self._dispatcher,
            lambda: self._obstacle,
            self._read,
            node,
            clock=clock,
            answers=answers,
            result_timeout_s=config.tasks.result_timeout_s,
        )
        self._publisher = node.create_publisher(JobStates, JOBS_TOPIC, JOBS_QOS)
        answers.create_service(node, SubmitJobs, SUBMIT_JOBS_SERVICE, self._on_submit)
        answers.create_service(node, ChangeJobs, CHANGE_JOBS_SERVICE, self._on_change)
        answers.create_service(node, ListJobs, LIST_JOBS_SERVICE, self._on_list)
        answers.create_service(node, SetDuty, DUTY_SERVICE, self._on_duty)

    def advance(self, outcomes: Iterable[TaskOutcome], now: Instant) -> None:
        """Let the dispatcher do its part of a tick, and tell what has changed."""
        if self._dispatcher is not None:
            self._dispatcher.advance(outcomes, now)
        if now.core_ns - self._looked_ns >= _PERIOD_NS:
            self._looked_ns = now.core_ns
            self._perform.step(now)
            self._parts = None if self._dispatcher is None else self._dispatcher.report_parts(now, _REPORTS_A_TICK)
            self._reports = []
            self._collects = True
        if self._collects:
            self._collect(now)

    def use(self, dispatcher: Dispatcher) -> None:
        """Let a dispatcher decide from now on."""
        self._dispatcher, self._collects = dispatcher, False

    def resume(self, now: Instant) -> None:
        """Release the jobs that a stop of the fleet held."""
        if self._dispatcher is not None:
            self._dispatcher.resume(now)

    def close(self) -> None:
        """Let go of the book."""
        if self._dispatcher is not None:
            self._dispatcher.close()

    @property
    def _obstacle(self) -> Explanation:
        return Explanation(Reason.BOOK, self.host.obstacle or "the book of jobs is not open yet")

    def _collect(self, now: Instant) -> None:
        """Collect so many reports of jobs; publish them once they are complete."""
        part = [] if self._parts is None else next(self._parts, [])
        self._reports += part
        if len(part) < _REPORTS_A_TICK:
            self._collects = False
            self._publish(self._reports, now)

    def _publish(self, reports: Sequence[JobReport], now: Instant) -> None:
        dispatcher, host = self._dispatcher, self.host
        duties = {} if dispatcher is None else dispatcher.duties
        trouble = ("" if dispatcher is None else dispatcher.trouble) or host.obstacle
        self._log_changes(reports)
        told = ([_essence(report) for report in reports], duties, trouble, host.name, tuple(host.standby))
        is_running = any(report.eta_s >= 0.0 for report in reports)
        is_due = is_running and now.core_ns - self._published_ns >= _REFRESH_NS
        if told != self._told or is_due:
            self._told, self._published_ns = told, now.core_ns
            message = job_states_to_ros(
                reports, duties, trouble, now.ros_ns, self._frame, host=host.name, standby=host.standby
            )
            self._publisher.publish(message)

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

    def _on_submit(self, request: SubmitJobs.Request, response: SubmitJobs.Response) -> Any:
        dispatcher, jobs = self._dispatcher, list[Job]()
        unread = self._read_all(request.jobs, jobs)
        if dispatcher is None or any(unread):
            return _answer(response, unread if any(unread) else [self._obstacle] * len(jobs))
        if request.estimate_only:
            found = dispatcher.objections(jobs)
            if not any(found):
                response.eta_s = dispatcher.estimate_s(jobs, self._clock())
            return _answer(response, found)
        found = dispatcher.submit(jobs, self._clock())
        if any(found):
            return _answer(response, found)
        return _once_kept(dispatcher, lambda why: _answer(response, [why] * len(jobs)))

    def _read_all(self, messages: Sequence[JobMessage], jobs: list[Job]) -> list[Explanation | None]:
        """Add the jobs of a request to `jobs`; return for each message why it is none, None if it is one."""
        if len(messages) > _SUBMITTED_MAX:
            text = f"a request has {len(messages)} jobs, at most {_SUBMITTED_MAX}; send several requests"
            return [Explanation(Reason.BAD_JOB, text)] * len(messages)
        if sum(len(message.path) for message in messages) > _PATHS_MAX:
            text = f"the paths of a request have more than {_PATHS_MAX} characters; send several requests"
            return [Explanation(Reason.BAD_JOB, text)] * len(messages)
        unread: list[Explanation | None] = []
        for message in messages:
            try:
                jobs.append(self._read(message))
                unread.append(None)
            except GoalRejectedError as error:
                unread.append(error.explanation)
        return unread

    def _on_change(self, request: ChangeJobs.Request, response: ChangeJobs.Response) -> Any:
        dispatcher = self._dispatcher
        if dispatcher is None:
            return _changed(response, [self._obstacle] * len(request.job_ids))
        if len(request.job_ids) > _SUBMITTED_MAX:
            text = f"a request names {len(request.job_ids)} jobs, at most {_SUBMITTED_MAX}; send several requests"
            return _changed(response, [Explanation(Reason.BAD_JOB, text)] * len(request.job_ids))
        found = [self._change(dispatcher, job_id, request) for job_id in request.job_ids]
        return _once_kept(dispatcher, lambda why: _changed(response, [one or why for one in found]))

    def _change(self, dispatcher: Dispatcher, job_id: str, request: ChangeJobs.Request) -> Explanation | None:
        now = self._clock()
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
        now, dispatcher = self._clock(), self._dispatcher
        if dispatcher is None:
            return response
        found = dispatcher.reports(now)
        if request.job_ids:
            named = (dispatcher.report(job_id, now) for job_id in request.job_ids[:_SUBMITTED_MAX])
            found = [report for report in named if report is not None]
        response.jobs = [
            job_state_to_ros(report)
            for report in found
            if (not request.states or report.state.value in request.states) and request.robot in (0, report.robot_id)
        ]
        return response

    def _on_duty(self, request: SetDuty.Request, response: SetDuty.Response) -> Any:
        duties = {duty.value: duty for duty in Duty}
        if request.duty not in duties:
            response.message = f"duty is {request.duty!r}, not one of {', '.join(duties)}"
            return response
        if self._dispatcher is None:
            return _set(response, self._obstacle)
        found = self._dispatcher.set_duty(request.robots, duties[request.duty], self._clock())
        return _once_kept(self._dispatcher, lambda why: _set(response, found or why))


def _once_kept(dispatcher: Dispatcher, answer: Callable[[Explanation | None], Any]) -> Any:
    """Return an answer once everything that was changed is kept: now, or as a future."""
    future = Future()
    dispatcher.when_kept(lambda why: future.set_result(answer(why)))
    return future.result() if future.done() else future


def _changed(response: ChangeJobs.Response, found: Sequence[Explanation | None]) -> ChangeJobs.Response:
    response.success = not any(found)
    response.details = ["" if why is None else why.detail for why in found]
    return response


def _set(response: SetDuty.Response, why: Explanation | None) -> SetDuty.Response:
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
    response.accepted = not any(found)
    response.reasons = ["" if why is None else why.reason.value for why in found]
    response.details = ["" if why is None else why.detail for why in found]
    if not response.eta_s:
        response.eta_s = [math.nan] * len(found)
    return response
