"""Services and topic of jobs; they pass requests on to the dispatcher and decide nothing."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rclpy.node import Node
from rclpy.task import Future
from thymio_fleet_interfaces.msg import Job as JobMessage
from thymio_fleet_interfaces.msg import JobState as JobStateMessage
from thymio_fleet_interfaces.msg import JobStates
from thymio_fleet_interfaces.srv import ChangeJobs, ListJobs, SetDuty, SubmitJobs

from fleet.dispatch.dispatcher import Dispatcher
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import Duty, Job, JobState
from fleet.errors import GoalRejectedError
from fleet.interface.job_messages import job_from_ros, job_state_to_ros
from fleet.interface.job_states_writer import JobStatesWriter
from fleet.interface.names import CHANGE_JOBS_SERVICE, DUTY_SERVICE, JOBS_TOPIC, LIST_JOBS_SERVICE, SUBMIT_JOBS_SERVICE
from fleet.interface.quality import JOBS_QOS
from fleet.reason import Explanation, Reason
from fleet.robots.robot_status import TaskOutcome
from fleet.ros.edge.driver_edge import Edge
from fleet.ros.jobs.job_desk import JobDesk
from fleet.ros.jobs.perform_action import PerformAction
from thymio_base.instant import Instant
from thymio_base.logs.audit_log import AuditEvent
from thymio_base.number_text import count_text
from thymio_base.parts import Parts, WorkInParts
from thymio_base.ros.stamps import time_from_ros

_PATHS_MAX: Final = 10_000  # characters: reading more would delay a tick
_PERIOD_NS: Final = 500_000_000  # between two messages, at least
_REFRESH_NS: Final = 1_000_000_000  # of progress and times, while a job is performed
_LOGGED: Final = {JobState.EXECUTING, JobState.HELD, *(state for state in JobState if state.is_final)}
_JOBS_A_TICK: Final = 100  # reported in one tick: more would delay it
_ESTIMATED_MAX: Final = 50  # jobs of one request: all of them are planned again
_CHANGED_AT_ONCE: Final = 40
_LISTED_MAX: Final = 250  # jobs of one answer, which the middleware converts as a whole


@dataclass(slots=True)
class JobsHost:
    """The drivers that give jobs, or would take over.

    Parameters
    ----------
    name : host of the driver that does
    standby : hosts of the drivers that would take over
    obstacle : why the book of jobs cannot be used, "" if it can
    """

    name: str = ""
    standby: Sequence[str] = ()
    obstacle: str = ""


class JobsInterface:
    """Serves jobs through one driver.

    Parameters
    ----------
    dispatcher : decides on jobs; None until the book can be used
    node : the driver's node
    edge : the driver's edge; jobs may name the stations of its fleet
    """

    def __init__(self, dispatcher: Dispatcher | None, node: Node, edge: Edge) -> None:
        config, answers = edge.service.config, edge.answers
        self._dispatcher = dispatcher
        self.host = JobsHost()
        self._stations = {station.name: station.pose for station in config.stations}
        self._frame = config.frame
        self._clock = edge.clock
        self._told: object = None
        self._looked_ns = 0
        self._published_ns = 0
        self._telling: WorkInParts[None] | None = None
        self._desk = JobDesk(edge.requests, edge.fence)
        self._edge = edge
        self._log = node.get_logger()
        self._states: dict[str, JobState] = {}  # states that were logged
        self._perform = PerformAction(
            lambda: self._dispatcher,
            lambda: self._obstacle,
            self._read,
            node,
            edge,
            desk=self._desk,
        )
        self._publisher = node.create_publisher(JobStates, JOBS_TOPIC, JOBS_QOS)
        answers.create_service(node, SubmitJobs, SUBMIT_JOBS_SERVICE, self._on_submit)
        answers.create_service(node, ChangeJobs, CHANGE_JOBS_SERVICE, self._on_change)
        answers.create_service(node, ListJobs, LIST_JOBS_SERVICE, self._on_list)
        answers.create_service(node, SetDuty, DUTY_SERVICE, self._on_duty)

    def advance(self, outcomes: Iterable[TaskOutcome], now: Instant) -> None:
        """Let the dispatcher do its share of a tick, and publish what has changed."""
        if self._dispatcher is not None:
            self._dispatcher.advance(outcomes, now)
        self._perform.step(now)
        if self._telling is None and now.core_ns - self._looked_ns >= _PERIOD_NS:
            self._looked_ns = now.core_ns
            self._telling = WorkInParts(self._told_jobs(self._dispatcher, now))
        if self._telling is not None and not self._telling.do_part():
            self._telling = None

    def use(self, dispatcher: Dispatcher) -> None:
        """Use a dispatcher from now on."""
        self._dispatcher, self._telling = dispatcher, None

    def resume(self, now: Instant) -> None:
        """Release the jobs that a stop of the fleet held."""
        if self._dispatcher is not None:
            self._dispatcher.resume(now)

    def close(self) -> None:
        """Release the book."""
        if self._dispatcher is not None:
            self._dispatcher.close()

    @property
    def _obstacle(self) -> Explanation:
        return Explanation(Reason.BOOK, self.host.obstacle or "the book of jobs is not open yet")

    def _told_jobs(self, dispatcher: Dispatcher | None, now: Instant) -> Parts[None]:
        """Collect the reports of jobs, and publish them if they have changed; in parts of `_JOBS_A_TICK` jobs."""
        reports: list[JobReport] = []
        for part in () if dispatcher is None else dispatcher.report_parts(now, _JOBS_A_TICK):
            reports += part
            if len(part) == _JOBS_A_TICK:
                yield
        host = self.host
        duties = {} if dispatcher is None else dispatcher.duties
        trouble = ("" if dispatcher is None else dispatcher.trouble) or host.obstacle
        self._log_changes(reports)
        told = ([_essence(report) for report in reports], duties, trouble, host.name, tuple(host.standby))
        is_running = any(report.eta_s >= 0.0 for report in reports)
        is_due = is_running and now.core_ns - self._published_ns >= _REFRESH_NS
        if told != self._told or is_due:
            self._told, self._published_ns = told, now.core_ns
            message = JobStatesWriter(now.ros_ns, self._frame, len(reports))
            for count, report in enumerate(reports, start=1):
                message.add(report)
                if count % _JOBS_A_TICK == 0:
                    yield
            self._publisher.publish(message.data(duties, trouble, host.name, host.standby))

    def _log_changes(self, reports: Sequence[JobReport]) -> None:
        states = {report.job_id: report.state for report in reports}
        for report in reports:
            if report.state in _LOGGED and self._states.get(report.job_id, report.state) is not report.state:
                robot = f", robot {report.robot_id}" if report.robot_id else ""
                why = f": {report.reason} {report.detail}".rstrip() if report.reason else ""
                self._log.info(f"job {report.job_id!r} {report.state.value}{robot}{why}")
                if report.state.is_final:
                    self._note_end(report)
        self._states = states

    def _note_end(self, report: JobReport) -> None:
        robot_id = report.robot_id or None
        facts = {"outcome": report.state.value, "reason": report.reason, "text": report.detail}
        self._edge.note(AuditEvent.ENDED, report.words, "", robot=robot_id, jobs=[report.job_id], **facts)

    def _note(self, what: str, found: Sequence[Explanation | None], **facts: object) -> None:
        """Note a request in the audit log: what it asked for, and why it was refused if it was."""
        why = next(filter(None, found), None)
        if why is None:
            self._edge.note(AuditEvent.ORDERED, what, "", **facts)
        else:
            self._edge.note(AuditEvent.REFUSED, what, "", **facts, reason=why.reason.value, text=why.detail)

    def _read(self, message: JobMessage) -> Job:
        return job_from_ros(message, self._stations)

    def _on_submit(self, request: SubmitJobs.Request, response: SubmitJobs.Response) -> Any:
        def refused(why: Explanation) -> SubmitJobs.Response:
            return _answer(response, [why] * len(request.jobs))

        if request.estimate_only and len(request.jobs) > _ESTIMATED_MAX:
            text = f"an estimate of {len(request.jobs)} jobs, at most {_ESTIMATED_MAX}; send several requests"
            return refused(Explanation(Reason.BAD_JOB, text))
        work = self._submitted(request, response)
        return self._desk.serve(SubmitJobs, SUBMIT_JOBS_SERVICE, work, refused)

    def _submitted(self, request: SubmitJobs.Request, response: SubmitJobs.Response) -> Parts[Any]:
        jobs: list[Job] = []
        unread = self._read_all(request.jobs, jobs)
        yield

        def decided(found: Sequence[Explanation | None]) -> SubmitJobs.Response:
            what = f"submit {jobs[0].work}" if len(jobs) == 1 else f"submit {count_text(len(request.jobs), 'job')}"
            self._note(what, found, jobs=[message.job_id for message in request.jobs])
            return _answer(response, found)

        dispatcher = self._dispatcher
        if dispatcher is None or any(unread):
            return decided(unread if any(unread) else [self._obstacle] * len(jobs))
        if request.estimate_only:
            found = yield from dispatcher.examination(jobs)
            if not any(found):
                response.eta_s = yield from dispatcher.estimate_s(jobs, self._clock())
            return _answer(response, found)
        found = yield from dispatcher.submission(jobs, self._clock())
        if any(found):
            return decided(found)
        return _once_kept(dispatcher, lambda why: decided([why] * len(jobs)))

    def _read_all(self, messages: Sequence[JobMessage], jobs: list[Job]) -> list[Explanation | None]:
        """Add the jobs of a request to `jobs`; return, for each message, None or why it is not a valid job."""
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
        work = self._changes(dispatcher, request, response)
        return self._desk.serve(
            ChangeJobs, CHANGE_JOBS_SERVICE, work, lambda why: _changed(response, [why] * len(request.job_ids))
        )

    def _changes(
        self, dispatcher: Dispatcher, request: ChangeJobs.Request, response: ChangeJobs.Response
    ) -> Parts[Any]:
        found: list[Explanation | None] = []
        for start in range(0, len(request.job_ids), _CHANGED_AT_ONCE):
            if start:
                yield
            with dispatcher.together():
                found += [
                    self._change(dispatcher, job_id, request)
                    for job_id in request.job_ids[start : start + _CHANGED_AT_ONCE]
                ]

        def decided(why: Explanation | None) -> ChangeJobs.Response:
            answers = [one or why for one in found]
            self._note(f"{request.change} jobs", answers, jobs=list(request.job_ids))
            return _changed(response, answers)

        return _once_kept(dispatcher, decided)

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

    def _on_list(self, request: ListJobs.Request, response: ListJobs.Response) -> Any:
        if self._dispatcher is None:
            return response
        work = self._listed(self._dispatcher, request, response)
        return self._desk.serve(ListJobs, LIST_JOBS_SERVICE, work, lambda _: response)

    def _listed(
        self, dispatcher: Dispatcher, request: ListJobs.Request, response: ListJobs.Response
    ) -> Parts[ListJobs.Response]:
        now = self._clock()
        parts = dispatcher.report_parts(now, _JOBS_A_TICK)
        if request.job_ids:
            parts = iter([dispatcher.reports_of(request.job_ids, now)])
        listed: list[JobStateMessage] = []
        for part in parts:
            listed += [
                job_state_to_ros(report)
                for report in part
                if (not request.states or report.state.value in request.states)
                and request.robot in (0, report.robot_id)
            ]
            yield
        response.jobs = listed[:_LISTED_MAX]
        return response

    def _on_duty(self, request: SetDuty.Request, response: SetDuty.Response) -> Any:
        duties = {duty.value: duty for duty in Duty}
        if request.duty not in duties:
            response.message = f"duty is {request.duty!r}, not one of {', '.join(duties)}"
            return response
        if self._dispatcher is None:
            return _set(response, self._obstacle)
        found = self._dispatcher.set_duty(request.robots, duties[request.duty], self._clock())

        def decided(why: Explanation | None) -> SetDuty.Response:
            self._note(f"duty {request.duty}", [found or why], robots=list(request.robots))
            return _set(response, found or why)

        return _once_kept(self._dispatcher, decided)


def _once_kept(dispatcher: Dispatcher, answer: Callable[[Explanation | None], Any]) -> Any:
    """Return an answer once all changes are kept: now, or as a future."""
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
    """Return the fields whose change is published at once."""
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
