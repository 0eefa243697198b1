"""The action /fleet/perform: a job as a goal that clients follow to its end."""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from action_msgs.msg import GoalStatus
from rclpy.node import Node
from thymio_fleet_interfaces.action import PerformJob
from thymio_fleet_interfaces.msg import Job as JobMessage

from fleet.dispatch.dispatcher import Dispatcher
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import Job, JobState
from fleet.errors import GoalRejectedError
from fleet.interface.job_messages import job_state_to_ros
from fleet.interface.names import PERFORM_ACTION
from fleet.reason import Explanation, Reason
from fleet.ros.edge.driver_edge import Edge
from fleet.ros.jobs.job_desk import JobDesk
from fleet.tasks import explanations
from thymio_base.instant import Instant
from thymio_base.logs.audit_log import AuditEvent
from thymio_base.parts import Parts
from thymio_base.ros.action_server import GoalRequest, ServedGoal, TaskActionServer

_STATUSES = {
    JobState.SUCCEEDED: GoalStatus.STATUS_SUCCEEDED,
    JobState.CANCELED: GoalStatus.STATUS_CANCELED,
    JobState.ABORTED: GoalStatus.STATUS_ABORTED,
}


_PERIOD_NS: Final = 500_000_000  # between two feedbacks of a goal, at least
_GOALS_A_TICK: Final = 50  # that get feedback in one tick: more would delay it


class PerformAction:
    """Serves the action; several goals may follow one job.

    Parameters
    ----------
    dispatcher : returns the current dispatcher; None while the book cannot be used
    obstacle : returns why it cannot be used
    read : returns the job in a message; raises GoalRejectedError if it has none
    node : owns the entities
    edge : the driver's edge
    desk : decides goals when it is their turn
    """

    def __init__(
        self,
        dispatcher: Callable[[], Dispatcher | None],
        obstacle: Callable[[], Explanation],
        read: Callable[[JobMessage], Job],
        node: Node,
        edge: Edge,
        *,
        desk: JobDesk,
    ) -> None:
        self._dispatcher = dispatcher
        self._obstacle = obstacle
        self._read = read
        self._clock = edge.clock
        self._log = node.get_logger()
        self._goals: list[ServedGoal] = []
        self._desk = desk
        self._fence = edge.fence
        self._edge = edge
        self._due: deque[ServedGoal] = deque()  # goals whose clients get feedback in the next ticks
        self._stepped_ns = 0
        self._server = TaskActionServer(
            node,
            PerformJob,
            PERFORM_ACTION,
            on_goal=self._on_goal,
            on_cancel=self._on_cancel,
            on_conflict=lambda goal, why: self._log_rejection(goal, Explanation(Reason.DUPLICATE_ID, why)),
            clock=edge.clock,
            answers=edge.answers,
            result_timeout_s=edge.service.config.tasks.result_timeout_s,
        )

    def step(self, now: Instant) -> None:
        """Publish feedback on the jobs of a few goals, and end the goals of jobs that have ended."""
        dispatcher = self._dispatcher()
        if dispatcher is None:
            return
        if not self._due and now.core_ns - self._stepped_ns >= _PERIOD_NS:
            self._stepped_ns = now.core_ns
            self._due.extend(self._goals)
        goals = [self._due.popleft() for _ in range(min(_GOALS_A_TICK, len(self._due)))]
        known = {report.job_id: report for report in dispatcher.reports_of(map(_job_id, goals), now)} if goals else {}
        for goal in goals:
            report = known.get(_job_id(goal))
            if report is None or report.state in _STATUSES:
                self._end(goal, report)
            else:
                self._server.publish_feedback(goal, PerformJob.Feedback(job=job_state_to_ros(report)))

    def _end(self, goal: ServedGoal, report: JobReport | None) -> None:
        self._goals.remove(goal)
        if report is None:  # too many jobs have ended since
            self._server.end(goal, GoalStatus.STATUS_ABORTED, PerformJob.Result(detail="the job is forgotten"))
            return
        result = PerformJob.Result(
            success=report.state is JobState.SUCCEEDED,
            reason=report.reason,
            detail=report.detail,
            robot=report.robot_id,
            attempts=report.attempts,
            duration_s=(report.ended_ns - report.submitted_ns) * 1e-9,
        )
        self._server.end(goal, _STATUSES[report.state], result)

    def _on_goal(self, request: GoalRequest) -> None:
        def fail(error: Exception) -> None:
            self._decide(request, explanations.internal(self._fence.note(PERFORM_ACTION, error, request.goal)))

        if not self._desk.put(self._submitted(request), lambda _: None, fail):
            self._decide(request, self._desk.flood)

    def _submitted(self, request: GoalRequest) -> Parts[None]:
        """Submit the job of a goal; the goal is decided once the job is kept, or refused."""
        dispatcher = self._dispatcher()
        if dispatcher is None:
            self._decide(request, self._obstacle())
            return
        try:
            why = (yield from dispatcher.submission([self._read(request.goal.job)], self._clock()))[0]
        except GoalRejectedError as error:
            why = error.explanation
        if why is None:
            dispatcher.when_kept(partial(self._decide, request))
        else:
            self._decide(request, why)

    def _decide(self, request: GoalRequest, why: Explanation | None) -> None:
        job = request.goal.job
        if why is not None:
            self._log_rejection(request.goal, why)
            request.reject()
        else:
            self._edge.note(AuditEvent.ORDERED, f"perform {job.kind}", PERFORM_ACTION, jobs=[job.job_id])
            self._goals.append(request.accept())

    def _log_rejection(self, goal: PerformJob.Goal, why: Explanation) -> None:
        self._log.warning(f"job {goal.job.job_id!r} rejected: {why}", throttle_duration_sec=1.0)

    def _on_cancel(self, goal: ServedGoal) -> Any:
        dispatcher = self._dispatcher()
        return dispatcher is not None and dispatcher.cancel(goal.goal.job.job_id, self._clock()) is None


def _job_id(goal: ServedGoal) -> str:
    job_id: str = goal.goal.job.job_id
    return job_id
